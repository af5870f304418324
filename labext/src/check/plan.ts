/** Which cells a check runs, in which order. */

import { ours, type CellJson, type Exercise } from '../course/status';
import { own } from '../json';

export interface Step {
  /** Place of the cell in the notebook. */
  cell: number;
  /** above: what the lesson gives, earlier answers, and the student's own cells, because the kernel has run nothing yet. */
  part: 'above' | 'answer' | 'check';
  /** The exercise of an answer or a check, '' for what is above. */
  id: string;
}

/**
 * The answer of each exercise, then its check. With a kernel that has not run the lesson (`fresh`), all other code cells above as
 * well, but no check and no prediction that was not asked for: they change nothing for the cells below.
 */
export function plan(cells: readonly CellJson[], targets: readonly Exercise[], fresh: boolean): Step[] {
  const steps: Step[] = [];
  const checked = new Map(targets.map(one => [one.answer >= 0 ? one.answer : one.check, one]));
  const last = Math.max(-1, ...checked.keys());
  for (let cell = 0; cell <= last; cell++) {
    const target = checked.get(cell);
    if (target) {
      if (target.answer >= 0) {
        steps.push({ cell, part: 'answer', id: target.id });
      }
      if (target.check >= 0) {
        steps.push({ cell: target.check, part: 'check', id: target.id });
      }
    } else if (fresh && cells[cell].cell_type === 'code' && !isAside(cells[cell])) {
      steps.push({ cell, part: 'above', id: '' });
    }
  }
  return steps;
}

function isAside(cell: CellJson): boolean {
  const marks = ours(cell);
  return marks !== undefined && (own(marks, 'check') !== undefined || own(marks, 'predict') !== undefined);
}

/** What has been done since the starter: not started, or worth a check. */
export function startedOf(exercises: readonly Exercise[]): Exercise[] {
  return exercises.filter(one => one.state !== 'not started' && one.check >= 0);
}

/** "3 pass, 1 fails, 2 not started": how far a notebook is after its answers were checked. */
export function summary(exercises: readonly Exercise[], t: (text: string) => string = text => text): string {
  const count = (state: Exercise['state']): number => exercises.filter(one => one.state === state).length;
  const parts: [number, string][] = [
    [count('passing'), t('passing')],
    [count('failing'), t('failing')],
    [count('edited'), t('without a report')],
    [count('not started'), t('not started')]
  ];
  return parts.filter(([n]) => n > 0).map(([n, words]) => `${n} ${words}`).join(', ');
}
