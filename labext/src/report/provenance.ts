/**
 * Which answer a report is of.
 *
 * Noted down in the metadata of the report's output when its check cell has run, by Check or by hand, so that it is known after
 * a reload; and kept in memory, for notebooks that cannot be written. Nothing is written when a notebook is opened.
 */

import { isCodeCellModel, type ICellModel } from '@jupyterlab/cells';
import { NotebookActions, type INotebookModel, type INotebookTracker } from '@jupyterlab/notebook';

import { hash, ours, REPORT_MIME } from '../course/status';
import { isObject, own } from '../json';

/** The exercise of an answer cell, or of a check cell. */
export function exerciseOf(cell: ICellModel, part: 'exercise' | 'check'): string | undefined {
  const marks = ours({ metadata: { zerohero: cell.getMetadata('zerohero') as unknown } });
  const id = marks && own(marks, part);
  return typeof id === 'string' ? id : undefined;
}

/** The last cell that is the answer, or the check, of exercise `id`. */
export function cellOf(notebook: INotebookModel, id: string, part: 'exercise' | 'check'): ICellModel | undefined {
  return [...notebook.cells].reverse().find(cell => exerciseOf(cell, part) === id);
}

/** The hash in the metadata of an output. */
export function stamp(metadata: unknown): string | undefined {
  const marks = isObject(metadata) ? own(metadata, 'zerohero') : undefined;
  const answer = isObject(marks) ? own(marks, 'answer') : undefined;
  return typeof answer === 'string' ? answer : undefined;
}

/** By cell: the answer it was run with; for check cells, the answer that was checked. */
const scheduled = new WeakMap<ICellModel, string>();
const known = new WeakMap<ICellModel, string>();

/** The answer that the report in `check` is of, if it was run since the page was loaded. */
export function checkedHere(check: ICellModel): string | undefined {
  return known.get(check);
}

/** Follow what is run in course notebooks, from now on. */
export function follow(notebooks: INotebookTracker): void {
  NotebookActions.executionScheduled.connect((_, { notebook, cell }) => {
    if (exerciseOf(cell.model, 'exercise') !== undefined) {
      scheduled.set(cell.model, hash(cell.model.sharedModel.getSource()));
      return;
    }
    const id = exerciseOf(cell.model, 'check');
    const answer = id !== undefined && notebook.model ? cellOf(notebook.model, id, 'exercise') : undefined;
    if (answer) {
      scheduled.set(cell.model, hash(answer.sharedModel.getSource()));
    }
  });
  NotebookActions.executed.connect((_, { notebook, cell, success }) => {
    const source = scheduled.get(cell.model);
    if (source === undefined) {
      return;
    }
    if (exerciseOf(cell.model, 'exercise') !== undefined) {
      if (success) {
        known.set(cell.model, source);
      }
      return;
    }
    const id = exerciseOf(cell.model, 'check');
    const answer = id !== undefined && notebook.model ? cellOf(notebook.model, id, 'exercise') : undefined;
    if (answer) {
      // the answer as the kernel ran it, which may be older than its text; after a reload, as it stood when the check began
      const checked = known.get(answer) ?? source;
      known.set(cell.model, checked);
      if (notebooks.find(panel => panel.content === notebook)?.context.contentsModel?.writable !== false) {
        note(cell.model, checked);
      }
    }
  });
}

function note(check: ICellModel, answer: string): void {
  if (!isCodeCellModel(check)) {
    return;
  }
  for (let n = check.outputs.length - 1; n >= 0; n--) {
    const output = check.outputs.get(n);
    if (REPORT_MIME in output.data) {
      output.setData({ metadata: { ...output.metadata, zerohero: { answer } } });
      return;
    }
  }
}
