/** What nbgrader's server extension for students answers, read without trust. No JupyterLab here: tested in node. */

import { isObject, own } from '../json';

export interface Assignment {
  course: string;
  assignment: string;
}

export interface Submission {
  /** As nbgrader writes it: "2026-12-01 10:32:07.000000 UTC". */
  timestamp: string;
  /** Feedback waits in the exchange, or is newer there than here. */
  waiting: boolean;
  /** Path of the fetched page of feedback from the server's root; '' when there is none. */
  feedback: string;
}

/** Why an action failed, in a sentence. */
export class ExchangeFailed extends Error {}

/** What nbgrader answered; throws ExchangeFailed with what it said: the last line of a traceback, the first sentence of a message. */
export function value(answer: unknown): unknown {
  if (!isObject(answer) || own(answer, 'success') !== true) {
    const said = isObject(answer) ? own(answer, 'value') : undefined;
    throw new ExchangeFailed(typeof said === 'string' ? reason(said) : 'nbgrader did not say why');
  }
  return own(answer, 'value');
}

function reason(said: string): string {
  const lines = said.split('\n').map(line => line.trim());
  if (lines[0].startsWith('Traceback')) {
    return (lines.filter(Boolean).at(-1) ?? '').replace(/^[\w.]*(Error|Exception): /, '');
  }
  return /^.+?[.!?](?=\s|$)/.exec(lines.join(' ').replace(/ +/g, ' ').trim())?.[0] ?? said.trim();
}

function objects(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function text(from: Record<string, unknown>, name: string): string {
  const found = own(from, name);
  return typeof found === 'string' ? found : '';
}

export function assignmentOf(list: unknown, path: string): Assignment | undefined {
  const found = objects(list).find(one => own(one, 'status') === 'fetched' && objects(own(one, 'notebooks')).some(notebook => text(notebook, 'path') === path));
  return found && { course: text(found, 'course_id'), assignment: text(found, 'assignment_id') };
}

/** The newest last. */
export function submissionsOf(list: unknown, { course, assignment }: Assignment): Submission[] {
  return objects(list)
    .filter(one => text(one, 'course_id') === course && text(one, 'assignment_id') === assignment && own(one, 'status') === 'submitted')
    .flatMap(one => objects(own(one, 'submissions')))
    .map(one => {
      const there = own(one, 'has_exchange_feedback') === true;
      const here = own(one, 'has_local_feedback') === true;
      return { timestamp: text(one, 'timestamp'), waiting: there && (!here || own(one, 'feedback_updated') === true), feedback: here ? text(one, 'local_feedback_path') : '' };
    })
    .sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
}

/** "2026-12-01 10:32 UTC" of nbgrader's timestamp. */
export function shortTime(timestamp: string): string {
  return timestamp.replace(/^(\d{4}-\d\d-\d\d \d\d:\d\d)\S*/, '$1');
}
