/** The course of a folder: its notebooks, their exercises, and what comes next. No DOM, no JupyterLab. */

import type { Exercise, State } from './status';

/** A notebook of the course. */
export interface Lesson {
  path: string;
  exercises: Exercise[];
  /** Why it cannot be read; '' when it can. */
  problem: string;
  /** Points by exercise of the feedback that was fetched last; undefined while there is none. */
  graded?: Map<string, Graded>;
}

export interface Graded {
  score: number;
  points: number;
}

export interface Progress {
  passing: number;
  exercises: number;
  points: number;
  ofPoints: number;
}

/** One exercise in one notebook. */
export interface Place {
  path: string;
  id: string;
}

export const STATES: readonly State[] = ['passing', 'failing', 'edited', 'not started'];

export function progress(lessons: readonly Lesson[]): Progress {
  const all = lessons.flatMap(lesson => lesson.exercises);
  const passing = all.filter(one => one.state === 'passing');
  const sum = (some: Exercise[]): number => some.reduce((points, one) => points + one.points, 0);
  return { passing: passing.length, exercises: all.length, points: sum(passing), ofPoints: sum(all) };
}

/** The first exercise after `from` that does not pass, going on from the start when there is none behind; undefined when all pass. */
export function nextUnfinished(lessons: readonly Lesson[], from?: Place): Place | undefined {
  const all = lessons.flatMap(lesson => lesson.exercises.map(exercise => ({ path: lesson.path, id: exercise.id, state: exercise.state })));
  const at = from ? all.findIndex(one => one.path === from.path && one.id === from.id) : -1;
  const found = [...all.slice(at + 1), ...all.slice(0, at + 1)].find(one => one.state !== 'passing');
  return found && { path: found.path, id: found.id };
}

/** The lessons with only those exercises that hold every word: in their id, section, state or the name of the notebook. */
export function search(lessons: readonly Lesson[], query: string): Lesson[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    return [...lessons];
  }
  return lessons
    .map(lesson => ({
      ...lesson,
      exercises: lesson.exercises.filter(one => {
        const text = `${lesson.path} ${one.id} ${one.section} ${one.state}`.toLowerCase();
        return words.every(word => text.includes(word));
      })
    }))
    .filter(lesson => lesson.exercises.length > 0);
}

/** "m02_micrograd" of "course/m02_micrograd/m02_micrograd.ipynb". */
export function lessonName(path: string): string {
  return (path.split('/').pop() ?? path).replace(/\.ipynb$/, '');
}

/** "value mul" of "m02-value-mul". */
export function exerciseName(id: string): string {
  return id.replace(/^m\d+-/, '').replaceAll('-', ' ') || id;
}

const MODULE = /^m\d\d_\w+$/;

/** Whether a folder or notebook of this name belongs to a course: m02_micrograd, m02_micrograd.ipynb. */
export function isModule(name: string): boolean {
  return MODULE.test(name.replace(/\.ipynb$/, ''));
}

/** The folder that holds the modules, seen from one of its notebooks: the folder above "m02_micrograd/", else the notebook's own. */
export function courseFolder(path: string): string {
  const folders = path.split('/').slice(0, -1);
  return (isModule(folders.at(-1) ?? '') ? folders.slice(0, -1) : folders).join('/');
}
