/** Where an array is wrong: in one sentence (as src/zerohero/show/error_map.py says it), as a field of cells, and as a table. */

import type { Cells } from '../view/view';
import { leading, splitAxis, type ErrorMap } from './parse';

const STRENGTH = [8, 6, 4, 3, 2, 1]; // of 8; the large errors are what has to be told apart
const LISTED = 4; // indices of one axis that are said one by one: dw[[1, 4], :]
const LARGEST = 1e99; // stands for what has no measure: an error where every expected value is 0

/** Where it is wrong, in the notation of NumPy: "only `dw[2, :]` is wrong". Of square arrays also the diagonal. */
export function sentence(map: ErrorMap): string {
  const name = map.of;
  const whole = map.block[0] === 1 && map.block[1] === 1;
  const wrong = map.cells.map(row => row.map(cell => cell !== 0));
  const flat = wrong.flat();
  if (flat.every(Boolean)) {
    return whole ? `all of \`${name}\` is wrong` : `\`${name}\` is wrong in every part`;
  }
  if (map.shape.length === 2 && map.shape[0] === map.shape[1] && whole) {
    const diagonal = wrong.flatMap((row, r) => row.map((cell, c) => cell === (r === c)));
    if (diagonal.every(Boolean)) {
      return `only the diagonal of \`${name}\` is wrong`;
    }
    if (!diagonal.some(Boolean)) {
      return `only the diagonal of \`${name}\` is right`;
    }
  }
  const exact = box(map, flat, false);
  if (exact.filled) {
    const place = `\`${name}[${exact.index.join(', ')}]\``;
    return whole ? `only ${place} is wrong` : `\`${name}\` is wrong only within ${place}`;
  }
  const { index } = box(map, flat, true);
  const share = `${flat.filter(Boolean).length} of ${flat.length} ${whole ? 'elements' : 'parts'}`;
  return `\`${name}\` is wrong in ${share}${index.every(one => one === ':') ? '' : `, all within \`${name}[${index.join(', ')}]\``}`;
}

/** NumPy's index of a box that holds all that is wrong, axis by axis; and whether all in it is wrong. */
function box(map: ErrorMap, wrong: boolean[], spansOnly: boolean): { index: string[]; filled: boolean } {
  const { axis, step } = splitAxis(map);
  const hasLead = map.shape.length > 1;
  const lead = hasLead ? leading(map) : [];
  const lengths = [...lead.slice(0, axis + 1), map.shape.at(-1) ?? 1]; // the axes that run along the map; those between are whole
  const steps = lengths.map((_, at) => (at === lengths.length - 1 ? map.block[1] : at === lengths.length - 2 ? step : 1));
  const dims = lengths.map((length, at) => Math.ceil(length / steps[at]));
  const places = wrong.map((_, n) => coordinates(n, dims));
  const used = dims.map((_, at) => [...new Set(places.filter((__, n) => wrong[n]).map(place => place[at]))].sort((a, b) => a - b));
  const index: string[] = [];
  const chosen: Set<number>[] = [];
  dims.forEach((dim, at) => {
    let said = span(used[at], steps[at], lengths[at]);
    if (!spansOnly && used[at].some((one, n) => n > 0 && one - used[at][n - 1] > 1)) {
      said = steps[at] === 1 ? spread(used[at], lengths[at], !index.some(one => one.startsWith('['))) : ':';
    }
    index.push(said);
    chosen.push(new Set(said === ':' ? Array.from({ length: dim }, (_, n) => n) : used[at]));
  });
  const filled = places.every((place, n) => wrong[n] || !place.every((one, at) => chosen[at].has(one)));
  const between = hasLead ? lead.slice(axis + 1).map(() => ':') : [];
  return { index: [...index.slice(0, -1), ...between, ...index.slice(-1)], filled };
}

function coordinates(n: number, dims: number[]): number[] {
  const place = dims.map(() => 0);
  for (let at = dims.length - 1; at >= 0; at--) {
    place[at] = n % dims[at];
    n = Math.floor(n / dims[at]);
  }
  return place;
}

/** The first to the last of the cells `used`, `per` elements each, of an axis of `length`. */
function span(used: number[], per: number, length: number): string {
  const [start, stop] = [used[0] * per, Math.min((used[used.length - 1] + 1) * per, length)];
  return stop - start === 1 && length > 1 ? String(start) : `${start || ''}:${stop < length ? stop : ''}`;
}

/** Indices with gaps between: every n-th, or a list when they are few; ":" when neither. */
function spread(used: number[], length: number, canList: boolean): string {
  const strides = new Set(used.slice(1).map((one, n) => one - used[n]));
  if (strides.size === 1 && used.length > 2) {
    const [stride] = strides;
    const last = used[used.length - 1];
    return `${used[0] || ''}:${last + stride < length ? last + 1 : ''}:${stride}`;
  }
  return canList && used.length <= LISTED ? `[${used.join(', ')}]` : ':';
}

/** How strongly an error is coloured: 8 from 1 up, 6 from a tenth, then 4, 3, 2, 1 for each power of ten below; 0 is right, null not finite. */
export function level(error: number | null): number | null {
  if (error === null || error === 0) {
    return error;
  }
  // the exponent as it is written: log10(0.001) is not -3
  const below = error >= 1 ? 0 : -Number(error.toExponential().split('e')[1]);
  return STRENGTH[below] ?? STRENGTH[STRENGTH.length - 1];
}

/** How far off, in words. */
export function amount(error: number | null): string {
  if (error === null) {
    return 'NaN or infinite';
  }
  if (error === 0) {
    return 'right';
  }
  return error >= LARGEST ? 'off, where 0 is due throughout' : error >= 10 ? `off by ${Number(error.toPrecision(2))} times` : `off by ${Number((error * 100).toPrecision(2))}%`;
}

/** The index of each row of cells: "[2]", or "[1, 0, 4:8]"; the name of an array of one axis. */
export function rowNames(map: ErrorMap): string[] {
  if (map.shape.length < 2) {
    return map.cells.map(() => map.of);
  }
  const { axis, step } = splitAxis(map);
  const lead = leading(map);
  const dims = [...lead.slice(0, axis), Math.ceil(lead[axis] / step)];
  return map.cells.map((_, n) => {
    const place = coordinates(n, dims);
    const start = place[axis] * step;
    return `[${[...place.slice(0, axis), range(start, Math.min(start + step, lead[axis]))].join(', ')}]`;
  });
}

function columnNames(map: ErrorMap): string[] {
  const length = map.shape.at(-1) ?? 1;
  const [one, several] = map.shape.length > 1 ? ['column', 'columns'] : ['element', 'elements'];
  return map.cells[0].map((_, n) => {
    const start = n * map.block[1];
    const stop = Math.min(start + map.block[1], length);
    return `${stop - start > 1 ? several : one} ${range(start, stop)}`;
  });
}

function range(start: number, stop: number): string {
  return stop - start > 1 ? `${start}:${stop}` : String(start);
}

/** The map as a picture: wrong cells are struck through and the stronger the further off, right ones empty, those that are not finite crossed. */
export function picture(map: ErrorMap): { mark: Cells; width: number; height: number } {
  const columns = map.cells[0].length;
  const most = Math.max(columns, map.cells.length);
  const size = most <= 16 ? 22 : most <= 40 ? 14 : 9;
  const errors = map.cells.flat();
  const mark: Cells = {
    mark: 'cells',
    x: 2,
    y: 2,
    width: size,
    height: size,
    columns,
    scale: 'diverging',
    levels: errors.map(error => (error === null ? null : -(level(error) ?? 0))),
    values: errors.map(amount),
    rows: rowNames(map),
    heads: columnNames(map)
  };
  return { mark, width: columns * size + 4, height: map.cells.length * size + 4 };
}

/** What is wrong, the worst first: where, and how far off. */
export function wrongCells(map: ErrorMap, most: number): { rows: [string, string][]; more: number } {
  const [rows, columns] = [rowNames(map), columnNames(map)];
  const wrong = map.cells.flatMap((row, r) => row.map((error, c) => ({ error, where: `${rows[r]}, ${columns[c]}` }))).filter(one => one.error !== 0);
  wrong.sort((a, b) => (b.error ?? Infinity) - (a.error ?? Infinity));
  return { rows: wrong.slice(0, most).map(one => [one.where, amount(one.error)]), more: Math.max(0, wrong.length - most) };
}

/** What the picture's marks mean. */
export function key(map: ErrorMap): string {
  const errors = map.cells.flat();
  const parts = [
    ...(errors.includes(0) ? ['empty is right'] : []),
    ...(errors.some(error => error !== 0 && error !== null) ? ['struck through is wrong, the stronger the further off, in powers of ten; % is of the largest expected value'] : []),
    ...(errors.includes(null) ? ['crossed out is NaN or infinite'] : [])
  ];
  const [down, across] = map.block;
  return [...parts, ...(down * across > 1 ? [`each cell is the worst of ${down} x ${across} elements`] : [])].join('; ');
}
