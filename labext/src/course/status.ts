/**
 * How far a notebook is, read from the notebook alone: no server, no kernel. The same rules as `zerohero progress`
 * (src/zerohero/progress.py); tests/examples/progress.json holds both to them.
 *
 * This is practice: outputs and metadata are the student's to change, and points that count come from grading.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

import { isObject, own, type Json } from '../json';

export const REPORT_MIME = 'application/vnd.zerohero.report+json';

/** passing, failing: what its last check said. edited: changed since, or never checked. not started: still the starter. */
export type State = 'passing' | 'failing' | 'edited' | 'not started';

export interface Exercise {
  id: string;
  state: State;
  /** Points of its check cell; these count only when graded. */
  points: number;
  /** Place of the answer cell in the notebook; -1 when it was deleted. */
  answer: number;
  /** Place of the check cell; -1 when it was deleted. */
  check: number;
  /** The nearest heading above, without its #; '' when there is none. */
  section: string;
}

/** What is read of a cell; nbformat's own JSON has it. */
export interface CellJson {
  cell_type?: unknown;
  source?: unknown;
  metadata?: unknown;
  outputs?: unknown;
}

/** The exercises of a notebook in their order. Cells without our metadata cost one look each. */
export function exercises(cells: readonly CellJson[]): Exercise[] {
  const found = new Map<string, Exercise>();
  const starters = new Map<string, unknown>();
  const answers = new Map<string, string>();
  const reports = new Map<string, CellJson>();
  let section = '';
  cells.forEach((cell, place) => {
    if (cell.cell_type === 'markdown') {
      section = lastHeading(text(cell.source)) ?? section;
      return;
    }
    const marks = ours(cell);
    const id = marks && (own(marks, 'exercise') ?? own(marks, 'check'));
    if (!marks || typeof id !== 'string') {
      return;
    }
    const exercise = found.get(id) ?? { id, state: 'not started', points: 0, answer: -1, check: -1, section };
    if (own(marks, 'exercise') === id) {
      exercise.answer = place;
      starters.set(id, own(marks, 'starter'));
      answers.set(id, text(cell.source));
    } else {
      exercise.check = place;
      exercise.points = points(cell);
      reports.set(id, cell);
    }
    found.set(id, exercise);
  });
  for (const exercise of found.values()) {
    const answer = answers.get(exercise.id);
    if (answer !== undefined) {
      exercise.state = state(hash(answer), starters.get(exercise.id), reports.get(exercise.id));
    }
  }
  return [...found.values()];
}

function state(answer: string, starter: unknown, check: CellJson | undefined): State {
  if (answer === starter) {
    return 'not started';
  }
  const last = check && lastReport(check);
  if (!last || (last.of !== undefined && last.of !== answer)) {
    return 'edited';
  }
  return last.status === 'passed' ? 'passing' : last.status === 'failed' ? 'failing' : 'edited';
}

/** The report in the outputs of a check cell: its status, and the hash of the answer it is of, where that was noted down. */
export function lastReport(check: CellJson): { status: unknown; of: string | undefined } | undefined {
  for (const output of Array.isArray(check.outputs) ? [...check.outputs].reverse() : []) {
    const data: unknown = isObject(output) ? own(output, 'data') : undefined;
    const report = isObject(data) ? own(data, REPORT_MIME) : undefined;
    if (isObject(report)) {
      const metadata = own(output as Json, 'metadata');
      const stamp = isObject(metadata) ? own(metadata, 'zerohero') : undefined;
      const of = isObject(stamp) ? own(stamp, 'answer') : undefined;
      return { status: own(report, 'status'), of: typeof of === 'string' ? of : undefined };
    }
  }
  return undefined;
}

/** Our metadata of a cell. */
export function ours(cell: CellJson): Json | undefined {
  const marks = isObject(cell.metadata) ? own(cell.metadata, 'zerohero') : undefined;
  return isObject(marks) ? marks : undefined;
}

function points(cell: CellJson): number {
  const grading = isObject(cell.metadata) ? own(cell.metadata, 'nbgrader') : undefined;
  const given = isObject(grading) ? own(grading, 'points') : undefined;
  return typeof given === 'number' && Number.isFinite(given) ? given : 0;
}

function lastHeading(markdown: string): string | undefined {
  return [...markdown.matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)].at(-1)?.[1];
}

function text(source: unknown): string {
  return typeof source === 'string' ? source : Array.isArray(source) ? source.filter(line => typeof line === 'string').join('') : '';
}

const hashes = new Map<string, string>();

/** The hash that the course build notes down of a starter. Kept: between two looks hardly any cell has changed. */
export function hash(source: string): string {
  let known = hashes.get(source);
  if (known === undefined) {
    known = bytesToHex(sha256(utf8ToBytes(source))).slice(0, 16);
    if (hashes.size > 2000) {
      hashes.clear();
    }
    hashes.set(source, known);
  }
  return known;
}
