/**
 * A report in the page: the verdict first, then which groups pass, then the first finding with its named mistake and its map,
 * then hints. Everything is made by createElement and textContent: no text is ever read as markup.
 */

import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import { keepKeys, make, makeButton } from '../dom';
import type { Translate } from '../view/player';
import { draw, element } from '../view/scene';
import { key, picture, sentence, wrongCells } from './error_map';
import { HINTS, NoHint } from './hints';
import type { ReportHost } from './host';
import { BadReport, parseReport, REPORT_MIME, type ErrorMap, type Finding, type Report } from './parse';
import { stamp } from './provenance';
import { also, hasMap, headline, kinds, prose } from './wording';

const GLYPHS = { passed: '✓', failed: '✗', 'not started': '○' };
const WORDS = { passed: 'Passed', failed: 'Not right yet', 'not started': 'Not started' };
const FIELDS = ['where', 'expected', 'actual'] as const;
const MOST_ROWS = 100; // of the table of a map

export class ReportRenderer extends Widget implements IRenderMime.IRenderer {
  constructor(
    private readonly translate: Translate,
    private readonly host?: ReportHost
  ) {
    super();
    this.addClass('zh-output');
    this.build();
  }

  renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.of = stamp(model.metadata);
    const json = model.data[REPORT_MIME];
    const written = JSON.stringify(json);
    if (this.shown === written) {
      this.compare(); // only the stamp is new: what is opened or has the focus stays
      return Promise.resolve();
    }
    this.shown = written;
    try {
      this.report = parseReport(json);
      this.write(this.report);
    } catch (error) {
      if (!(error instanceof BadReport)) {
        throw error;
      }
      this.report = undefined;
      this.root.replaceChildren(make('p', 'zh-problem', error.message));
    }
    this.settle();
    return Promise.resolve();
  }

  override dispose(): void {
    this.unwatch?.();
    this.stopKeys.abort();
    super.dispose();
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this.stopKeys = new AbortController();
    keepKeys(this.node, (event, target) => this.keysOf.get(target)?.(event) ?? false, this.stopKeys.signal);
    this.settle();
  }

  protected override onBeforeDetach(message: Message): void {
    this.stopKeys.abort();
    this.unwatch?.();
    this.unwatch = undefined;
    super.onBeforeDetach(message);
  }

  // ---- what the report says ----------------------------------------------------------------------------------------------

  private write(report: Report): void {
    const t = this.translate;
    this.keysOf = new WeakMap();
    this.root.dataset.status = report.status;
    this.root.setAttribute('aria-label', `${t('Check of')} ${report.exercise}`);
    const glyph = make('span', 'zh-glyph', GLYPHS[report.status]);
    glyph.setAttribute('aria-hidden', 'true');
    const verdict = make('p', 'zh-verdict');
    verdict.append(glyph, make('strong', '', t(WORDS[report.status])), ' ', ...(report.status === 'failed' ? words(headline(report)) : [report.exercise]));
    this.root.replaceChildren(verdict, this.stale);
    this.hints.replaceChildren();
    if (report.groups.length > 1) {
      const groups = make('ul', 'zh-groups');
      groups.append(...report.groups.map(group => make('li', group.passed ? 'zh-passes' : 'zh-fails', `${group.passed ? `✓ ${t('passes')}` : `✗ ${t('fails')}`}: ${group.name}`)));
      this.root.append(groups);
    }
    if (report.findings.length > 0) {
      const [first] = report.findings;
      this.root.append(this.finding(first));
      if (first.map && hasMap(first)) {
        this.root.append(...this.map(first.map));
      }
    }
    for (const line of also(report)) {
      const more = make('p', 'zh-also');
      more.append(`${t('also')}: `, ...words(line));
      this.root.append(more);
    }
    this.root.append(this.help);
  }

  private finding(finding: Finding): HTMLElement {
    const t = this.translate;
    const table = make('table', 'zh-finding');
    const row = (label: string, ...value: (Node | string)[]): HTMLElement => {
      const line = make('tr');
      const head = make('th', '', label);
      head.scope = 'row';
      const cell = make('td');
      cell.append(...value);
      line.append(head, cell);
      table.append(line);
      return line;
    };
    for (const field of FIELDS) {
      if (finding[field]) {
        row(t(field), make('code', '', finding[field]));
      }
    }
    const named = kinds(finding).map(({ kind, because }) => [make('strong', '', kind), ...(because ? [': ', ...words(because)] : [])]);
    if (named.length === 1) {
      row(t('mistake'), ...named[0]).className = 'zh-mistake';
    } else if (named.length > 1) {
      const list = make('ul');
      for (const one of named) {
        const item = make('li');
        item.append(...one);
        list.append(item);
      }
      row(t('mistake'), t('one of these; each fits what was seen'), list).className = 'zh-mistake';
    }
    if (finding.next) {
      row(t('next'), ...words(finding.next));
    }
    return table;
  }

  private map(map: ErrorMap): HTMLElement[] {
    const t = this.translate;
    const said = make('p', 'zh-where');
    said.append(...words(sentence(map)));
    if (map.cells.flat().every(error => error !== 0)) {
      return [said]; // a picture would say no more
    }
    const { mark, width, height } = picture(map);
    const readout = make('p', 'zh-readout');
    readout.setAttribute('aria-live', 'polite');
    const svg = element('svg', { class: 'zh-svg', viewBox: `0 0 ${width} ${height}`, width, height, role: 'group', 'aria-label': `${t('Map of')} ${map.of}` });
    const nothing = (): void => undefined;
    const points = (at: string): void => {
      readout.textContent = at;
    };
    svg.append(draw([mark], { points, selects: nothing, toggles: nothing, keys: (target, does) => this.keysOf.set(target, does) }));
    const stage = make('div', 'zh-stage');
    stage.append(svg);
    const table = make('details', 'zh-table');
    table.append(make('summary', '', t('As a table')));
    table.addEventListener('toggle', () => {
      if (table.open && !table.querySelector('table')) {
        table.append(...wrongTable(map, t));
      }
    });
    return [said, stage, readout, make('p', 'zh-key', key(map)), table];
  }

  // ---- where it lies -----------------------------------------------------------------------------------------------------

  /** What depends on the notebook around the report: whether it is of the answer as it stands, hints, the lesson. */
  private settle(): void {
    this.unwatch?.();
    this.unwatch = undefined;
    const { report, host } = this;
    this.stale.hidden = true;
    this.help.hidden = true;
    if (!report || !host || !this.isAttached || !host.holds(this.node) || report.exercise === 'gradcheck') {
      return;
    }
    this.unwatch = host.watch(report.exercise, () => this.compare());
    this.help.hidden = report.status !== 'failed';
    const section = host.section(report.exercise);
    this.lesson.hidden = !section;
    this.lesson.textContent = `${this.translate('Lesson')}: ${section?.title ?? ''}`;
    this.compare();
    this.showHints();
  }

  private compare(): void {
    const { report, host } = this;
    if (report && host && this.unwatch) {
      const of = this.of ?? host.checked(report.exercise);
      const now = host.answer(report.exercise);
      this.stale.hidden = of === undefined || now === undefined || of === now;
      this.root.classList.toggle('zh-old', !this.stale.hidden);
    }
  }

  private showHints(): void {
    const { report, host, translate: t } = this;
    if (!report || !host) {
      return;
    }
    const texts = host.texts(report.exercise);
    const opened = host.opened(report.exercise);
    for (const text of texts.slice(this.hints.childElementCount)) {
      const item = make('li');
      item.append(...words(text));
      this.hints.append(item);
    }
    this.hints.hidden = texts.length === 0;
    const lost = opened - texts.length;
    this.reopen.hidden = lost === 0;
    this.reopen.textContent = opened === 1 ? t('Show the hint you opened') : `${t('Show the hints you opened')} (${opened})`;
    this.more.hidden = opened >= HINTS;
    this.more.textContent = `${t('Hint')} ${opened + 1} ${t('of')} ${HINTS}`;
  }

  private async open(number: number): Promise<void> {
    const { report, host, translate: t } = this;
    if (!report || !host || this.asking) {
      return;
    }
    this.asking = true;
    const buttons = [this.more, this.reopen];
    buttons.forEach(button => button.setAttribute('aria-disabled', 'true'));
    this.said.textContent = host.busy ? t('The kernel is busy: the hint comes when it is free.') : '';
    let problem = '';
    try {
      await host.open(report.exercise, number, t);
    } catch (error) {
      if (!(error instanceof NoHint)) {
        throw error;
      }
      problem = error.message;
    } finally {
      this.asking = false;
      buttons.forEach(button => button.removeAttribute('aria-disabled'));
      if (!this.isDisposed) {
        this.said.textContent = problem;
        const focused = buttons.some(button => button === document.activeElement);
        this.showHints();
        if (focused && buttons.every(button => button.hidden)) {
          this.lesson.focus(); // the button that had the focus is gone
        }
      }
    }
  }

  // ---- the page ----------------------------------------------------------------------------------------------------------

  private build(): void {
    const t = this.translate;
    this.stale.setAttribute('role', 'status');
    this.stale.append(`${t('This report is of an earlier version of your answer.')} `);
    this.stale.append(makeButton(t('Check again'), () => this.report && this.host?.check(this.report.exercise)));
    this.hints.setAttribute('aria-live', 'polite');
    this.hints.setAttribute('aria-label', t('Hints'));
    this.said.setAttribute('role', 'status');
    this.more = makeButton('', () => void this.open((this.report && this.host ? this.host.opened(this.report.exercise) : 0) + 1));
    this.reopen = makeButton('', () => void this.open(this.report && this.host ? this.host.opened(this.report.exercise) : 0));
    this.lesson = makeButton('', () => this.report && void this.host?.goToSection(this.report.exercise));
    this.lesson.classList.add('zh-link');
    const bar = make('div', 'zh-bar');
    bar.append(this.reopen, this.more, this.lesson, this.said);
    this.help.append(this.hints, bar);
    this.node.append(this.root);
  }

  private readonly root = make('section', 'zh-view zh-report');
  private readonly stale = make('p', 'zh-stale');
  private readonly help = make('div', 'zh-help');
  private readonly hints = make('ol', 'zh-hints');
  private readonly said = make('span', 'zh-said');
  private more!: HTMLButtonElement;
  private reopen!: HTMLButtonElement;
  private lesson!: HTMLButtonElement;

  private report?: Report;
  private shown?: string;
  private of?: string;
  private asking = false;
  private unwatch?: () => void;
  private stopKeys = new AbortController();
  private keysOf = new WeakMap<Element, (event: KeyboardEvent) => boolean>();
}

function words(text: string): (Node | string)[] {
  return prose(text).map(part => (part.code ? make('code', '', part.text) : part.text));
}

function wrongTable(map: ErrorMap, t: Translate): HTMLElement[] {
  const { rows, more } = wrongCells(map, MOST_ROWS);
  const table = make('table');
  for (const [where, amount] of rows) {
    const line = make('tr');
    const head = make('th', '', where);
    head.scope = 'row';
    line.append(head, make('td', '', amount));
    table.append(line);
  }
  return more > 0 ? [table, make('p', '', `${t('and more')}: ${more}`)] : [table];
}
