/** Marks to SVG elements. Everything is made by createElementNS and textContent: a label is never read as markup. */

import type { Cells, Handle, Look, Mark } from './view';

const SVG = 'http://www.w3.org/2000/svg';
const LEVELS = 8;

/** What the player wants to know of what happens in a picture. */
export interface Listener {
  /** What is pointed at, or reached by keys; '' when nothing any longer. */
  points(at: string): void;
  /** A cell of a row was chosen, in cells that select. */
  selects(sequence: string, row: number): void;
  toggles(group: number): void;
  /** What keys do while `target` has the focus; `does` says whether it used the key. */
  keys(target: Element, does: (event: KeyboardEvent) => boolean): void;
  /** A handle was moved; missing while no kernel answers, and handles stand still. */
  drags?(name: string, value: number): void;
}

type Attributes = Record<string, string | number>;

export function element(name: string, attributes: Attributes = {}, text?: string): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, String(value));
  }
  if (text !== undefined) {
    made.textContent = text;
  }
  return made;
}

/** One <g> with all marks. */
export function draw(marks: Mark[], listener: Listener): SVGElement {
  const group = element('g');
  group.append(...marks.map(mark => drawMark(mark, listener)));
  return group;
}

function drawMark(mark: Mark, listener: Listener): SVGElement {
  switch (mark.mark) {
    case 'line':
      return element('path', { d: path(mark.points), class: `zh-line zh-${mark.look}`, 'stroke-width': mark.width });
    case 'area':
      return element('path', { d: `${path(mark.points)}z`, class: `zh-area zh-${mark.look}` });
    case 'arrow':
      return element('path', { d: path(mark.points) + head(mark.points), class: `zh-line zh-arrow zh-${mark.look}`, 'stroke-width': mark.width });
    case 'dots':
      return drawDots(mark, listener);
    case 'rects':
      return drawRects(mark, listener);
    case 'text':
      return drawText(mark);
    case 'cells':
      return drawCells(mark, listener);
    case 'handle':
      return drawHandle(mark, listener);
  }
}

function path(points: number[]): string {
  let d = `M${points[0]} ${points[1]}`;
  for (let i = 2; i < points.length; i += 2) {
    d += `L${points[i]} ${points[i + 1]}`;
  }
  return d;
}

function head(points: number[]): string {
  const [x0, y0, x1, y1] = points.slice(-4);
  const length = Math.hypot(x1 - x0, y1 - y0) || 1;
  const [ux, uy] = [((x1 - x0) / length) * 8, ((y1 - y0) / length) * 8];
  return `M${x1 - ux - uy / 2} ${y1 - uy + ux / 2}L${x1} ${y1}L${x1 - ux + uy / 2} ${y1 - uy - ux / 2}`;
}

function drawText(mark: Mark & { mark: 'text' }): SVGElement {
  const made = element('text', { x: mark.x, y: mark.y, class: `zh-text zh-${mark.look}`, 'text-anchor': mark.anchor, 'font-size': mark.size }, mark.text);
  if (mark.bold) {
    made.setAttribute('font-weight', 'bold');
  }
  if (mark.turned) {
    made.setAttribute('transform', `rotate(-90 ${mark.x} ${mark.y})`);
  }
  return made;
}

function tell(target: SVGElement, label: string, listener: Listener): void {
  target.append(element('title', {}, label));
  target.addEventListener('pointerenter', () => listener.points(label));
  target.addEventListener('pointerleave', () => listener.points(''));
}

/** The shapes of viz/palette.py: series differ by more than colour. */
const SHAPES: Partial<Record<Look, (x: number, y: number, r: number) => string>> = {
  series1: (x, y, r) => `M${x - r} ${y - r}H${x + r}V${y + r}H${x - r}z`,
  series2: (x, y, r) => `M${x} ${y - r}L${x + r} ${y + r}H${x - r}z`,
  series3: (x, y, r) => `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}z`,
  series4: (x, y, r) => `M${x - r} ${y - r}L${x + r} ${y + r}M${x + r} ${y - r}L${x - r} ${y + r}`
};

function drawDots(mark: Mark & { mark: 'dots' }, listener: Listener): SVGElement {
  const group = element('g', { class: `zh-dots zh-${mark.look}${mark.labels ? '' : ' zh-mute'}` });
  const shape = SHAPES[mark.look];
  for (let n = 0; n < mark.points.length / 2; n++) {
    const [x, y] = [mark.points[2 * n], mark.points[2 * n + 1]];
    const dot = shape ? element('path', { d: shape(x, y, mark.r) }) : element('circle', { cx: x, cy: y, r: mark.r });
    if (mark.labels) {
      tell(dot, mark.labels[n], listener);
    }
    group.append(dot);
  }
  return group;
}

function drawRects(mark: Mark & { mark: 'rects' }, listener: Listener): SVGElement {
  const group = element('g', { class: `zh-rects zh-${mark.look}${mark.labels ?? mark.toggles ? '' : ' zh-mute'}` });
  for (let n = 0; n < mark.boxes.length / 4; n++) {
    const [x, y, width, height] = mark.boxes.slice(4 * n, 4 * n + 4);
    const box = element('rect', { x, y, width, height });
    const label = mark.labels?.[n] ?? '';
    if (label) {
      tell(box, label, listener);
    }
    const toggled = mark.toggles?.[n] ?? -1;
    if (toggled >= 0) {
      makeToggle(box, label || `group ${toggled}`, toggled, listener);
    } else if (!label) {
      box.setAttribute('pointer-events', 'none'); // to what lies below
    }
    group.append(box);
  }
  return group;
}

function makeToggle(box: SVGElement, label: string, toggled: number, listener: Listener): void {
  box.classList.add('zh-toggle');
  for (const [key, value] of Object.entries({ tabindex: 0, role: 'button', 'aria-label': label, 'data-toggles': toggled })) {
    box.setAttribute(key, String(value));
  }
  box.addEventListener('click', () => listener.toggles(toggled));
  box.addEventListener('focus', () => listener.points(label));
  box.addEventListener('blur', () => listener.points(''));
  listener.keys(box, ({ key }) => {
    if (key === 'Enter' || key === ' ') {
      listener.toggles(toggled);
    }
    return key === 'Enter' || key === ' ';
  });
}

/**
 * A matrix with one place in the tab order: arrow keys walk over the cells, Enter chooses.
 * One path for each level instead of one element for each cell: 64 x 64 cells are a dozen elements.
 */
function drawCells(mark: Cells, listener: Listener): SVGElement {
  const { x, y, width, height, columns } = mark;
  const rows = mark.rows.length;
  if (mark.levels.length === 0) {
    return element('g', { class: 'zh-cells' });
  }
  const label = `${rows} rows, ${columns} columns; arrow keys read the cells${mark.selects === undefined ? '' : ', Enter chooses a row'}`;
  const group = element('g', { class: 'zh-cells', tabindex: 0, role: 'application', 'aria-roledescription': 'matrix', 'aria-label': label });
  const filled = new Map<number | null, string>();
  let crossed = '';
  mark.levels.forEach((level, n) => {
    const [left, top] = [x + (n % columns) * width, y + Math.floor(n / columns) * height];
    const [right, bottom] = [left + width - 2, top + height - 2];
    filled.set(level, `${filled.get(level) ?? ''}M${left} ${top}h${width}v${height}h${-width}z`);
    if (level === null) {
      crossed += `M${left + 2} ${top + 2}L${right} ${bottom}M${right} ${top + 2}L${left + 2} ${bottom}`;
    } else if (level < 0 && !mark.shown) {
      crossed += `M${left + 2} ${bottom}L${right} ${top + 2}`;
    }
  });
  for (const [level, d] of filled) {
    group.append(element('path', { d, class: `zh-cell ${(level ?? 0) < 0 ? 'zh-negative' : 'zh-positive'}`, 'fill-opacity': Math.abs(level ?? 0) / LEVELS }));
  }
  if (crossed) {
    group.append(element('path', { d: crossed, class: 'zh-crossed' }));
  }
  mark.levels.forEach((level, n) => {
    if (mark.shown && level !== null) {
      const size = Math.min(12, (width / Math.max(3, mark.values[n].length)) * 1.6, height * 0.7);
      const at = { x: x + (n % columns) * width + width / 2, y: y + Math.floor(n / columns) * height + height / 2 + size * 0.35 };
      const ink = Math.abs(level) === LEVELS ? 'zh-on-color' : 'zh-ink';
      group.append(element('text', { ...at, class: `zh-text ${ink}`, 'text-anchor': 'middle', 'font-size': size }, mark.values[n]));
    }
  });
  const cursor = element('rect', { width, height, class: 'zh-cursor', visibility: 'hidden' });
  // one transparent cover takes the pointer, so that no cell needs a listener
  const cover = element('rect', { x, y, width: width * columns, height: height * rows, class: 'zh-cover' });
  group.append(cursor, cover);

  let [row, column] = [0, 0];
  const read = (): void => {
    cursor.setAttribute('x', String(x + column * width));
    cursor.setAttribute('y', String(y + row * height));
    cursor.setAttribute('visibility', 'visible');
    listener.points(`${mark.rows[row]}, ${mark.heads[column]}: ${mark.values[row * columns + column]}`);
  };
  const leave = (): void => {
    cursor.setAttribute('visibility', 'hidden');
    listener.points('');
  };
  const choose = (): void => {
    if (mark.selects !== undefined) {
      listener.selects(mark.selects, row);
    }
  };
  const find = (event: MouseEvent): void => {
    const box = cover.getBoundingClientRect();
    column = clamp(Math.floor(((event.clientX - box.left) / box.width) * columns), 0, columns - 1);
    row = clamp(Math.floor(((event.clientY - box.top) / box.height) * rows), 0, rows - 1);
  };
  cover.addEventListener('pointermove', event => {
    find(event);
    read();
  });
  cover.addEventListener('pointerleave', leave);
  cover.addEventListener('click', event => {
    find(event);
    choose();
  });
  group.addEventListener('blur', leave);
  listener.keys(group, ({ key, shiftKey }) => {
    const moves: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (Object.hasOwn(moves, key) && !shiftKey) {
      row = clamp(row + moves[key][0], 0, rows - 1);
      column = clamp(column + moves[key][1], 0, columns - 1);
      read();
    } else if (key === 'Enter') {
      choose();
    } else {
      return false;
    }
    return true;
  });
  return group;
}

/** A number as ARIA takes it: without an exponent. */
function decimal(value: number): string {
  return value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 });
}

/** A circle that slides along one axis: by pointer, or by arrow keys in a hundredth of the range (a tenth with Shift). */
function drawHandle(mark: Handle, listener: Listener): SVGElement {
  const circle = element('circle', { cx: mark.x, cy: mark.y, r: 7, class: 'zh-handle' });
  const drags = listener.drags;
  if (!drags) {
    return circle;
  }
  const [low, high] = mark.log ? [Math.log(mark.from), Math.log(mark.to)] : [mark.from, mark.to];
  const valueAt = (share: number): number => {
    const value = low + share * (high - low);
    return Number((mark.log ? Math.exp(value) : value).toPrecision(6));
  };
  let share = clamp(((mark.log ? Math.log(mark.value) : mark.value) - low) / (high - low), 0, 1);
  const move = (to: number): void => {
    share = clamp(to, 0, 1);
    circle.setAttribute('aria-valuenow', decimal(valueAt(share)));
    circle.setAttribute(mark.along === 'x' ? 'cx' : 'cy', String(mark.span[0] + share * (mark.span[1] - mark.span[0])));
    drags(mark.name, valueAt(share));
  };
  circle.classList.add('zh-live');
  const aria = { 'aria-label': mark.name, 'aria-valuemin': decimal(mark.from), 'aria-valuemax': decimal(mark.to), 'aria-valuenow': decimal(mark.value) };
  for (const [key, value] of Object.entries({ tabindex: 0, role: 'slider', 'data-handle': mark.name, ...aria })) {
    circle.setAttribute(key, String(value));
  }
  circle.addEventListener('pointerdown', event => {
    event.preventDefault();
    event.stopPropagation(); // the stage pans with the pointer
    circle.focus();
    const toDrawing = (circle as SVGCircleElement).ownerSVGElement?.getScreenCTM()?.inverse();
    if (!toDrawing) {
      return;
    }
    const stop = new AbortController();
    // on the window: each answer of the kernel draws the handle anew, and the drag outlives it
    window.addEventListener(
      'pointermove',
      moved => {
        const at = new DOMPoint(moved.clientX, moved.clientY).matrixTransform(toDrawing);
        move(((mark.along === 'x' ? at.x : at.y) - mark.span[0]) / (mark.span[1] - mark.span[0]));
      },
      { signal: stop.signal }
    );
    for (const end of ['pointerup', 'pointercancel']) {
      window.addEventListener(end, () => stop.abort(), { signal: stop.signal });
    }
  });
  listener.keys(circle, ({ key, shiftKey }) => {
    const by = shiftKey ? 0.1 : 0.01;
    const steps: Record<string, number> = { ArrowRight: by, ArrowUp: by, ArrowLeft: -by, ArrowDown: -by, Home: -1, End: 1 };
    if (Object.hasOwn(steps, key)) {
      move(share + steps[key]);
    }
    return Object.hasOwn(steps, key);
  });
  return circle;
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
