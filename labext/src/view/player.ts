/**
 * A view in the page: title, controls, picture, sentence, table.
 *
 * Keys, with the focus on the picture or a button: Left and Right step, Home and End jump, Space plays, + - 0 zoom,
 * Shift with an arrow pans. Dots and boxes say what they are when pointed at; everything is in the table as well.
 */

import { keepKeys, make, makeButton } from '../dom';
import { clamp, draw, element, type Listener } from './scene';
import type { Frame, Picture, Sequence, Table, View } from './view';

/** The kernel behind a live view. */
export interface Kernel {
  drags(name: string, value: number): void;
  acts(name: string): void;
}

export type Translate = (text: string) => string;

const PLAY_MS = 900;
const ZOOM = 1.25;
const NOTHING: Frame = { says: '', marks: [] };

export class Player {
  /** Draws into `host`, which it empties. */
  constructor(
    private readonly host: HTMLElement,
    private readonly translate: Translate = text => text
  ) {
    this.build();
  }

  /** Show `view`. The step, the zoom and the focus are kept where the same kind of view was shown before. */
  show(view: View, kernel?: Kernel): void {
    const again = this.view?.kind === view.kind && this.view.picture.sequences.length === view.picture.sequences.length;
    this.view = view;
    this.kernel = kernel;
    this.root.setAttribute('aria-label', view.title);
    this.root.dataset.kind = view.kind;
    this.title.textContent = view.title;
    this.summary.textContent = view.summary;
    this.problem.hidden = true;
    this.bar.hidden = this.stage.hidden = false;
    this.showActions();
    this.showPicture(view.picture, again ? [this.chosen, this.position] : undefined);
  }

  /** Say why there is nothing new to see; what was shown before stays. */
  fail(message: string): void {
    this.problem.hidden = false;
    this.problem.textContent = message;
  }

  dispose(): void {
    this.pause();
    this.disposed.abort();
    this.root.remove();
  }

  // ---- what is shown ---------------------------------------------------------------------------------------------

  private showPicture(picture: Picture, at?: [number, number]): void {
    this.picture = picture;
    this.chosen = at ? clamp(at[0], 0, Math.max(0, picture.sequences.length - 1)) : 0;
    const sequence = this.sequence();
    this.position = sequence ? clamp(at ? at[1] : sequence.start, 0, sequence.labels.length - 1) : 0;
    this.choice.replaceChildren(
      ...picture.sequences.map((one, n) => {
        const option = make('option', '', one.name);
        option.value = String(n);
        return option;
      })
    );
    this.choice.hidden = picture.sequences.length < 2;
    this.svg.setAttribute('viewBox', `0 0 ${picture.width} ${picture.height}`);
    this.svg.setAttribute('aria-label', this.view?.summary ?? '');
    const focus = this.focused();
    this.still.replaceChildren(draw(picture.marks, this.listener()));
    this.resize();
    this.showFrame();
    this.refocus(focus);
  }

  private showFrame(): void {
    const sequence = this.sequence();
    const steps = sequence?.labels.length ?? 0;
    const frame = sequence?.frame(this.position) ?? NOTHING;
    this.controls.hidden = steps < 2;
    this.choice.value = String(this.chosen);
    this.slider.max = String(Math.max(0, steps - 1));
    this.slider.value = String(this.position);
    this.slider.setAttribute('aria-label', sequence?.name ?? '');
    this.slider.setAttribute('aria-valuetext', sequence?.labels[this.position] ?? '');
    this.place.textContent = sequence ? `${sequence.labels[this.position]} (${this.position + 1}/${steps})` : '';
    for (const [button, off] of [
      [this.first, this.position === 0],
      [this.back, this.position === 0],
      [this.forward, this.position >= steps - 1],
      [this.last, this.position >= steps - 1]
    ] as const) {
      button.setAttribute('aria-disabled', String(off)); // not disabled: a button that loses the focus throws the reader out
    }
    const focus = this.focused();
    this.moving.replaceChildren(draw(frame.marks, this.listener()));
    this.refocus(focus);
    if (this.says.textContent !== frame.says) {
      this.says.textContent = frame.says;
    }
    this.showTable(frame.table ?? this.picture?.table);
    this.bringIntoSight();
  }

  private showTable(table: Table | undefined): void {
    this.details.hidden = !table;
    this.table = table;
    if (table) {
      this.caption.textContent = `${this.translate('As a table')}: ${table.caption}`;
    }
    this.fillTable();
  }

  /** Rows are made when they are looked at: a view of a thousand nodes has a thousand. */
  private fillTable(): void {
    const table = this.details.open ? this.table : undefined;
    if (!table) {
      this.grid.replaceChildren();
      return;
    }
    const head = make('tr');
    head.append(
      ...table.columns.map(name => {
        const cell = make('th', '', name);
        cell.scope = 'col';
        return cell;
      })
    );
    const body = make('tbody');
    for (const row of table.rows) {
      const line = make('tr');
      row.forEach((text, n) => {
        const cell = make(n === 0 ? 'th' : 'td', '', text);
        if (n === 0) {
          (cell as HTMLTableCellElement).scope = 'row';
        }
        line.append(cell);
      });
      body.append(line);
    }
    const top = make('thead');
    top.append(head);
    this.grid.replaceChildren(top, body);
  }

  private showActions(): void {
    const actions = this.kernel ? (this.view?.actions ?? []) : [];
    if (actions.map(one => one.name).join() === [...this.actions.children].map(one => (one as HTMLElement).dataset.action).join()) {
      return; // the same buttons: one of them may have the focus, or be pressed just now
    }
    this.actions.hidden = actions.length === 0;
    this.actions.replaceChildren(
      ...actions.map(action => {
        const button = make('button', 'zh-action', action.label);
        button.type = 'button';
        button.dataset.action = action.name;
        button.addEventListener('click', () => this.kernel?.acts(action.name));
        return button;
      })
    );
  }

  private listener(): Listener {
    const kernel = this.kernel;
    return {
      points: at => {
        this.readout.textContent = at;
      },
      selects: (name, row) => {
        const index = this.picture?.sequences.findIndex(one => one.name === name) ?? -1;
        if (index >= 0) {
          this.chosen = index;
          this.go(row);
        }
      },
      toggles: group => this.toggle(group),
      keys: (target, does) => this.keysOf.set(target, does),
      ...(kernel ? { drags: (name: string, value: number) => kernel.drags(name, value) } : {})
    };
  }

  private toggle(group: number): void {
    const now = this.sequence();
    const label = now?.labels[this.position];
    const share = now ? this.position / Math.max(1, now.labels.length - 1) : 0;
    const next = this.picture?.toggle?.(group);
    if (typeof next === 'string') {
      this.readout.textContent = next;
    } else if (next) {
      this.pause();
      const labels = next.sequences[this.chosen]?.labels ?? [];
      const same = label === undefined ? -1 : labels.indexOf(label);
      this.showPicture(next, [this.chosen, same >= 0 ? same : Math.round(share * Math.max(0, labels.length - 1))]);
    }
  }

  private sequence(): Sequence | undefined {
    return this.picture?.sequences[this.chosen];
  }

  // ---- stepping --------------------------------------------------------------------------------------------------

  private go(to: number): void {
    const last = (this.sequence()?.labels.length ?? 1) - 1;
    this.position = clamp(to, 0, last);
    this.showFrame();
    if (this.position === last) {
      this.pause();
    }
  }

  private play(): void {
    const last = (this.sequence()?.labels.length ?? 1) - 1;
    if (this.timer !== undefined || last < 1) {
      return this.pause();
    }
    if (this.position >= last) {
      this.go(0);
    }
    this.playing.textContent = this.translate('Pause');
    this.timer = window.setInterval(() => (this.root.isConnected ? this.go(this.position + 1) : this.pause()), PLAY_MS);
  }

  private pause(): void {
    window.clearInterval(this.timer);
    this.timer = undefined;
    this.playing.textContent = this.translate('Play');
  }

  // ---- zoom and pan: the picture is as large as the zoom says, and its frame scrolls ----------------------------------

  private zoom(to: number): void {
    const before = this.scale;
    this.scale = clamp(to, 0.1, 8);
    const stage = this.stage;
    const middle = [stage.scrollLeft + stage.clientWidth / 2, stage.scrollTop + stage.clientHeight / 2].map(px => (px * this.scale) / before);
    this.resize();
    stage.scrollLeft = middle[0] - stage.clientWidth / 2;
    stage.scrollTop = middle[1] - stage.clientHeight / 2;
  }

  private fit(): void {
    const { width, height } = this.picture ?? { width: 1, height: 1 };
    const room = [this.stage.clientWidth / width, this.stage.clientHeight / height].filter(share => share > 0);
    this.zoom(Math.min(1, ...room));
  }

  private resize(): void {
    this.svg.setAttribute('width', String((this.picture?.width ?? 1) * this.scale));
    this.svg.setAttribute('height', String((this.picture?.height ?? 1) * this.scale));
  }

  /** Scroll the frame, and only the frame, so that what this step is about can be seen. */
  private bringIntoSight(): void {
    const focus = this.moving.querySelector('.zh-focus');
    if (!focus || !this.root.isConnected) {
      return;
    }
    const [inner, outer] = [focus.getBoundingClientRect(), this.stage.getBoundingClientRect()];
    const margin = 40;
    if (inner.left < outer.left || inner.right > outer.right) {
      this.stage.scrollLeft += inner.left - outer.left < 0 ? inner.left - outer.left - margin : inner.right - outer.right + margin;
    }
    if (inner.top < outer.top || inner.bottom > outer.bottom) {
      this.stage.scrollTop += inner.top - outer.top < 0 ? inner.top - outer.top - margin : inner.bottom - outer.bottom + margin;
    }
  }

  private readonly keys = (event: KeyboardEvent, target: Element): boolean =>
    (this.keysOf.get(target)?.(event) ?? false) || (!target.matches('input, select, summary') && this.key(event));

  /** Whether the key means something to the view. */
  private key(event: KeyboardEvent): boolean {
    const pans: Record<string, [number, number]> = { ArrowLeft: [-60, 0], ArrowRight: [60, 0], ArrowUp: [0, -60], ArrowDown: [0, 60] };
    if (event.shiftKey && Object.hasOwn(pans, event.key)) {
      this.stage.scrollBy(...pans[event.key]);
    } else if (event.key === 'ArrowRight') {
      this.go(this.position + 1);
    } else if (event.key === 'ArrowLeft') {
      this.go(this.position - 1);
    } else if (event.key === 'Home') {
      this.go(0);
    } else if (event.key === 'End') {
      this.go(Infinity);
    } else if (event.key === ' ' && event.target === this.stage) {
      this.play();
    } else if (event.key === '+' || event.key === '=') {
      this.zoom(this.scale * ZOOM);
    } else if (event.key === '-') {
      this.zoom(this.scale / ZOOM);
    } else if (event.key === '0') {
      this.fit();
    } else {
      return false;
    }
    return true;
  }

  // ---- focus: marks are drawn anew, what had the focus gets it again ------------------------------------------------------

  private focused(): string {
    const active = document.activeElement;
    if (!active || !this.svg.contains(active)) {
      return '';
    }
    const name = ['data-handle', 'data-toggles'].find(attribute => active.hasAttribute(attribute));
    return name ? `[${name}="${CSS.escape(active.getAttribute(name) ?? '')}"]` : active.classList.contains('zh-cells') ? '.zh-cells' : '';
  }

  private refocus(selector: string): void {
    if (selector && !this.svg.contains(document.activeElement)) {
      this.svg.querySelector<SVGElement>(selector)?.focus({ preventScroll: true });
    }
  }

  // ---- the page ------------------------------------------------------------------------------------------------------

  private build(): void {
    const t = this.translate;
    this.root.setAttribute('role', 'group');
    this.controls.setAttribute('role', 'toolbar');
    this.controls.setAttribute('aria-label', t('Steps'));
    this.choice.setAttribute('aria-label', t('What to step through'));
    this.slider.type = 'range';
    this.slider.min = '0';
    this.stage.tabIndex = 0;
    this.stage.setAttribute('role', 'group');
    this.stage.setAttribute('aria-label', t('Picture. Left and Right step, Space plays, plus and minus zoom'));
    this.svg.setAttribute('role', 'group');
    this.says.setAttribute('aria-live', 'polite');
    this.readout.setAttribute('aria-live', 'polite');
    this.problem.setAttribute('role', 'alert');
    // shown by the first view
    this.actions.hidden = this.bar.hidden = this.stage.hidden = this.details.hidden = true;
    this.problem.hidden = true;
    this.first = this.button('«', t('First step'), () => this.go(0));
    this.back = this.button('‹', t('Step back'), () => this.go(this.position - 1));
    this.playing = this.button(t('Play'), '', () => this.play());
    this.forward = this.button('›', t('Step forward'), () => this.go(this.position + 1));
    this.last = this.button('»', t('Last step'), () => this.go(Infinity));
    const zooms = make('span', 'zh-zoom');
    zooms.setAttribute('role', 'group');
    zooms.setAttribute('aria-label', t('Zoom'));
    zooms.append(
      this.button('−', t('Zoom out'), () => this.zoom(this.scale / ZOOM)),
      this.button('+', t('Zoom in'), () => this.zoom(this.scale * ZOOM)),
      this.button(t('Fit'), t('Fit the whole picture'), () => this.fit())
    );
    this.controls.append(this.choice, this.first, this.back, this.playing, this.forward, this.last, this.slider, this.place);
    this.svg.append(this.still, this.moving);
    this.stage.append(this.svg);
    this.details.append(this.caption, this.grid);
    this.bar.append(this.controls, this.actions, zooms);
    this.root.append(this.title, this.summary, this.problem, this.bar, this.stage, this.says, this.readout, this.details);
    this.host.replaceChildren(this.root);

    this.choice.addEventListener('change', () => {
      this.pause();
      this.chosen = Number(this.choice.value);
      this.go(this.sequence()?.start ?? 0);
    });
    this.slider.addEventListener('input', () => {
      this.pause();
      this.go(Number(this.slider.value));
    });
    this.details.addEventListener('toggle', () => this.fillTable());
    keepKeys(this.root, this.keys, this.disposed.signal);
    this.stage.addEventListener('wheel', event => {
      if (event.ctrlKey) {
        event.preventDefault();
        this.zoom(event.deltaY < 0 ? this.scale * ZOOM : this.scale / ZOOM);
      }
    }, { passive: false });
    this.stage.addEventListener('pointerdown', event => {
      if (event.button === 0 && event.pointerType === 'mouse') {
        this.pan(event);
      }
    });
  }

  private pan(from: PointerEvent): void {
    const { scrollLeft, scrollTop } = this.stage;
    const stop = new AbortController();
    const { signal } = stop;
    window.addEventListener('pointermove', event => this.stage.scrollTo(scrollLeft + from.clientX - event.clientX, scrollTop + from.clientY - event.clientY), { signal });
    window.addEventListener('pointerup', () => stop.abort(), { signal });
    window.addEventListener('pointercancel', () => stop.abort(), { signal });
  }

  private button(text: string, label: string, does: () => void): HTMLButtonElement {
    const press = (): void => {
      if (button !== this.playing && this.timer !== undefined) {
        this.pause();
      }
      does();
    };
    const button = makeButton(text, press, label);
    return button;
  }

  private readonly root = make('div', 'zh-view');
  private readonly title = make('p', 'zh-title');
  private readonly summary = make('p', 'zh-summary');
  private readonly problem = make('p', 'zh-problem');
  private readonly bar = make('div', 'zh-bar');
  private readonly controls = make('div', 'zh-controls');
  private readonly choice = make('select', 'zh-choice');
  private readonly slider = make('input', 'zh-slider');
  private readonly place = make('span', 'zh-place');
  private readonly actions = make('span', 'zh-actions');
  private readonly stage = make('div', 'zh-stage');
  private readonly svg = element('svg', { class: 'zh-svg' });
  private readonly still = element('g', { class: 'zh-still' });
  private readonly moving = element('g', { class: 'zh-moving' });
  private readonly says = make('p', 'zh-says');
  private readonly readout = make('p', 'zh-readout');
  private readonly details = make('details', 'zh-table');
  private readonly caption = make('summary');
  private readonly grid = make('table');
  private first!: HTMLButtonElement;
  private back!: HTMLButtonElement;
  private playing!: HTMLButtonElement;
  private forward!: HTMLButtonElement;
  private last!: HTMLButtonElement;

  private view?: View;
  private kernel?: Kernel;
  private picture?: Picture;
  private table?: Table;
  private chosen = 0;
  private position = 0;
  private scale = 1;
  private timer?: number;
  private readonly keysOf = new WeakMap<Element, (event: KeyboardEvent) => boolean>();
  private readonly disposed = new AbortController();
}
