/** One hint at a time, from the kernel: hints are never stored in the notebook, only how many were opened. */

import type { Kernel } from '@jupyterlab/services';

import { isObject, own } from '../json';
import type { Translate } from '../view/player';

/** Every exercise has three: concept, rule, nearest thing to an answer. */
export const HINTS = 3;

/** Why there is no hint; the message is for the reader. */
export class NoHint extends Error {}

/** What evaluates to the hint, as JSON. The id was read by parseReport, which takes only letters, digits and dashes. */
function expression(id: string, number: number): string {
  const hint = `__import__("zerohero.checking", fromlist=["_"])._hint_for_lab("${id}", ${number})`;
  return `__import__("IPython.display", fromlist=["_"]).JSON(${hint})`;
}

/**
 * Hint `number`, from 1, of exercise `id`. Waits while the kernel is busy; throws NoHint when it is not there, is restarted
 * meanwhile, or knows no such hint.
 */
export async function askHint(kernel: Kernel.IKernelConnection | null | undefined, id: string, number: number, t: Translate): Promise<string> {
  if (!kernel || kernel.isDisposed || ['dead', 'terminating'].includes(kernel.status)) {
    throw new NoHint(t('Hints come from the kernel, and none is running: start one, then ask again.'));
  }
  if (kernel.connectionStatus === 'disconnected') {
    throw new NoHint(t('The kernel cannot be reached: reload the page, or ask again later.'));
  }
  // user_expressions: the answer is not an output, and nothing is shown, numbered or remembered
  const future = kernel.requestExecute({ code: '', silent: true, store_history: false, stop_on_error: false, user_expressions: { hint: expression(id, number) } });
  let content: unknown;
  try {
    content = (await future.done).content;
  } catch {
    throw new NoHint(t('The kernel was stopped before it answered: ask again.'));
  }
  const results = isObject(content) ? own(content, 'user_expressions') : undefined;
  const result = isObject(results) ? own(results, 'hint') : undefined;
  const data = isObject(result) ? own(result, 'data') : undefined;
  const hint = isObject(data) ? own(data, 'application/json') : undefined;
  const text = isObject(hint) ? own(hint, 'text') : undefined;
  if (typeof text !== 'string') {
    const problem = isObject(result) ? own(result, 'evalue') : undefined;
    throw new NoHint(typeof problem === 'string' ? `${t('The kernel has no hint')}: ${problem}` : t('The kernel has no hint: restart it, then ask again.'));
  }
  return text;
}
