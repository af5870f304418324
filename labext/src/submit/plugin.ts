/** Handing in the open notebook, and getting feedback back; where there is no nbgrader, a file to hand in by other ways. */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Dialog, ICommandPalette, Notification, showDialog } from '@jupyterlab/apputils';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import { lessonName, STATES } from '../course/course';
import { cellsOf } from '../course/plugin';
import { exercises, type Exercise } from '../course/status';
import { ExchangeFailed, shortTime, type Submission } from './answer';
import { Exchange } from './exchange';

// without a time, JupyterLab keeps a message in its list and shows nothing
const SHORT = { autoClose: 10_000 };
const STAYS = { autoClose: false as const };

export const submit: JupyterFrontEndPlugin<void> = {
  id: 'zerohero:submit',
  description: 'Hand in the open notebook through nbgrader, or as a file',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ICommandPalette, ITranslator],
  activate: (app: JupyterFrontEnd, notebooks: INotebookTracker, palette: ICommandPalette | null, translator: ITranslator | null) => {
    const words = (translator ?? nullTranslator).load('zerohero');
    const desk = new Desk(app, text => words.__(text));
    const open = (): NotebookPanel | null => notebooks.currentWidget;
    const ours = (): boolean => {
      const panel = open();
      return panel?.model !== undefined && panel?.model !== null && exercises(cellsOf(panel)).length > 0;
    };
    const commands: [string, string, (panel: NotebookPanel) => Promise<void>][] = [
      ['zerohero:submit', words.__('Submit This Lesson…'), panel => desk.submit(panel)],
      ['zerohero:feedback', words.__('Fetch Feedback on This Lesson'), panel => desk.feedback(panel)],
      ['zerohero:export', words.__('Save a File to Hand In'), panel => desk.exportFile(panel)]
    ];
    for (const [command, label, does] of commands) {
      app.commands.addCommand(command, {
        label,
        isEnabled: ours,
        execute: async () => {
          const panel = open();
          if (panel) {
            await does(panel);
          }
        }
      });
      palette?.addItem({ command, category: words.__('Course') });
    }
  }
};

class Desk {
  constructor(
    private readonly app: JupyterFrontEnd,
    private readonly translate: (text: string) => string
  ) {}

  /** Summary, confirmation, nbgrader's submit, and when it was handed in. What fails is said, and nothing is lost: the file is saved first. */
  async submit(panel: NotebookPanel): Promise<void> {
    const t = this.translate;
    const name = lessonName(panel.context.path);
    if (!(await this.exchange.present())) {
      return this.offerFile(panel, t('There is no nbgrader on this server to hand in with.'));
    }
    const what = await this.tried(t('Looking up the assignment failed'), () => this.exchange.find(panel.context.path));
    if (what === undefined || what === 'failed') {
      const why = t('nbgrader does not know this notebook as a fetched assignment: fetch it from the Assignment List, and work in that copy.');
      return this.offerFile(panel, what === 'failed' ? t('nbgrader cannot be used here.') : why);
    }
    const before = await this.tried(t('Looking up what was handed in failed'), () => this.exchange.submissions(what));
    if (before === 'failed' || !(await this.confirm(panel, name, before.at(-1)))) {
      return;
    }
    await panel.context.save();
    const after = await this.tried(`${name} ${t('was NOT handed in')}`, () => this.exchange.submit(what));
    if (after === 'failed') {
      return;
    }
    const last = after.at(-1);
    if (!last || last.timestamp === before.at(-1)?.timestamp) {
      Notification.error(`${name}: ${t('nbgrader took it, but does not list it as handed in. Ask your instructor before you rely on it.')}`, STAYS);
      return;
    }
    Notification.success(`${name} ${t('was handed in at')} ${shortTime(last.timestamp)}.`, STAYS);
  }

  async feedback(panel: NotebookPanel): Promise<void> {
    const t = this.translate;
    const name = lessonName(panel.context.path);
    const what = (await this.exchange.present()) ? await this.tried(t('Looking up the assignment failed'), () => this.exchange.find(panel.context.path)) : undefined;
    if (what === 'failed') {
      return;
    }
    if (!what) {
      Notification.warning(`${name}: ${t('there is no nbgrader here that knows this notebook, so there is no feedback to fetch.')}`, SHORT);
      return;
    }
    const found = await this.tried(t('Fetching feedback failed'), () => this.exchange.fetchFeedback(what));
    if (found === 'failed') {
      return;
    }
    const newest = [...found].reverse().find(one => one.feedback);
    if (!newest) {
      Notification.info(`${name}: ${t(found.length > 0 ? 'handed in, no feedback yet.' : 'not handed in yet, so there is no feedback.')}`, SHORT);
      return;
    }
    if (newest !== found.at(-1)) {
      Notification.info(`${name}: ${t('this feedback is on what you handed in at')} ${shortTime(newest.timestamp)}; ${t('there is none yet on the last one.')}`, SHORT);
    }
    const path = `${newest.feedback}/${name}.html`;
    await this.app.commands.execute('docmanager:open', { path, factory: 'HTML Viewer' });
  }

  /** The saved notebook, to the reader's own computer. */
  async exportFile(panel: NotebookPanel): Promise<void> {
    await panel.context.save();
    const url = await this.app.serviceManager.contents.getDownloadUrl(panel.context.path);
    const link = document.createElement('a');
    link.href = url;
    link.download = `${lessonName(panel.context.path)}.ipynb`;
    link.click();
    Notification.info(`${link.download}: ${this.translate('saved to your computer. Hand in this file.')}`, SHORT);
  }

  private async offerFile(panel: NotebookPanel, why: string): Promise<void> {
    const t = this.translate;
    const buttons = [Dialog.cancelButton({ label: t('Cancel') }), Dialog.okButton({ label: t('Save a file to hand in') })];
    const answer = await showDialog({ title: t('Hand in'), body: why, buttons });
    if (answer.button.accept) {
      await this.exportFile(panel);
    }
  }

  private async confirm(panel: NotebookPanel, name: string, last: Submission | undefined): Promise<boolean> {
    const t = this.translate;
    for (;;) {
      const body = new Widget();
      body.addClass('zh-summary-of-work');
      for (const line of [
        ...summary(exercises(cellsOf(panel)), t),
        t('This is practice: what counts is graded after you hand in.'),
        last ? `${t('You handed in before, at')} ${shortTime(last.timestamp)}: ${t('the last one counts.')}` : ''
      ]) {
        const paragraph = document.createElement('p');
        paragraph.textContent = line;
        body.node.append(paragraph);
      }
      const checks = this.app.commands.hasCommand('zerohero:check-all') ? [Dialog.createButton({ label: t('Check all first'), actions: ['check'] })] : [];
      const buttons = [Dialog.cancelButton({ label: t('Cancel') }), ...checks, Dialog.okButton({ label: t('Hand in') })];
      const answer = await showDialog({ title: `${t('Hand in')} ${name}?`, body, buttons });
      if (!answer.button.actions.includes('check')) {
        return answer.button.accept;
      }
      await this.app.commands.execute('zerohero:check-all');
    }
  }

  /** What `does` gives; when nbgrader or the server fails, that is said in words, with its reason. */
  private async tried<T>(title: string, does: () => Promise<T>): Promise<T | 'failed'> {
    try {
      return await does();
    } catch (error) {
      const why = error instanceof ExchangeFailed ? error.message : `${this.translate('the server does not answer as it should')}: ${error instanceof Error ? error.message : String(error)}`;
      Notification.error(`${title}: ${why}`, STAYS);
      return 'failed';
    }
  }

  private readonly exchange = new Exchange();
}

/** "3 of 10 exercises pass", and those of each other state by name. */
export function summary(all: readonly Exercise[], t: (text: string) => string = text => text): string[] {
  const of = (state: string): string[] => all.filter(one => one.state === state).map(one => one.id);
  const lines = [`${of('passing').length} ${t('of')} ${all.length} ${t('exercises pass')}.`];
  for (const state of STATES) {
    const ids = of(state);
    if (state !== 'passing' && ids.length > 0) {
      lines.push(`${t(state)}: ${ids.slice(0, 8).join(', ')}${ids.length > 8 ? ` ${t('and')} ${ids.length - 8} ${t('more')}` : ''}`);
    }
  }
  return lines;
}
