/**
 * The contract of views (docs/views.md, schema 1), and the reading of it.
 *
 * A view lies in a notebook, so it may be anybody's: parseView takes only what the contract allows and says what is wrong in
 * one sentence. Nothing of it is ever taken for HTML, an address or a script.
 */

import { isObject, own, type Json } from '../json';

export type { Json };

export const SCHEMA = 1;
export const VIEW_MIME = 'application/vnd.zerohero.view+json';

export const LOOKS = ['ink', 'faint', 'series0', 'series1', 'series2', 'series3', 'series4', 'focus', 'flow'] as const;
export type Look = (typeof LOOKS)[number];

export type Mark =
  | { mark: 'line' | 'arrow'; points: number[]; look: Look; width: number }
  | { mark: 'area'; points: number[]; look: Look }
  | { mark: 'dots'; points: number[]; look: Look; r: number; labels?: string[] }
  | { mark: 'rects'; boxes: number[]; look: Look; labels?: string[]; toggles?: number[] }
  | { mark: 'text'; x: number; y: number; text: string; anchor: 'start' | 'middle' | 'end'; look: Look; size: number; bold?: boolean; turned?: boolean }
  | Cells
  | Handle;

export interface Cells {
  mark: 'cells';
  x: number;
  y: number;
  width: number;
  height: number;
  columns: number;
  scale: 'sequential' | 'diverging';
  levels: (number | null)[];
  values: string[];
  shown?: boolean;
  rows: string[];
  heads: string[];
  selects?: string;
}

export interface Handle {
  mark: 'handle';
  name: string;
  x: number;
  y: number;
  along: 'x' | 'y';
  value: number;
  from: number;
  to: number;
  span: [number, number];
  log?: boolean;
}

export interface Table {
  caption: string;
  columns: string[];
  rows: string[][];
}

export interface Frame {
  says: string;
  marks: Mark[];
  table?: Table;
}

/** Frames are asked for one at a time, so that those of a large graph need not all be made. */
export interface Sequence {
  name: string;
  labels: string[];
  start: number;
  frame(index: number): Frame;
}

/** What the player shows: a view as it stands in the notebook, or a graph with some of its groups closed. */
export interface Picture {
  width: number;
  height: number;
  marks: Mark[];
  sequences: Sequence[];
  table?: Table;
  /** The picture with group `name` opened or closed, or the reason why not. */
  toggle?(name: number): Picture | string;
}

export interface View {
  kind: string;
  title: string;
  summary: string;
  actions: { name: string; label: string }[];
  picture: Picture;
}

/** A view that cannot be shown; the message is for the reader of the notebook. */
export class BadView extends Error {}

const MOST_MARKS = 20_000;
const MOST_TEXT = 2_000;
/** Of any list: a page that draws more is frozen. */
const MOST_ENTRIES = 200_000;

export function fail(where: string, wanted: string): never {
  throw new BadView(`This view cannot be shown: ${where} is not ${wanted}.`);
}

export function readText(from: Json, name: string, where: string): string {
  const value = own(from, name);
  return typeof value === 'string' ? value.slice(0, MOST_TEXT) : fail(`${where}.${name}`, 'a text');
}

export function readNumber(from: Json, name: string, where: string): number {
  const value = own(from, name);
  return typeof value === 'number' && Number.isFinite(value) ? value : fail(`${where}.${name}`, 'a finite number');
}

export function readList(from: Json, name: string, where: string): unknown[] {
  const value = own(from, name);
  return Array.isArray(value) && value.length <= MOST_ENTRIES ? value : fail(`${where}.${name}`, `a list of at most ${MOST_ENTRIES} entries`);
}

export function readNumbers(from: Json, name: string, where: string): number[] {
  return readList(from, name, where).map(n => (typeof n === 'number' && Number.isFinite(n) ? n : fail(`${where}.${name}`, 'a list of finite numbers')));
}

export function readTexts(from: Json, name: string, where: string): string[] {
  return readList(from, name, where).map(s => (typeof s === 'string' ? s.slice(0, MOST_TEXT) : fail(`${where}.${name}`, 'a list of texts')));
}

function readObject(json: unknown, where: string): Json {
  return isObject(json) ? json : fail(where, 'an object');
}

function oneOf<T extends string>(from: Json, name: string, where: string, known: readonly T[]): T {
  const value = own(from, name);
  return known.find(one => one === value) ?? fail(`${where}.${name}`, `one of ${known.join(', ')}`);
}

/** The view that `json` describes; `readGraph` reads the views of kind graph. Throws BadView. */
export function parseView(json: unknown, readGraph: (json: Json) => Picture): View {
  const view = readObject(json, 'it');
  const schema = own(view, 'schema');
  if (typeof schema === 'number' && schema > SCHEMA) {
    throw new BadView(`This view was made by a newer zerohero (schema ${schema}; this one knows ${SCHEMA}): update zerohero, then reload the page.`);
  }
  if (schema !== SCHEMA) {
    fail('its schema', `the number ${SCHEMA}`);
  }
  const actions = own(view, 'actions') === undefined ? [] : readList(view, 'actions', 'it');
  return {
    kind: readText(view, 'kind', 'it'),
    title: readText(view, 'title', 'it'),
    summary: readText(view, 'summary', 'it'),
    actions: actions.map((one, n) => {
      const action = readObject(one, `actions[${n}]`);
      return { name: readText(action, 'name', `actions[${n}]`), label: readText(action, 'label', `actions[${n}]`) };
    }),
    picture: own(view, 'graph') === undefined ? readPicture(view) : readGraph(view)
  };
}

function readPicture(json: Json): Picture {
  const [width, height] = [readNumber(json, 'width', 'it'), readNumber(json, 'height', 'it')];
  if (!(width > 0 && height > 0 && width <= 20_000 && height <= 20_000)) {
    fail('its size', 'between 1 and 20000 px');
  }
  const sequences = readList(json, 'sequences', 'it').map((one, n) => readSequence(one, `sequences[${n}]`));
  return { width, height, marks: readMarks(json, 'it'), sequences: sequences.filter(one => one.labels.length > 0), table: readTable(json, 'it') };
}

function readSequence(json: unknown, where: string): Sequence {
  const sequence = readObject(json, where);
  const labels = readTexts(sequence, 'labels', where);
  const frames = readList(sequence, 'frames', where).map((one, n): Frame => {
    const frame = readObject(one, `${where}.frames[${n}]`);
    const at = `${where}.frames[${n}]`;
    return { says: readText(frame, 'says', at), marks: readMarks(frame, at), table: readTable(frame, at) };
  });
  const start = readNumber(sequence, 'start', where);
  if (labels.length !== frames.length) {
    fail(`${where}.labels`, 'one for each frame');
  }
  if (frames.length > 0 && !(Number.isInteger(start) && start >= 0 && start < frames.length)) {
    fail(`${where}.start`, 'the number of a frame');
  }
  return { name: readText(sequence, 'name', where), labels, start, frame: index => frames[index] };
}

export function readTable(json: Json, where: string): Table | undefined {
  if (own(json, 'table') === undefined) {
    return undefined;
  }
  const at = `${where}.table`;
  const table = readObject(own(json, 'table'), at);
  const columns = readTexts(table, 'columns', at);
  const rows = readList(table, 'rows', at).map((row, n) => {
    const cells = readTexts({ row }, 'row', `${at}.rows[${n}]`);
    return cells.length === columns.length ? cells : fail(`${at}.rows[${n}]`, `a list of ${columns.length} texts`);
  });
  return { caption: readText(table, 'caption', at), columns, rows };
}

function readMarks(json: Json, where: string): Mark[] {
  const marks = readList(json, 'marks', where);
  if (marks.length > MOST_MARKS) {
    fail(`${where}.marks`, `at most ${MOST_MARKS} marks`);
  }
  return marks.map((one, n) => readMark(readObject(one, `${where}.marks[${n}]`), `${where}.marks[${n}]`));
}

const MARKS = ['line', 'area', 'arrow', 'dots', 'rects', 'text', 'cells', 'handle'] as const;

function readMark(json: Json, where: string): Mark {
  const mark = oneOf(json, 'mark', where, MARKS);
  switch (mark) {
    case 'line':
    case 'arrow':
      return { mark, points: readPoints(json, where, 4), look: readLook(json, where), width: readNumber(json, 'width', where) };
    case 'area':
      return { mark, points: readPoints(json, where, 6), look: readLook(json, where) };
    case 'dots': {
      const points = readPoints(json, where, 0);
      return { mark, points, look: readLook(json, where), r: readNumber(json, 'r', where), labels: readLabels(json, where, points.length / 2) };
    }
    case 'rects': {
      const boxes = readNumbers(json, 'boxes', where);
      if (boxes.length % 4 !== 0 || boxes.some((n, i) => i % 4 > 1 && n < 0)) {
        fail(`${where}.boxes`, 'x, y, width and height of each box');
      }
      return { mark, boxes, look: readLook(json, where), labels: readLabels(json, where, boxes.length / 4) };
    }
    case 'text':
      return {
        mark,
        x: readNumber(json, 'x', where),
        y: readNumber(json, 'y', where),
        text: readText(json, 'text', where),
        anchor: oneOf(json, 'anchor', where, ['start', 'middle', 'end']),
        look: readLook(json, where),
        size: readNumber(json, 'size', where),
        bold: own(json, 'bold') === true,
        turned: own(json, 'turned') === true
      };
    case 'cells':
      return readCells(json, where);
    case 'handle':
      return readHandle(json, where);
  }
}

function readLook(json: Json, where: string): Look {
  return oneOf(json, 'look', where, LOOKS);
}

function readPoints(json: Json, where: string, least: number): number[] {
  const points = readNumbers(json, 'points', where);
  return points.length % 2 === 0 && points.length >= least ? points : fail(`${where}.points`, `x and y of at least ${least / 2} points`);
}

function readLabels(json: Json, where: string, count: number): string[] | undefined {
  if (own(json, 'labels') === undefined) {
    return undefined;
  }
  const labels = readTexts(json, 'labels', where);
  return labels.length === count ? labels : fail(`${where}.labels`, `a list of ${count} texts`);
}

function readCells(json: Json, where: string): Cells {
  const scale = oneOf(json, 'scale', where, ['sequential', 'diverging']);
  const low = scale === 'diverging' ? -8 : 0;
  const levels = readList(json, 'levels', where).map(n =>
    n === null || (typeof n === 'number' && n >= low && n <= 8) ? n : fail(`${where}.levels`, `a list of numbers from ${low} to 8, or null`)
  );
  const columns = readNumber(json, 'columns', where);
  const [rows, heads, values] = [readTexts(json, 'rows', where), readTexts(json, 'heads', where), readTexts(json, 'values', where)];
  if (heads.length !== columns || levels.length !== columns * rows.length || values.length !== levels.length) {
    fail(`${where}.levels`, 'one number for each row and column');
  }
  const [width, height] = [readNumber(json, 'width', where), readNumber(json, 'height', where)];
  if (!(width > 0 && height > 0)) {
    fail(`${where}.width`, 'the size of a cell');
  }
  const [x, y] = [readNumber(json, 'x', where), readNumber(json, 'y', where)];
  const selects = own(json, 'selects') === undefined ? undefined : readText(json, 'selects', where);
  return { mark: 'cells', x, y, width, height, columns, scale, levels, values, rows, heads, selects, shown: own(json, 'shown') === true };
}

function readHandle(json: Json, where: string): Handle {
  const span = readNumbers(json, 'span', where);
  const [from, to, value] = [readNumber(json, 'from', where), readNumber(json, 'to', where), readNumber(json, 'value', where)];
  const log = own(json, 'log') === true;
  if (span.length !== 2 || span[0] === span[1] || from === to || (log && !(from > 0 && to > 0 && value > 0))) {
    fail(`${where}.span`, 'a range that can be dragged along');
  }
  const [x, y] = [readNumber(json, 'x', where), readNumber(json, 'y', where)];
  const along = oneOf(json, 'along', where, ['x', 'y']);
  return { mark: 'handle', name: readText(json, 'name', where), x, y, along, value, from, to, span: [span[0], span[1]], log };
}
