/** Elements, made without markup; and keys that stay with the element they are pressed in. */

export function make<K extends keyof HTMLElementTagNameMap>(name: K, className = '', text = ''): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  if (className) {
    made.className = className;
  }
  if (text) {
    made.textContent = text;
  }
  return made;
}

/** A button that does; `label` says in words what `text` only hints at, also when it is pointed at. */
export function makeButton(text: string, does: () => void, label = '', className = ''): HTMLButtonElement {
  const made = make('button', className, text);
  made.type = 'button';
  if (label) {
    made.title = label;
    made.setAttribute('aria-label', label);
  }
  made.addEventListener('click', does);
  return made;
}

/**
 * Keys pressed inside `root` are its own; `does` says whether it used one. Until `signal` aborts.
 *
 * On the window, before anybody else: JupyterLab listens on the document and takes keys without Ctrl for its own commands, so
 * that Enter on a button of ours would edit the cell, and "x" would cut it. Shift-Enter still runs the cell.
 */
export function keepKeys(root: Element, does: (event: KeyboardEvent, target: Element) => boolean, signal: AbortSignal): void {
  const keep = (event: KeyboardEvent): void => {
    const target = event.target;
    const theirs = event.ctrlKey || event.altKey || event.metaKey || (event.shiftKey && event.key === 'Enter') || ['Tab', 'Escape'].includes(event.key);
    if (theirs || !(target instanceof Element) || !root.contains(target)) {
      return;
    }
    event.stopPropagation();
    if (does(event, target)) {
      event.preventDefault();
    }
  };
  window.addEventListener('keydown', keep, { capture: true, signal });
}
