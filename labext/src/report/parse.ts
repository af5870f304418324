/**
 * The contract of reports (src/zerohero/schema/report-1.json), and the reading of it.
 *
 * A report lies in a notebook, so it may be anybody's: parseReport takes only what the schema allows and says what is wrong in
 * one sentence. Nothing of it is ever taken for HTML, an address or code.
 */

import { isObject, own, type Json } from '../json';

export { REPORT_MIME } from '../course/status';

export const SCHEMA = 1;
const STATUSES = ['passed', 'failed', 'not started'] as const;
const MOST_ENTRIES = 1_000;
const MOST_TEXT = 4_000;
const MOST_CELLS = 64;

export interface Report {
  /** The exercise id, or "gradcheck". */
  exercise: string;
  title: string;
  status: (typeof STATUSES)[number];
  groups: { name: string; passed: boolean }[];
  findings: Finding[];
}

export interface Finding {
  what: string;
  group: string;
  where: string;
  expected: string;
  actual: string;
  /** A kind of the taxonomy, '' when no cause is proven. */
  mistake: string;
  because: string;
  next: string;
  /** Further kinds that explain what was seen just as well. */
  alternatives: string[];
  map?: ErrorMap;
}

/** Relative errors: 0 is right, null is NaN or infinite. The last axis of the array runs across, all others down. */
export interface ErrorMap {
  of: string;
  shape: number[];
  /** Rows and columns that one cell stands for. */
  block: [number, number];
  cells: (number | null)[][];
}

/** A report that cannot be shown; the message is for the reader of the notebook. */
export class BadReport extends Error {}

/** The report that `json` describes. Throws BadReport. */
export function parseReport(json: unknown): Report {
  const schema = isObject(json) ? own(json, 'schema') : undefined;
  if (typeof schema === 'number' && schema > SCHEMA) {
    throw new BadReport(`This report was made by a newer zerohero (schema ${schema}; this one knows ${SCHEMA}): update zerohero, then reload the page.`);
  }
  if (isObject(json) && schema !== SCHEMA) {
    fail('its schema', `the number ${SCHEMA}`);
  }
  const report = readObject(json, 'it', ['schema', 'exercise', 'title', 'status', 'groups', 'findings']);
  const exercise = readText(report, 'exercise', 'it');
  if (!/^[a-z0-9-]+$/.test(exercise)) {
    fail('its exercise', 'an id such as m01-best-h');
  }
  return {
    exercise,
    title: readText(report, 'title', 'it'),
    status: STATUSES.find(one => one === own(report, 'status')) ?? fail('its status', `one of ${STATUSES.join(', ')}`),
    groups: readList(report, 'groups', 'it').map((one, n) => {
      const at = `groups[${n}]`;
      const group = readObject(one, at, ['name', 'passed']);
      const passed = own(group, 'passed');
      return { name: readText(group, 'name', at), passed: typeof passed === 'boolean' ? passed : fail(`${at}.passed`, 'true or false') };
    }),
    findings: readList(report, 'findings', 'it').map((one, n) => readFinding(one, `findings[${n}]`))
  };
}

const FIELDS = ['what', 'group', 'where', 'expected', 'actual', 'mistake', 'because', 'next'] as const;

function readFinding(json: unknown, at: string): Finding {
  const finding = readObject(json, at, [...FIELDS, 'alternatives', 'error_map']);
  const texts = Object.fromEntries(FIELDS.map(name => [name, readText(finding, name, at)])) as Record<(typeof FIELDS)[number], string>;
  // reports of graded notebooks are kept, and older ones have neither
  const alternatives = own(finding, 'alternatives') === undefined ? [] : readList(finding, 'alternatives', at);
  const map = own(finding, 'error_map');
  return {
    ...texts,
    what: texts.what || fail(`${at}.what`, 'a text'),
    alternatives: alternatives.map(kind => (typeof kind === 'string' && kind !== '' ? kind.slice(0, MOST_TEXT) : fail(`${at}.alternatives`, 'a list of texts'))),
    ...(map === undefined || map === null ? {} : { map: readMap(map, `${at}.error_map`) })
  };
}

function readMap(json: unknown, at: string): ErrorMap {
  const map = readObject(json, at, ['of', 'shape', 'block', 'cells']);
  const shape = readLengths(map, 'shape', at);
  const [down, across, ...more] = readLengths(map, 'block', at);
  if (across === undefined || more.length > 0) {
    fail(`${at}.block`, 'two lengths');
  }
  const cells = readList(map, 'cells', at).map(row =>
    Array.isArray(row) && row.length <= MOST_CELLS
      ? row.map(cell => (cell === null || (typeof cell === 'number' && Number.isFinite(cell) && cell >= 0) ? cell : fail(`${at}.cells`, 'rows of numbers from 0, or null')))
      : fail(`${at}.cells`, `rows of at most ${MOST_CELLS} numbers`)
  );
  const read: ErrorMap = { of: readText(map, 'of', at) || fail(`${at}.of`, 'a text'), shape, block: [down, across], cells };
  const { axis, step } = splitAxis(read);
  const lead = leading(read);
  const rows = lead.slice(0, axis).reduce((product, length) => product * length, 1) * Math.ceil(lead[axis] / step);
  const columns = Math.ceil((shape.at(-1) ?? 1) / across);
  if (cells.length > MOST_CELLS || cells.length !== rows || cells.some(row => row.length !== columns)) {
    fail(`${at}.cells`, `${rows} rows of ${columns}, at most ${MOST_CELLS} of each`);
  }
  return read;
}

/** Lengths of the axes that run down. */
export function leading(map: ErrorMap): number[] {
  return map.shape.length > 1 ? map.shape.slice(0, -1) : [1];
}

/** The axis that is split into rows of cells, and its indices in one: a row is one index of each axis before that one, and all of those after. */
export function splitAxis(map: ErrorMap): { axis: number; step: number } {
  const lead = leading(map);
  let [axis, step] = [lead.length - 1, map.block[0]];
  while (axis > 0 && step >= lead[axis]) {
    step = Math.floor(step / lead[axis]);
    axis -= 1;
  }
  return { axis, step };
}

function fail(where: string, wanted: string): never {
  throw new BadReport(`This report cannot be shown: ${where} is not ${wanted}.`);
}

function readObject(json: unknown, at: string, known: readonly string[]): Json {
  const object = isObject(json) ? json : fail(at, 'an object');
  if (Object.keys(object).some(name => !known.includes(name))) {
    fail(at, `an object with only ${known.join(', ')}`);
  }
  return object;
}

function readText(from: Json, name: string, at: string): string {
  const value = own(from, name);
  return typeof value === 'string' ? value.slice(0, MOST_TEXT) : fail(`${at}.${name}`, 'a text');
}

function readList(from: Json, name: string, at: string): unknown[] {
  const value = own(from, name);
  return Array.isArray(value) && value.length <= MOST_ENTRIES ? value : fail(`${at}.${name}`, `a list of at most ${MOST_ENTRIES}`);
}

function readLengths(from: Json, name: string, at: string): number[] {
  return readList(from, name, at).map(n => (typeof n === 'number' && Number.isSafeInteger(n) && n >= 1 ? n : fail(`${at}.${name}`, 'a list of lengths from 1')));
}
