import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import type { Contents } from '@jupyterlab/services';

import { courseFolder, exerciseName, nextUnfinished, progress, search, type Lesson } from '../src/course/course';
import { CourseFiles } from '../src/course/files';
import type { Exercise, State } from '../src/course/status';

function exercise(id: string, state: State, points = 1, section = ''): Exercise {
  return { id, state, points, answer: 0, check: 1, section };
}

const lessons: Lesson[] = [
  { path: 'm01_a/m01_a.ipynb', problem: '', exercises: [exercise('m01-x', 'passing', 2), exercise('m01-y', 'failing', 3, 'The chain rule')] },
  { path: 'm02_b/m02_b.ipynb', problem: '', exercises: [exercise('m02-z', 'not started', 0.5), exercise('m02-w', 'passing')] }
];

test('progress counts exercises and their points', () => {
  assert.deepEqual(progress(lessons), { passing: 2, exercises: 4, points: 3, ofPoints: 6.5 });
  assert.deepEqual(progress([]), { passing: 0, exercises: 0, points: 0, ofPoints: 0 });
});

test('next unfinished goes on behind where one is, and round', () => {
  assert.deepEqual(nextUnfinished(lessons), { path: 'm01_a/m01_a.ipynb', id: 'm01-y' });
  assert.equal(nextUnfinished(lessons, { path: 'm01_a/m01_a.ipynb', id: 'm01-y' })?.id, 'm02-z');
  assert.equal(nextUnfinished(lessons, { path: 'm02_b/m02_b.ipynb', id: 'm02-z' })?.id, 'm01-y');
  assert.equal(nextUnfinished(lessons, { path: 'gone.ipynb', id: 'm02-z' })?.id, 'm01-y');
  assert.equal(nextUnfinished([{ path: 'p', problem: '', exercises: [exercise('a', 'passing')] }]), undefined);
});

test('search looks at names, sections and states', () => {
  const found = (query: string): string[] => search(lessons, query).flatMap(lesson => lesson.exercises.map(one => one.id));
  assert.deepEqual(found('chain'), ['m01-y']);
  assert.deepEqual(found('M02 passing'), ['m02-w']);
  assert.deepEqual(found('  '), ['m01-x', 'm01-y', 'm02-z', 'm02-w']);
  assert.deepEqual(found('nothing such'), []);
});

test('the course is the folder above a module folder', () => {
  assert.equal(courseFolder('m02_micrograd/m02_micrograd.ipynb'), '');
  assert.equal(courseFolder('home/course/m02_micrograd/m02_micrograd.ipynb'), 'home/course');
  assert.equal(courseFolder('home/mine.ipynb'), 'home');
  assert.equal(exerciseName('m02-value-mul'), 'value mul');
});

/** A contents manager over a plain object: a folder is an object, a notebook an array of cells. */
class Fake {
  asked: string[] = [];
  constructor(readonly tree: Record<string, unknown>) {}

  async get(path: string): Promise<Contents.IModel> {
    this.asked.push(path);
    let here: unknown = this.tree;
    for (const part of path.split('/').filter(Boolean)) {
      here = (here as Record<string, unknown>)[part];
      if (here === undefined) {
        throw new Error(`${path} is missing`);
      }
    }
    return this.model(path, here, true);
  }

  private model(path: string, here: unknown, content: boolean): Contents.IModel {
    const type = Array.isArray(here) ? 'notebook' : typeof here === 'string' ? 'file' : 'directory';
    const inside =
      type === 'directory'
        ? Object.entries(here as object).map(([name, one]) => this.model(path ? `${path}/${name}` : name, one, false))
        : type === 'notebook'
          ? { cells: here }
          : here;
    const stamp = type === 'notebook' ? JSON.stringify(here) : '';
    return { path, name: path.split('/').pop() ?? '', type, last_modified: stamp, content: content ? inside : null } as Contents.IModel;
  }
}

const { cells } = (JSON.parse(readFileSync('../tests/examples/progress.json', 'utf-8')) as { notebook: { cells: unknown[] } }).notebook;

test('notebooks of the folder and of module folders are read, nothing deeper, and again only when they changed', async () => {
  const fake = new Fake({
    'start.ipynb': [],
    m01_a: { 'm01_a.ipynb': cells, deep: { 'm09_z.ipynb': cells } },
    m02_b: { 'm02_b.ipynb': cells },
    other: { 'm03_c.ipynb': cells }
  });
  const files = new CourseFiles(fake as never);
  assert.deepEqual(
    (await files.lessons()).map(one => one.path),
    ['m01_a/m01_a.ipynb', 'm02_b/m02_b.ipynb']
  );
  fake.asked = [];
  (fake.tree.m02_b as Record<string, unknown[]>)['m02_b.ipynb'] = cells.slice(0, 4);
  const again = await files.lessons('m01_a/m01_a.ipynb');
  assert.deepEqual(again.map(one => one.exercises.length), [9, 1]);
  assert.deepEqual(fake.asked.filter(path => path.endsWith('.ipynb')), ['m02_b/m02_b.ipynb']);
});

test('a notebook that cannot be read is said by name, a moved one is gone', async () => {
  const fake = new Fake({ m01_a: { 'm01_a.ipynb': cells }, m02_b: { 'm02_b.ipynb': cells } });
  const get = fake.get.bind(fake);
  fake.get = async path => (path.endsWith('m01_a.ipynb') ? Promise.reject(new Error('Unreadable Notebook')) : get(path));
  const files = new CourseFiles(fake as never);
  const [broken] = await files.lessons();
  assert.deepEqual([broken.path, broken.problem], ['m01_a/m01_a.ipynb', 'Unreadable Notebook']);
  delete fake.tree.m01_a;
  assert.deepEqual((await files.lessons()).map(one => one.path), ['m02_b/m02_b.ipynb']);
});
