/** What a report says and what it leaves out: the rules of src/zerohero/show/text.py and Report.headline. */

import sentences from './mistakes.json';
import type { Finding, Report } from './parse';

/** Findings in all; the groups name the rest. */
const SHOWN = 3;

/** One line: the verdict and, if it failed, the first thing that is wrong. */
export function headline({ exercise, status, groups, findings }: Report): string {
  if (status !== 'failed') {
    return `${exercise}: ${status}`;
  }
  const what = findings.length > 0 ? findings[0].what : 'did not pass';
  const passed = groups.filter(group => group.passed).length;
  return `${exercise}: ${what}${groups.length > 1 ? ` (${passed} of ${groups.length} groups pass)` : ''}`;
}

/** All kinds that explain what was seen, with a sentence where there is one; none when no cause is proven. */
export function kinds(finding: Finding): { kind: string; because: string }[] {
  if (!finding.mistake) {
    return [];
  }
  const known = sentences as Record<string, string>;
  const others = finding.alternatives.map(kind => ({ kind, because: Object.hasOwn(known, kind) ? known[kind] : '' }));
  return [{ kind: finding.mistake, because: finding.because }, ...others];
}

/** Whether there is a map of more than one cell: `where` has already said which number is wrong. */
export function hasMap(finding: Finding): boolean {
  return finding.map !== undefined && finding.map.cells.length * finding.map.cells[0].length > 1;
}

/** The further findings that say something the first does not, one line each. */
export function also({ findings }: Report): string[] {
  const rest = findings.slice(1, SHOWN).filter(one => one.what !== findings[0].what || !['', findings[0].mistake].includes(one.mistake));
  return rest.map(one => {
    const numbers = one.expected && one.actual ? `; expected ${one.expected}, actual ${one.actual}` : '';
    const named = one.mistake ? `; ${one.mistake}: ${one.because}` : '';
    const several = kinds(one).map(({ kind }) => kind).join(', ');
    return `${one.group}: ${one.what}${numbers}${one.mistake && one.alternatives.length > 0 ? `; one of ${several}` : named}`;
  });
}

/** Text cut into prose and `names`. */
export function prose(text: string): { text: string; code: boolean }[] {
  return text
    .split(/`([^`]+)`/)
    .map((part, n) => ({ text: part, code: n % 2 === 1 }))
    .filter(part => part.text !== '');
}
