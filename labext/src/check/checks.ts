/** Running checks: one at a time in each notebook, each of which can be interrupted, and none of which waits for a kernel that is gone. */

import type { ISessionContext, ISessionContextDialogs } from '@jupyterlab/apputils';
import { isCodeCellModel, type Cell } from '@jupyterlab/cells';
import { NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';
import type { ITranslator } from '@jupyterlab/translation';

import { cellsOf } from '../course/plugin';
import { exercises, type Exercise } from '../course/status';
import { isObject, own } from '../json';
import { BadReport, parseReport, REPORT_MIME } from '../report/parse';
import { exerciseOf } from '../report/provenance';
import { headline } from '../report/wording';
import type { Translate } from '../view/player';
import { plan, startedOf, summary } from './plan';

/** What the reader is told: shown for a while, and written into a log that screen readers read out. */
export interface Voice {
  says(message: string, type?: 'info' | 'success' | 'warning'): void;
  /** Only into the log: the page already shows it. */
  logs(message: string): void;
}

export interface Options {
  dialogs: ISessionContextDialogs;
  translator: ITranslator;
  translate: Translate;
  voice: Voice;
  /** Whether the cells above are run first when the kernel has not run the lesson. */
  runsAbove(): boolean;
  /** Called when a notebook starts or stops running a check. */
  changed(): void;
}

/** Why a run ended before its end. */
type Stop = 'interrupted' | 'kernel' | 'refused';

class Run {
  stop?: Stop;
  readonly stopped: Promise<void>;

  constructor() {
    this.stopped = new Promise(resolve => {
      this.resolve = resolve;
    });
  }

  end(why: Stop): void {
    this.stop ??= why;
    this.resolve?.();
  }

  private declare resolve?: () => void;
}

export class Checks {
  constructor(private readonly options: Options) {}

  isRunning(panel: NotebookPanel): boolean {
    return this.running.has(panel);
  }

  /** Check exercise `id`: run its answer, then its check cell, and bring the report into sight. */
  async check(panel: NotebookPanel, id: string): Promise<void> {
    const { translate: t, voice } = this.options;
    const exercise = this.find(panel, id);
    if (!exercise || exercise.check < 0) {
      const undo = t('undo that (Edit > Undo Cell Operation), or copy the cell from a fresh copy of the notebook');
      voice.says(exercise ? `${t('The check cell of')} ${id} ${t('was deleted')}: ${undo}.` : `${t('This notebook has no exercise')} ${id}.`, 'warning');
      return;
    }
    await this.run(panel, [exercise], async (run, failed) => {
      if (run.stop) {
        return;
      }
      const now = this.find(panel, id);
      const at = now ? (failed.has(id) ? now.answer : now.check) : -1;
      if (now && at >= 0) {
        voice.logs(this.outcome(panel, at, id));
        await reveal(panel, at);
      }
    });
  }

  /** Check every answer that is no longer its starter, in their order; a check that fails does not stop the others. */
  async checkAll(panel: NotebookPanel): Promise<void> {
    const { translate: t, voice } = this.options;
    const targets = startedOf(exercises(cellsOf(panel)));
    if (targets.length === 0) {
      voice.says(t('Nothing to check yet: every answer still is its starter.'));
      return;
    }
    await this.run(panel, targets, run => {
      const all = exercises(cellsOf(panel));
      const done = run.stop ? `${t('Stopped')}. ` : '';
      voice.says(`${done}${t('Exercises')}: ${summary(all, t)}.`, all.every(one => one.state === 'passing') ? 'success' : 'info');
      return Promise.resolve();
    });
  }

  /** Stop what runs in this notebook; nothing happens when no check does. */
  async interrupt(panel: NotebookPanel): Promise<void> {
    const run = this.running.get(panel);
    if (run) {
      run.end('interrupted');
      await panel.sessionContext.session?.kernel?.interrupt().catch(() => undefined); // of a kernel that is gone: the run has ended all the same
    }
  }

  private find(panel: NotebookPanel, id: string): Exercise | undefined {
    return exercises(cellsOf(panel)).find(one => one.id === id);
  }

  private async run(panel: NotebookPanel, targets: Exercise[], finish: (run: Run, failed: Set<string>) => Promise<void>): Promise<void> {
    if (this.running.has(panel)) {
      return;
    }
    const { translate: t, voice, changed } = this.options;
    const run = new Run();
    const session = panel.sessionContext;
    const dies = (_: unknown, status: Kernel.Status): void => {
      if (['dead', 'restarting', 'autorestarting', 'terminating'].includes(status)) {
        run.end('kernel');
      }
    };
    this.running.set(panel, run);
    changed();
    const failed = new Set<string>();
    try {
      if (!(await Promise.race([this.ready(session), run.stopped]))) {
        return;
      }
      session.statusChanged.connect(dies);
      const steps = this.steps(panel, targets, run, failed).catch((error: unknown) => {
        if (!run.stop) {
          voice.says(`${t('The check could not be run')}: ${error instanceof Error ? error.message : String(error)}`, 'warning');
          run.end('refused');
        }
      });
      await Promise.race([steps, run.stopped]); // a kernel that is gone may never answer
      if (run.stop === 'kernel') {
        voice.says(t('The kernel stopped during the check. Its memory is gone: check again, and the cells above are run first.'), 'warning');
      } else if (run.stop === 'interrupted') {
        voice.logs(t('The check was interrupted.'));
      }
    } finally {
      session.statusChanged.disconnect(dies);
      this.running.delete(panel);
      changed();
    }
    if (!panel.isDisposed) {
      await finish(run, failed);
    }
  }

  private async steps(panel: NotebookPanel, targets: Exercise[], run: Run, failed: Set<string>): Promise<void> {
    const { translate: t, voice, dialogs, translator, runsAbove } = this.options;
    const fresh = await isFresh(panel.sessionContext);
    if (fresh && !runsAbove()) {
      voice.says(t('This kernel has not run the lesson yet. Go to the exercise, choose Run > Run All Above Selected Cell, then check again.'), 'warning');
      run.end('refused');
      return;
    }
    const steps = plan(cellsOf(panel), targets, fresh).map(step => ({ ...step, widget: panel.content.widgets[step.cell] }));
    const above = steps.filter(step => step.part === 'above').length;
    if (above > 0) {
      voice.says(`${t('This kernel has not run the lesson yet: running the cells above first')} (${above}).`);
    }
    for (const step of steps) {
      if (run.stop || panel.isDisposed) {
        return;
      }
      // the widget, not its place: cells may be added while others run
      if (step.widget.isDisposed || (step.part === 'check' && failed.has(step.id))) {
        continue;
      }
      const right = await NotebookActions.runCells(panel.content, [step.widget], panel.sessionContext, dialogs, translator);
      if (wasInterrupted(step.widget)) {
        run.end('interrupted');
      }
      if (!right && step.part === 'answer') {
        failed.add(step.id); // its check would be of an older answer
      }
    }
  }

  /** Whether there is a kernel to run in; offers to start one. */
  private async ready(session: ISessionContext): Promise<boolean> {
    const open = await session.initialize().catch(() => true); // whether the choice of a kernel is left to the reader
    if (!open || !session.hasNoKernel) {
      await session.ready; // it never is where none was chosen
    }
    if (session.hasNoKernel || session.session?.kernel?.status === 'dead') {
      if (session.hasNoKernel) {
        await this.options.dialogs.selectKernel(session);
      } else {
        await this.options.dialogs.restart(session);
      }
    }
    return !session.hasNoKernel && session.session?.kernel?.status !== 'dead';
  }

  /** What came of the cell at `at`, in one line. */
  private outcome(panel: NotebookPanel, at: number, id: string): string {
    const model = panel.content.widgets[at].model;
    const outputs = isCodeCellModel(model) ? model.outputs.toJSON() : [];
    for (const output of [...outputs].reverse() as unknown[]) {
      const data = isObject(output) ? own(output, 'data') : undefined;
      if (isObject(data) && own(data, REPORT_MIME) !== undefined) {
        try {
          return headline(parseReport(own(data, REPORT_MIME)));
        } catch (error) {
          return error instanceof BadReport ? error.message : String(error);
        }
      }
    }
    const error = outputs.find(output => output.output_type === 'error');
    return error ? `${id}: ${String(error.ename)}: ${String(error.evalue).split('\n', 1)[0]}` : `${id}: ${this.options.translate('no report')}`;
  }

  private readonly running = new Map<NotebookPanel, Run>();
}

/** Whether the names that the first cell of a lesson brings are missing. The kernel is asked: the page may have been reloaded. */
async function isFresh(session: ISessionContext): Promise<boolean> {
  const ask = { code: '', silent: true, store_history: false, stop_on_error: false, user_expressions: { there: '"check" in globals()' } };
  const reply: unknown = (await session.session?.kernel?.requestExecute(ask).done)?.content;
  const results = isObject(reply) ? own(reply, 'user_expressions') : undefined;
  const there = isObject(results) ? own(results, 'there') : undefined;
  const data = isObject(there) ? own(there, 'data') : undefined;
  return isObject(data) && own(data, 'text/plain') === 'False';
}

function wasInterrupted(cell: Cell): boolean {
  return isCodeCellModel(cell.model) && cell.model.outputs.toJSON().some(output => output.output_type === 'error' && output.ename === 'KeyboardInterrupt');
}

/** Bring the report of the cell at `at` into sight, which may be far off the screen. */
async function reveal(panel: NotebookPanel, at: number): Promise<void> {
  await panel.content.scrollToItem(at, 'smart');
  const cell = panel.content.widgets[at];
  await cell.ready;
  (cell.node.querySelector('.zh-report') ?? cell.node).scrollIntoView({ block: 'nearest' });
}

/** The exercise of a cell, be it the answer or the check. */
export function exerciseAt(cell: Cell | null): string | undefined {
  return cell ? (exerciseOf(cell.model, 'exercise') ?? exerciseOf(cell.model, 'check')) : undefined;
}

export function isCourse(panel: NotebookPanel | null | undefined): panel is NotebookPanel {
  return panel?.content.widgets.some(cell => exerciseAt(cell) !== undefined) ?? false;
}
