import assert from 'node:assert/strict';
import { test } from 'node:test';

import { plan, startedOf, summary } from '../src/check/plan';
import { exercises, hash, type CellJson } from '../src/course/status';

const code = (marks?: object, source = 'x'): CellJson => ({ cell_type: 'code', source, metadata: marks ? { zerohero: marks } : {}, outputs: [] });
const answer = (id: string, source: string): CellJson => code({ exercise: id, starter: hash('starter') }, source);
const cells: CellJson[] = [
  { cell_type: 'markdown', source: '# One', metadata: {} }, // 0
  code({ given: true }), // 1
  code({ predict: 'm99-guess' }), // 2
  answer('m99-a', 'mine'), // 3
  code({ check: 'm99-a' }), // 4
  code(), // 5: the student's own
  answer('m99-b', 'starter'), // 6
  code({ check: 'm99-b' }), // 7
  code({ given: true }), // 8
  answer('m99-c', 'mine'), // 9
  { cell_type: 'raw', source: '', metadata: {} }, // 10
  code({ check: 'm99-c' }), // 11
  code({ given: true }) // 12
];
const all = exercises(cells);
const only = (id: string): typeof all => all.filter(one => one.id === id);
const places = (steps: { cell: number }[]): number[] => steps.map(step => step.cell);

test('a check runs the answer and its check cell, and nothing else', () => {
  assert.deepEqual(plan(cells, only('m99-c'), false), [
    { cell: 9, part: 'answer', id: 'm99-c' },
    { cell: 11, part: 'check', id: 'm99-c' }
  ]);
});

test('with a fresh kernel, code above comes first: what is given, earlier answers, own cells; no check, no prediction, nothing below', () => {
  const steps = plan(cells, only('m99-c'), true);
  assert.deepEqual(places(steps), [1, 3, 5, 6, 8, 9, 11]);
  assert.deepEqual(steps.map(step => step.part), ['above', 'above', 'above', 'above', 'above', 'answer', 'check']);
});

test('check all takes what was begun, in order, and with a fresh kernel what stands between', () => {
  assert.deepEqual(startedOf(all).map(one => one.id), ['m99-a', 'm99-c']);
  assert.deepEqual(places(plan(cells, startedOf(all), false)), [3, 4, 9, 11]);
  assert.deepEqual(places(plan(cells, startedOf(all), true)), [1, 3, 4, 5, 6, 8, 9, 11]);
});

test('a check cell above its answer runs after it; without an answer the check alone; without a check nothing is begun', () => {
  const moved = [cells[1], cells[4], cells[3]];
  assert.deepEqual(places(plan(moved, exercises(moved), true)), [0, 2, 1]);
  const lost = [cells[1], cells[4]];
  assert.deepEqual(plan(lost, exercises(lost), true).map(step => step.part), ['above', 'check']);
  assert.deepEqual(startedOf(exercises([cells[1], cells[3]])), []);
  assert.deepEqual(plan(cells, [], true), []);
});

test('the summary counts each state that occurs', () => {
  assert.equal(summary(all), '2 without a report, 1 not started');
});
