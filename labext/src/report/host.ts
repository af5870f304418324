/** The notebook that a report lies in, as far as the report needs it. */

import { isMarkdownCellModel } from '@jupyterlab/cells';
import type { INotebookModel, NotebookPanel } from '@jupyterlab/notebook';

import { hash, ours } from '../course/status';
import { isObject, own } from '../json';
import type { Translate } from '../view/player';
import { askHint, HINTS } from './hints';
import { cellOf, checkedHere } from './provenance';

const QUIET_MS = 200; // after the last change of an answer, before anything is compared

export class ReportHost {
  constructor(
    private readonly panel: NotebookPanel,
    /** Runs zerohero:check for an exercise of this notebook. */
    readonly check: (id: string) => void
  ) {}

  /** Whether `node` lies in a cell of the notebook; a copy of an output elsewhere does not. */
  holds(node: Element): boolean {
    return this.panel.content.node.contains(node);
  }

  // ---- is the report of the answer as it stands? -------------------------------------------------------------------------

  /** The answer to `id` as it stands; undefined when it was deleted. */
  answer(id: string): string | undefined {
    const cell = this.model && cellOf(this.model, id, 'exercise');
    return cell && hash(cell.sharedModel.getSource());
  }

  /** The answer that was last checked here, for notebooks that cannot be written. */
  checked(id: string): string | undefined {
    const cell = this.model && cellOf(this.model, id, 'check');
    return cell && checkedHere(cell);
  }

  /** Call `changed` some time after the answer to `id` has changed, until what is returned is called. */
  watch(id: string, changed: () => void): () => void {
    const model = this.model;
    let timer: number | undefined;
    const soon = (): void => {
      window.clearTimeout(timer);
      timer = window.setTimeout(changed, QUIET_MS);
    };
    let answer = model && cellOf(model, id, 'exercise');
    answer?.contentChanged.connect(soon);
    const again = (): void => {
      answer?.contentChanged.disconnect(soon); // a cell that is moved is another one
      answer = model && cellOf(model, id, 'exercise');
      answer?.contentChanged.connect(soon);
      soon();
    };
    model?.cells.changed.connect(again);
    return () => {
      window.clearTimeout(timer);
      answer?.contentChanged.disconnect(soon);
      model?.cells.changed.disconnect(again);
    };
  }

  // ---- hints ---------------------------------------------------------------------------------------------------------

  /** How many hints to `id` were opened, now or in an earlier session. */
  opened(id: string): number {
    const cell = this.model && cellOf(this.model, id, 'check');
    const marks = cell && ours({ metadata: { zerohero: cell.getMetadata('zerohero') as unknown } });
    const noted = marks && own(marks, 'hints');
    const count = typeof noted === 'number' && Number.isInteger(noted) ? Math.min(Math.max(noted, 0), HINTS) : 0;
    return Math.max(count, this.texts(id).length);
  }

  /** The texts of hints opened since the page was loaded, from the first on. */
  texts(id: string): readonly string[] {
    return this.hints.get(id) ?? [];
  }

  get busy(): boolean {
    return this.panel.sessionContext.session?.kernel?.status === 'busy';
  }

  /** Open the hints to `id` up to `number`. Throws NoHint. */
  async open(id: string, number: number, t: Translate): Promise<void> {
    for (let next = this.texts(id).length + 1; next <= number; next++) {
      const text = await askHint(this.panel.sessionContext.session?.kernel, id, next, t);
      this.hints.set(id, [...this.texts(id).slice(0, next - 1), text]);
    }
    const cell = this.model && cellOf(this.model, id, 'check');
    const marks: unknown = cell?.getMetadata('zerohero');
    if (cell && isObject(marks) && own(marks, 'hints') !== this.opened(id) && this.panel.context.contentsModel?.writable !== false) {
      cell.setMetadata('zerohero', { ...marks, hints: this.opened(id) });
    }
  }

  // ---- the lesson ------------------------------------------------------------------------------------------------------

  /** The heading above the answer to `id`; undefined when there is none. */
  section(id: string): { cell: number; title: string } | undefined {
    const cells = [...(this.model?.cells ?? [])];
    const from = cells.findIndex(cell => cell === (this.model && (cellOf(this.model, id, 'exercise') ?? cellOf(this.model, id, 'check'))));
    for (let n = from - 1; n >= 0; n--) {
      const cell = cells[n];
      const title = isMarkdownCellModel(cell) ? lastHeading(cell.sharedModel.getSource()) : undefined;
      if (title !== undefined) {
        return { cell: n, title: title.replaceAll('`', '') };
      }
    }
    return undefined;
  }

  async goToSection(id: string): Promise<void> {
    const section = this.section(id);
    if (!section) {
      return;
    }
    const notebook = this.panel.content;
    notebook.activeCellIndex = section.cell;
    await notebook.scrollToItem(section.cell, 'start');
    // a heading may stand in the middle of a long cell
    const headings = notebook.widgets[section.cell].node.querySelectorAll('h1, h2, h3, h4, h5, h6');
    headings.item(headings.length - 1)?.scrollIntoView({ block: 'start' });
    notebook.activate();
  }

  private get model(): INotebookModel | undefined {
    return (this.panel.isDisposed ? undefined : this.panel.content.model) ?? undefined;
  }

  private readonly hints = new Map<string, readonly string[]>();
}

function lastHeading(markdown: string): string | undefined {
  return [...markdown.matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)].at(-1)?.[1];
}
