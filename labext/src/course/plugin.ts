/** The course map in JupyterLab: when it looks at the notebooks again, and where its buttons lead. */

import { ILabShell, ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { isCodeCellModel } from '@jupyterlab/cells';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { IStateDB } from '@jupyterlab/statedb';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { isObject, own } from '../json';
import { nextUnfinished, type Lesson, type Place } from './course';
import { CourseFiles } from './files';
import { CoursePanel, type Wish } from './panel';
import { exercises, ours, type CellJson } from './status';

const LOOK_MS = 400; // after a change; typing goes on meanwhile
const LAST = 'zerohero:last';

export const course: JupyterFrontEndPlugin<void> = {
  id: 'zerohero:course',
  description: 'The course map: exercises, their state, and what comes next',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ILayoutRestorer, ILabShell, IStateDB, ICommandPalette, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    notebooks: INotebookTracker,
    restorer: ILayoutRestorer | null,
    shell: ILabShell | null,
    state: IStateDB | null,
    palette: ICommandPalette | null,
    translator: ITranslator | null
  ) => {
    const words = (translator ?? nullTranslator).load('zerohero');
    const map = new CourseMap(app, notebooks, state, text => words.__(text));
    app.shell.add(map.panel, 'left', { rank: 150 });
    restorer?.add(map.panel, map.panel.id);
    const category = words.__('Course');
    for (const [command, label, wish] of [
      ['zerohero:next', words.__('Next Unfinished Exercise'), { wish: 'next' }],
      ['zerohero:resume', words.__('Resume Where I Stopped'), { wish: 'resume' }]
    ] as [string, string, Wish][]) {
      app.commands.addCommand(command, { label, execute: () => map.fulfil(wish) });
      palette?.addItem({ command, category });
    }
    app.commands.addCommand('zerohero:course-map', { label: words.__('Show the Course Map'), execute: () => (shell ?? app.shell).activateById(map.panel.id) });
    palette?.addItem({ command: 'zerohero:course-map', category });
  }
};

class CourseMap {
  readonly panel: CoursePanel;

  constructor(
    private readonly app: JupyterFrontEnd,
    private readonly notebooks: INotebookTracker,
    private readonly state: IStateDB | null,
    translate: (text: string) => string
  ) {
    this.files = new CourseFiles(app.serviceManager.contents);
    this.panel = new CoursePanel(translate);
    this.panel.wished.connect((_, wish) => void this.fulfil(wish));
    notebooks.widgetAdded.connect((_, panel) => this.follow(panel));
    notebooks.forEach(panel => this.follow(panel));
    notebooks.currentChanged.connect(() => this.look(true));
    notebooks.activeCellChanged.connect(() => this.moved());
    app.serviceManager.contents.fileChanged.connect((_, change) => {
      if (change.type !== 'save' || !this.isOpen(change.newValue?.path ?? '')) {
        this.look(true);
      }
    });
    void app.restored.then(async () => {
      this.last = readPlace(await this.state?.fetch(LAST));
      this.look(true);
    });
  }

  async fulfil(wish: Wish): Promise<void> {
    switch (wish.wish) {
      case 'open':
        await this.open(wish.place);
        return;
      case 'check':
        await this.open(wish.place);
        await this.app.commands.execute('zerohero:check', { id: wish.place.id });
        return;
      case 'check all':
        await this.app.commands.execute('zerohero:check-all');
        return;
      case 'submit':
        await this.app.commands.execute('zerohero:submit');
        return;
      case 'feedback':
        await this.app.commands.execute('zerohero:feedback');
        await this.update(true);
        return;
      case 'look':
        this.look(true);
        return;
      case 'refresh':
        this.files.forget();
        await this.update(true);
        return;
      case 'resume':
        if (this.last) {
          await this.open(this.last);
        }
        return;
      case 'next': {
        await this.update(true);
        const next = nextUnfinished(this.lessons, this.here());
        if (next) {
          await this.open(next);
        }
        return;
      }
    }
  }

  private async open(place: Place): Promise<void> {
    const opened: unknown = await this.app.commands.execute('docmanager:open', { path: place.path });
    const panel = this.notebooks.find(one => one === opened) ?? this.notebooks.find(one => one.context.path === place.path);
    if (!panel) {
      return; // Notebook 7 opens another page
    }
    await panel.context.ready;
    await panel.revealed;
    const found = exercises(cellsOf(panel)).find(one => one.id === place.id);
    const index = found ? (found.answer >= 0 ? found.answer : found.check) : -1;
    if (index >= 0) {
      panel.content.activeCellIndex = index;
      await panel.content.scrollToItem(index, 'center');
      panel.content.activate();
    }
  }

  /** Look again soon, if anybody sees it; with `files`, at the other notebooks too. */
  private look(files: boolean): void {
    this.again ||= files;
    // one timer for any number of changes: a key pressed costs this one comparison
    if (this.timer === undefined && this.panel.isVisible) {
      this.timer = window.setTimeout(() => {
        this.timer = undefined;
        const again = this.again;
        this.again = false;
        void this.update(again);
      }, LOOK_MS);
    }
  }

  private async update(files: boolean): Promise<void> {
    if (files || this.read.length === 0) {
      this.read = await this.files.lessons(this.notebooks.currentWidget?.context.path);
    }
    const live = new Map<string, NotebookPanel>();
    this.notebooks.forEach(panel => live.set(panel.context.path, panel));
    // what is open is newer than what was saved
    this.lessons = this.read.map(lesson => {
      const panel = live.get(lesson.path);
      return panel?.model ? { ...lesson, exercises: exercises(cellsOf(panel)), problem: '' } : lesson;
    });
    this.panel.showCourse(this.lessons, this.notebooks.currentWidget?.context.path ?? '', this.here(), this.last);
  }

  private follow(panel: NotebookPanel): void {
    void panel.context.ready.then(() => {
      // other people's notebooks are not listened to
      if (!panel.isDisposed && exercises(cellsOf(panel)).length > 0) {
        panel.model?.contentChanged.connect(() => this.look(false));
        this.look(true);
      }
    });
  }

  private moved(): void {
    const here = this.here();
    if (here && (here.id !== this.last?.id || here.path !== this.last.path)) {
      this.last = here;
      void this.state?.save(LAST, { path: here.path, id: here.id });
      this.look(false);
    }
  }

  /** The exercise whose answer or check is the active cell. */
  private here(): Place | undefined {
    const panel = this.notebooks.currentWidget;
    const marks: unknown = panel?.content.activeCell?.model.getMetadata('zerohero');
    const id = isObject(marks) ? (own(marks, 'exercise') ?? own(marks, 'check')) : undefined;
    return panel && typeof id === 'string' ? { path: panel.context.path, id } : undefined;
  }

  private isOpen(path: string): boolean {
    return this.notebooks.find(panel => panel.context.path === path) !== undefined;
  }

  private readonly files: CourseFiles;
  private read: Lesson[] = [];
  private lessons: Lesson[] = [];
  private last?: Place;
  private again = false;
  private timer?: number;
}

/** The cells of an open notebook, as far as `exercises` looks at them: outputs only of check cells. */
export function cellsOf(panel: NotebookPanel): CellJson[] {
  return [...(panel.model?.cells ?? [])].map(cell => {
    const metadata = { zerohero: cell.getMetadata('zerohero') as unknown, nbgrader: cell.getMetadata('nbgrader') as unknown };
    const marks = ours({ metadata });
    const read = cell.type === 'markdown' || marks !== undefined;
    return {
      cell_type: cell.type,
      source: read ? cell.sharedModel.getSource() : '',
      metadata,
      outputs: marks && own(marks, 'check') !== undefined && isCodeCellModel(cell) ? cell.outputs.toJSON() : []
    };
  });
}

function readPlace(value: unknown): Place | undefined {
  const path = isObject(value) ? own(value, 'path') : undefined;
  const id = isObject(value) ? own(value, 'id') : undefined;
  return typeof path === 'string' && typeof id === 'string' ? { path, id } : undefined;
}
