/** Check in JupyterLab: the commands, and where they are found. */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, ISessionContextDialogs, IToolbarWidgetRegistry, Notification, SessionContextDialogs } from '@jupyterlab/apputils';
import type { Cell } from '@jupyterlab/cells';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandToolbarButton } from '@jupyterlab/ui-components';
import { Widget } from '@lumino/widgets';

import { make } from '../dom';
import { Checks, exerciseAt, isCourse, type Voice } from './checks';

const CHECK = 'zerohero:check';
const CHECK_ALL = 'zerohero:check-all';
const INTERRUPT = 'zerohero:interrupt-check';
const TOOLBAR_ITEM = 'zerohero-check'; // in schema/check.json

/** What a command is called with; without widgetId it is about the notebook in front, without id about its active cell. */
interface Args {
  id?: unknown;
  widgetId?: unknown;
  toolbar?: unknown;
}

export const check: JupyterFrontEndPlugin<void> = {
  id: CHECK,
  description: 'Runs an exercise and its check, and shows the report in place',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ICommandPalette, IToolbarWidgetRegistry, ISessionContextDialogs, ISettingRegistry, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    notebooks: INotebookTracker,
    palette: ICommandPalette | null,
    toolbars: IToolbarWidgetRegistry | null,
    dialogs: ISessionContextDialogs | null,
    settings: ISettingRegistry | null,
    given: ITranslator | null
  ) => {
    const { commands } = app;
    const translator = given ?? nullTranslator;
    const words = translator.load('zerohero');
    const t = (text: string): string => words.__(text);
    const voice = speak();
    let runsAbove = true;
    void settings?.load(check.id).then(
      loaded => {
        const read = (): void => {
          runsAbove = loaded.get('runAbove').composite !== false;
        };
        read();
        loaded.changed.connect(read);
      },
      () => undefined // without its schema the default stands
    );
    const checks = new Checks({
      dialogs: dialogs ?? new SessionContextDialogs({ translator }),
      translator,
      translate: t,
      voice,
      runsAbove: () => runsAbove,
      changed: () => [CHECK, CHECK_ALL, INTERRUPT].forEach(id => commands.notifyCommandChanged(id))
    });

    const panelOf = ({ widgetId }: Args): NotebookPanel | undefined => {
      const panel = typeof widgetId === 'string' ? notebooks.find(one => one.id === widgetId) : notebooks.currentWidget;
      return isCourse(panel) ? panel : undefined;
    };
    const runs = (args: Args): boolean => {
      const panel = panelOf(args);
      return panel !== undefined && checks.isRunning(panel);
    };
    commands.addCommand(CHECK, {
      label: args => (args.toolbar && runs(args) ? t('Interrupt') : args.toolbar ? t('Check') : t('Check This Exercise')),
      caption: args => (args.toolbar && runs(args) ? t('Interrupt the check that is running') : t('Run this exercise and show its report')),
      isEnabled: args => panelOf(args) !== undefined,
      isVisible: args => !args.toolbar || panelOf(args) !== undefined,
      execute: async args => {
        const panel = panelOf(args);
        if (!panel) {
          return;
        }
        if (args.toolbar && checks.isRunning(panel)) {
          await checks.interrupt(panel);
          return;
        }
        const id = typeof args.id === 'string' ? args.id : exerciseAt(panel.content.activeCell);
        if (id === undefined) {
          voice.says(t('Click into the exercise that you want to check, then check again.'), 'warning');
          return;
        }
        await checks.check(panel, id);
      }
    });
    commands.addCommand(CHECK_ALL, {
      label: t('Check All Exercises'),
      caption: t('Run and check every answer that was begun'),
      isEnabled: args => panelOf(args) !== undefined && !runs(args),
      execute: async args => {
        const panel = panelOf(args);
        if (panel) {
          await checks.checkAll(panel);
        }
      }
    });
    commands.addCommand(INTERRUPT, {
      label: t('Interrupt the Check'),
      isEnabled: runs,
      execute: async args => {
        const panel = panelOf(args);
        if (panel) {
          await checks.interrupt(panel);
        }
      }
    });
    for (const command of [CHECK, CHECK_ALL, INTERRUPT]) {
      palette?.addItem({ command, category: t('Course') });
    }

    const button = (args: { widgetId: string; id?: string }): Widget => new CommandToolbarButton({ commands, id: CHECK, args: { toolbar: true, ...args } });
    toolbars?.addFactory<NotebookPanel>('Notebook', TOOLBAR_ITEM, panel => {
      // until its cells are there, no notebook is one of ours
      void panel.context.ready.then(() => {
        if (!panel.isDisposed && isCourse(panel)) {
          commands.notifyCommandChanged(CHECK);
        }
      });
      return button({ widgetId: panel.id });
    });
    toolbars?.addFactory<Cell>('Cell', TOOLBAR_ITEM, cell => {
      const id = exerciseAt(cell);
      const panel = id === undefined ? undefined : notebooks.find(one => one.content.widgets.includes(cell));
      if (id === undefined || !panel) {
        const none = new Widget();
        none.hide();
        return none;
      }
      return button({ widgetId: panel.id, id });
    });
  }
};

/** Notifications, and a log that only screen readers see. */
function speak(): Voice {
  let log: HTMLElement | undefined;
  const logs = (message: string): void => {
    if (!log) {
      log = make('div', 'zh-log');
      log.setAttribute('role', 'log');
      document.body.append(log);
    }
    log.replaceChildren(...[...log.children].slice(-9), make('p', '', message));
  };
  const says = (message: string, type: 'info' | 'success' | 'warning' = 'info'): void => {
    logs(message);
    Notification.emit(message, type, { autoClose: type === 'warning' ? 12_000 : 6_000 });
  };
  return { says, logs };
}
