import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { exercises, hash, type CellJson } from '../src/course/status';

// run from labext/
const example = JSON.parse(readFileSync('../tests/examples/progress.json', 'utf-8')) as { notebook: { cells: CellJson[] }; states: [string, string][] };

test('the states are those of `zerohero progress`', () => {
  assert.deepEqual(
    exercises(example.notebook.cells).map(one => [one.id, one.state]),
    example.states
  );
});

test('points, places and sections', () => {
  const found = exercises(example.notebook.cells);
  const right = found.find(one => one.id === 'm99-right');
  assert.deepEqual(right, { id: 'm99-right', state: 'passing', points: 2.5, answer: 9, check: 10, section: 'Second part' });
  assert.equal(found[0].section, 'Lesson');
  assert.equal(found.find(one => one.id === 'm99-check-deleted')?.check, -1);
});

test('the hash is that of the course build', () => {
  // hashlib.sha256("stub".encode()).hexdigest()[:16]
  assert.equal(hash('stub'), '725c546b990dd1b4');
});

test('hostile cells are passed over', () => {
  const hostile = [
    {},
    { cell_type: 'code', metadata: null },
    { cell_type: 'code', metadata: { zerohero: [] } },
    { cell_type: 'code', metadata: { zerohero: { exercise: 7 } } },
    { cell_type: 'code', metadata: { zerohero: { check: '__proto__', exercise: undefined } }, outputs: [null, 3, { data: { 'application/vnd.zerohero.report+json': 'x' } }] },
    { cell_type: 'code', source: [1, 'a'], metadata: { zerohero: { exercise: 'm99-a', starter: {} } } }
  ] as CellJson[];
  assert.deepEqual(
    exercises(hostile).map(one => [one.id, one.state]),
    [
      ['__proto__', 'not started'],
      ['m99-a', 'edited']
    ]
  );
});
