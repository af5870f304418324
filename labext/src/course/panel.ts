/** The course map: a tree of lessons and exercises in the left sidebar. It draws what it is given, and says what was asked for. */

import { LabIcon } from '@jupyterlab/ui-components';
import { Signal, type ISignal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { make, makeButton } from '../dom';
import { exerciseName, lessonName, progress, search, type Lesson, type Place } from './course';
import type { Exercise, State } from './status';

type Translate = (text: string) => string;

/** A shape for each state, so that colour is not needed. */
const GLYPHS: Record<State, string> = { passing: '✓', failing: '✗', edited: '✎', 'not started': '○' };

export const courseIcon = new LabIcon({
  name: 'zerohero:course',
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16"><path class="jp-icon3" fill="none" stroke="#616161" stroke-width="1.6" d="M2 13c3 0 3-9 6-9s3 5 6 5"/><circle class="jp-icon3" fill="#616161" cx="8" cy="4" r="2"/></svg>'
});

export type Wish =
  | { wish: 'open'; place: Place }
  | { wish: 'check'; place: Place }
  | { wish: 'next' }
  | { wish: 'resume' }
  | { wish: 'check all' }
  | { wish: 'submit' }
  | { wish: 'feedback' }
  | { wish: 'refresh' }
  | { wish: 'look' };

export class CoursePanel extends Widget {
  constructor(private readonly translate: Translate) {
    super();
    this.id = 'zerohero-course';
    this.addClass('zh-course');
    this.title.icon = courseIcon;
    this.title.caption = translate('Course map'); // Notebook 7 names its menu entry by it
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', translate('Course map'));
    this.build();
  }

  /** What the reader wants; the plugin carries it out. */
  get wished(): ISignal<this, Wish> {
    return this.wishes;
  }

  /** Draw the lessons. now: the path of the notebook in front. here: the exercise in which the cursor is. resume: where the reader stopped. */
  showCourse(lessons: readonly Lesson[], now: string, here: Place | undefined, resume: Place | undefined): void {
    this.lessons = lessons;
    this.now = now;
    this.here = here;
    this.resume.hidden = !resume;
    this.resume.title = resume ? `${exerciseName(resume.id)} (${lessonName(resume.path)})` : '';
    this.draw();
  }

  protected override onAfterShow(): void {
    this.wishes.emit({ wish: 'look' });
  }

  private draw(): void {
    const t = this.translate;
    const all = progress(this.lessons);
    const none = all.exercises === 0;
    this.empty.hidden = !none || this.lessons.some(lesson => lesson.problem);
    this.tools.hidden = none;
    this.total.hidden = none;
    this.total.textContent = `${all.passing} ${t('of')} ${all.exercises} ${t('exercises pass')}, ${points(all.points)} ${t('of')} ${points(all.ofPoints)} ${t('practice points')}`;
    const focus = this.tree.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset.key : undefined;
    this.tree.replaceChildren(...search(this.lessons, this.query.value).map(lesson => this.lesson(lesson)));
    const items = this.items();
    const current = items.find(item => item.dataset.key === (focus ?? this.current)) ?? items[0];
    for (const item of items) {
      item.tabIndex = item === current ? 0 : -1;
    }
    if (focus !== undefined) {
      current?.focus();
    }
  }

  private lesson(lesson: Lesson): HTMLElement {
    const name = lessonName(lesson.path);
    const own = progress([lesson]);
    const open = this.query.value !== '' || (this.opened.get(lesson.path) ?? lesson.path === this.now);
    const item = make('li', 'zh-lesson');
    const counts = lesson.problem ? this.translate('cannot be read') : `${own.passing}/${own.exercises}`;
    const row = this.row(`lesson ${lesson.path}`, [open ? '▾' : '▸', name, counts], lesson.problem || lesson.path);
    item.setAttribute('role', 'none');
    row.setAttribute('aria-expanded', String(open));
    row.setAttribute('aria-level', '1');
    row.setAttribute('aria-label', lesson.problem ? `${name}: ${counts}` : `${name}: ${own.passing} ${this.translate('of')} ${own.exercises} ${this.translate('exercises pass')}`);
    row.addEventListener('click', () => this.toggle(lesson.path, !open));
    item.append(row);
    if (open) {
      const group = make('ul', 'zh-exercises');
      group.setAttribute('role', 'group');
      group.append(...lesson.exercises.map(exercise => this.exercise(lesson, exercise)));
      item.append(group);
    }
    return item;
  }

  private exercise(lesson: Lesson, exercise: Exercise): HTMLElement {
    const place = { path: lesson.path, id: exercise.id };
    const graded = lesson.graded?.get(exercise.id);
    const worth = graded ? `${points(graded.score)}/${points(graded.points)} ${this.translate('graded')}` : points(exercise.points);
    const item = make('li', `zh-exercise zh-state-${exercise.state.replace(' ', '-')}`);
    item.setAttribute('role', 'none');
    const row = this.row(`exercise ${lesson.path} ${exercise.id}`, [GLYPHS[exercise.state], exerciseName(exercise.id), worth], `${exercise.id}: ${this.translate(exercise.state)}`);
    row.setAttribute('aria-level', '2');
    const said = graded ? `${points(graded.score)} ${this.translate('of')} ${points(graded.points)} ${this.translate('graded points')}` : `${points(exercise.points)} ${this.translate(exercise.points === 1 ? 'point' : 'points')}`;
    row.setAttribute('aria-label', `${exerciseName(exercise.id)}: ${this.translate(exercise.state)}, ${said}`);
    if (this.here?.path === lesson.path && this.here.id === exercise.id) {
      row.setAttribute('aria-current', 'true');
    }
    const check = button(this.translate('Check'), `${this.translate('Check')} ${exerciseName(exercise.id)}`, () => this.wishes.emit({ wish: 'check', place }));
    check.tabIndex = -1; // one place in the tab order for the whole tree: "c" checks
    row.addEventListener('click', event => event.target !== check && this.wishes.emit({ wish: 'open', place }));
    row.append(check); // a tree may hold nothing but its items
    item.append(row);
    return item;
  }

  private row(key: string, [glyph, name, worth]: [string, string, string], title: string): HTMLElement {
    const row = make('div', 'zh-row');
    row.setAttribute('role', 'treeitem');
    row.dataset.key = key;
    row.title = title;
    for (const [text, className] of [[glyph, 'zh-glyph'], [name, 'zh-name'], [worth, 'zh-worth']]) {
      const part = make('span', className);
      part.textContent = text;
      part.setAttribute('aria-hidden', 'true');
      row.append(part);
    }
    return row;
  }

  private toggle(path: string, open: boolean): void {
    this.opened.set(path, open);
    this.current = `lesson ${path}`;
    this.draw();
  }

  private items(): HTMLElement[] {
    return [...this.tree.querySelectorAll<HTMLElement>('.zh-row')];
  }

  /** The keys of a tree: up, down, Home, End; right opens, left closes or goes up; Enter goes there, c checks. */
  private readonly keys = (event: KeyboardEvent): void => {
    const items = this.items();
    const at = items.indexOf(event.target as HTMLElement);
    if (at < 0 || event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    const item = items[at];
    const isLesson = item.hasAttribute('aria-expanded');
    const open = item.getAttribute('aria-expanded') === 'true';
    const go = (to: number): void => {
      const next = items[Math.min(Math.max(to, 0), items.length - 1)];
      item.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    };
    const does: Record<string, () => void> = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => go(at - 1),
      Home: () => go(0),
      End: () => go(items.length - 1),
      ArrowRight: () => (isLesson && !open ? item.click() : go(at + (isLesson ? 1 : 0))),
      ArrowLeft: () => (isLesson ? open && item.click() : go(items.indexOf(item.closest('.zh-lesson')?.querySelector<HTMLElement>('.zh-row') ?? item))),
      Enter: () => item.click(),
      ' ': () => item.click(),
      c: () => item.querySelector('button')?.click()
    };
    if (Object.hasOwn(does, event.key)) {
      does[event.key]();
      event.preventDefault();
      event.stopPropagation();
    }
  };

  private build(): void {
    const t = this.translate;
    const head = make('h2', 'zh-course-title');
    head.textContent = t('Practice');
    this.query.type = 'search';
    this.query.placeholder = t('Search exercises');
    this.query.setAttribute('aria-label', t('Search exercises'));
    this.query.addEventListener('input', () => this.draw());
    this.resume = button(t('Resume'), t('Go to where you stopped'), () => this.wishes.emit({ wish: 'resume' }));
    this.tools.append(
      button(t('Next unfinished'), t('Go to the next exercise that does not pass'), () => this.wishes.emit({ wish: 'next' })),
      this.resume,
      button(t('Check all'), t('Check all exercises of the open notebook'), () => this.wishes.emit({ wish: 'check all' })),
      button(t('Submit'), t('Hand in the open notebook'), () => this.wishes.emit({ wish: 'submit' })),
      button(t('Feedback'), t('Fetch feedback on the open notebook'), () => this.wishes.emit({ wish: 'feedback' })),
      button('↻', t('Read the notebooks again'), () => this.wishes.emit({ wish: 'refresh' }))
    );
    this.tree.setAttribute('role', 'tree');
    this.tree.setAttribute('aria-label', t('Lessons and exercises'));
    this.tree.addEventListener('keydown', this.keys);
    this.empty.textContent = t('No lesson of the course in this folder. Open one of its notebooks, or start JupyterLab in the folder that holds m01_derivatives.');
    this.total.setAttribute('aria-live', 'polite');
    this.node.append(head, this.total, this.tools, this.query, this.empty, this.tree);
  }

  private readonly total = make('p', 'zh-total');
  private readonly tools = make('div', 'zh-tools');
  private readonly query = make('input', 'zh-search');
  private readonly empty = make('p', 'zh-empty');
  private readonly tree = make('ul', 'zh-tree');
  private resume!: HTMLButtonElement;
  private readonly wishes = new Signal<this, Wish>(this);
  private readonly opened = new Map<string, boolean>();
  private lessons: readonly Lesson[] = [];
  private now = '';
  private here?: Place;
  private current = '';
}

function points(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function button(text: string, label: string, does: () => void): HTMLButtonElement {
  return makeButton(text, does, label, 'zh-button');
}
