import assert from 'node:assert/strict';
import { test } from 'node:test';

import { collapse } from '../src/view/collapse';
import { MOST_BOXES, parseGraph, readGraph } from '../src/view/graph';
import { BadView, type Mark, type Picture } from '../src/view/view';

type Row = [name: string, op: string, data: string, grad: string, inputs: number[], group?: number];
type Turn = [node: number, upstream: string, flows: [number, string, string, string, string][]];

function graphOf(rows: Row[], backward: Turn[] = [], more: Record<string, unknown> = {}): Record<string, unknown> {
  const column = (n: 0 | 1 | 2 | 3): string[] => rows.map(row => row[n]);
  return {
    names: column(0),
    ops: column(1),
    data: column(2),
    grads: column(3),
    inputs: rows.map(row => row[4]),
    group: rows.map(row => row[5] ?? -1),
    groups: [],
    backward,
    replaced: [],
    ...more
  };
}

function pictureOf(graph: Record<string, unknown>): Picture {
  return readGraph({ schema: 1, kind: 'graph', graph });
}

function says(picture: Picture): string[] {
  const [{ labels, frame }] = picture.sequences;
  return labels.map((_, n) => frame(n).says);
}

/** name -> [data, grad] at a step. */
function valuesAt(picture: Picture, step: number): Record<string, string[]> {
  return Object.fromEntries((picture.sequences[0].frame(step).table?.rows ?? []).map(([name, , data, grad]) => [name, [data, grad]]));
}

function textsOf(marks: Mark[]): string[] {
  return marks.flatMap(mark => (mark.mark === 'text' ? [mark.text] : []));
}

function arrowsOf(marks: Mark[]): (Mark & { mark: 'line' | 'arrow' })[] {
  return marks.flatMap(mark => (mark.mark === 'arrow' ? [mark as Mark & { mark: 'line' | 'arrow' }] : []));
}

function togglesOf(picture: Picture): [string, number][] {
  return picture.marks.flatMap(mark => (mark.mark === 'rects' && mark.toggles ? mark.toggles.map((n, i): [string, number] => [mark.labels?.[i] ?? '', n]) : []));
}

function toggled(picture: Picture, group: number): Picture {
  const next = picture.toggle?.(group);
  assert.ok(next && typeof next !== 'string', String(next));
  return next;
}

// L = (a * b + c) * f with a = 2, b = -3, c = 10, f = -2, by hand:
// e = ab = -6, d = e + c = 4, L = df = -8; dL/dd = f = -2, dL/df = d = 4, dL/de = dL/dc = -2, dL/da = -2b = 6, dL/db = -2a = -4
const LECTURE = graphOf(
  [
    ['a', '', '2', '6', []],
    ['b', '', '-3', '-4', []],
    ['e', '*', '-6', '-2', [0, 1]],
    ['c', '', '10', '-2', []],
    ['d', '+', '4', '-2', [2, 3]],
    ['f', '', '-2', '4', []],
    ['L', '*', '-8', '1', [4, 5]]
  ],
  [
    [6, '1', [[0, '-2', '-2', '0', '-2'], [1, '4', '4', '0', '4']]],
    [4, '-2', [[0, '1', '-2', '0', '-2'], [1, '1', '-2', '0', '-2']]],
    [2, '-2', [[0, '-3', '6', '0', '6'], [1, '2', '-4', '0', '-4']]]
  ]
);

test('L = (a * b + c) * f, forward and backward', () => {
  const picture = pictureOf(LECTURE);
  assert.equal(picture.sequences[0].name, 'forward and backward');
  assert.deepEqual(says(picture), [
    'Step 1 of 9, the inputs are given: a = 2, b = -3, c = 10, f = -2.',
    'Step 2 of 9, forward through *: from a = 2 and b = -3 comes e = -6.',
    'Step 3 of 9, forward through +: from e = -6 and c = 10 comes d = 4.',
    'Step 4 of 9, forward through *: from d = 4 and f = -2 comes L = -8.',
    'Step 5 of 9, backward starts at L: its grad is 1.',
    'Step 6 of 9, backward through * (L): upstream 1; to d: local derivative -2, product -2, grad of d 0 + -2 = -2; to f: local derivative 4, product 4, grad of f 0 + 4 = 4.',
    'Step 7 of 9, backward through + (d): upstream -2; to e: local derivative 1, product -2, grad of e 0 + -2 = -2; to c: local derivative 1, product -2, grad of c 0 + -2 = -2.',
    'Step 8 of 9, backward through * (e): upstream -2; to a: local derivative -3, product 6, grad of a 0 + 6 = 6; to b: local derivative 2, product -4, grad of b 0 + -4 = -4.',
    'Step 9 of 9, the whole graph: L = -8, its grad is 1.'
  ]);
  assert.deepEqual(picture.sequences[0].labels, ['inputs', 'forward e', 'forward d', 'forward L', 'seed L', 'backward L', 'backward d', 'backward e', 'whole graph']);
});

test('data appears when it is computed, a grad when it arrives', () => {
  const picture = pictureOf(LECTURE);
  const before = { a: ['2', '0'], b: ['-3', '0'], c: ['10', '0'], f: ['-2', '0'] };
  assert.deepEqual(valuesAt(picture, 0), { ...before, e: ['', '0'], d: ['', '0'], L: ['', '0'] });
  assert.deepEqual(valuesAt(picture, 2), { ...before, e: ['-6', '0'], d: ['4', '0'], L: ['', '0'] });
  assert.deepEqual(valuesAt(picture, 4), { ...before, e: ['-6', '0'], d: ['4', '0'], L: ['-8', '1'] });
  const after = { f: ['-2', '4'], d: ['4', '-2'], L: ['-8', '1'] };
  assert.deepEqual(valuesAt(picture, 5), { ...before, ...after, e: ['-6', '0'] });
  assert.deepEqual(valuesAt(picture, 8), { ...after, a: ['2', '6'], b: ['-3', '-4'], e: ['-6', '-2'], c: ['10', '-2'] });
  assert.deepEqual(valuesAt(picture, 7), valuesAt(picture, 8));
});

test('a step draws its node, what flows, and how it came about; boxes and arrows are drawn once', () => {
  const picture = pictureOf(LECTURE);
  const { marks } = picture.sequences[0].frame(7);
  const flows = arrowsOf(marks);
  assert.equal(flows.length, 2);
  assert.ok(flows.every(mark => mark.look === 'flow' && mark.points[0] > mark.points[mark.points.length - 2])); // from right to left
  assert.ok(textsOf(marks).includes('-2 × -3 = 6') && textsOf(marks).includes('-2 × 2 = -4'));
  const focus = marks.filter(mark => mark.mark === 'rects' && mark.look === 'focus');
  assert.equal(focus.length, 1);
  const forward = arrowsOf(picture.sequences[0].frame(1).marks);
  assert.ok(forward.length === 2 && forward.every(mark => mark.points[0] < mark.points[mark.points.length - 2]));
  assert.equal(arrowsOf(picture.marks).length, 6);
  assert.deepEqual(picture.marks.flatMap(mark => (mark.mark === 'rects' && mark.labels ? mark.labels : [])), [
    'a: an input', 'b: an input', 'e: * of a, b', 'c: an input', 'd: + of e, c', 'f: an input', 'L: * of d, f'
  ]); // prettier-ignore
});

const SQUARE: Row[] = [
  ['a', '', '3', '6', []],
  ['b', '*', '9', '1', [0, 0]]
];

test('a * a: two arrows, and the second gradient is added to the first', () => {
  const picture = pictureOf(graphOf(SQUARE, [[1, '1', [[0, '3', '3', '0', '3'], [1, '3', '3', '3', '6']]]]));
  assert.equal(arrowsOf(picture.marks).length, 2);
  assert.equal(
    says(picture)[3],
    'Step 4 of 5, backward through * (b): upstream 1; to a: local derivative 3, product 3, grad of a 0 + 3 = 3; to a: local derivative 3, product 3, grad of a 3 + 3 = 6.'
  );
  assert.ok(textsOf(picture.sequences[0].frame(3).marks).includes('3 + 3 = 6'));
  assert.equal(valuesAt(picture, 3).a[1], '6');
});

test('a gradient that was replaced is named, with what it should be', () => {
  const rows: Row[] = [['a', '', '3', '3', []], SQUARE[1]];
  const backward: Turn[] = [[1, '1', [[0, '3', '3', '0', '3'], [1, '3', '3', '3', '3']]]]; // prettier-ignore
  const picture = pictureOf(graphOf(rows, backward, { replaced: [0] }));
  assert.ok(says(picture)[3].endsWith('grad of a 0 + 3 = 3; to a: local derivative 3, product 3, grad of a was replaced: 3, not 6.'));
  assert.equal(says(picture)[4], 'Step 5 of 5, the whole graph: b = 9, its grad is 1. Replaced where it should have been added to: the grad of a.');
  assert.ok(!textsOf(picture.sequences[0].frame(3).marks).includes('3 + 3 = 3'));
});

test('a sum that is none is not called one', () => {
  const flowing = (flow: [string, string, string, string]): string => says(pictureOf(graphOf(SQUARE, [[1, '1', [[0, ...flow]]]])))[3].split('to a: ')[1];
  assert.equal(flowing(['3', '3', '1', '2']), 'local derivative 3, product 3, grad of a 1 becomes 2, not 4.');
  assert.equal(flowing(['3', '3', '0', '0']), 'local derivative 3, product 3, grad of a stays 0, not 3.');
  assert.equal(flowing(['?', '?', '0', '3']), 'local derivative ?, product ?, grad of a 0 becomes 3.');
  // five digits each: 0.33333 + 0.66667 = 1, and 1234.6 + 0.011111 = 1234.6
  assert.equal(flowing(['1', '0.66667', '0.33333', '1']), 'local derivative 1, product 0.66667, grad of a 0.33333 + 0.66667 = 1.');
  assert.equal(flowing(['1', '0.011111', '1234.6', '1234.6']), 'local derivative 1, product 0.011111, grad of a 1234.6 + 0.011111 = 1234.6.');
});

test('the last step shows what the values hold, and says so when that is something else', () => {
  const backward: Turn[] = [[1, '1', [[0, '3', '3', '0', '3'], [1, '3', '3', '3', '6']]]]; // prettier-ignore
  const fresh = pictureOf(graphOf([['a', '', '3', '0', []], ['b', '*', '9', '0', [0, 0]]], backward)); // prettier-ignore
  assert.equal(says(fresh)[4], 'Step 5 of 5, the whole graph: b = 9, its grad is 0. Every grad is 0: backward has not run; the steps show what it would do.');
  assert.deepEqual([valuesAt(fresh, 3).a, valuesAt(fresh, 4).a], [['3', '6'], ['3', '0']]); // prettier-ignore
  const twice = pictureOf(graphOf([['a', '', '3', '12', []], SQUARE[1]], backward));
  assert.equal(says(twice)[4], 'Step 5 of 5, the whole graph: b = 9, its grad is 1. The grads held now are not those that the steps end with: a has 12.');
});

test('a grad that was not zeroed before is seen, and a graph without backward ends with its data', () => {
  const picture = pictureOf(graphOf(SQUARE, [[1, '1', [[0, '3', '3', '5', '8'], [1, '3', '3', '8', '11']]]]));
  assert.equal(valuesAt(picture, 0).a[1], '5');
  assert.ok(says(picture)[3].includes('grad of a 5 + 3 = 8'));
  const forward = pictureOf(graphOf([['a', '', '3', '0', []], ['b', '*', '9', '0', [0, 0]]]));
  assert.deepEqual(says(forward).slice(1), ['Step 2 of 3, forward through *: from a = 3 comes b = 9.', 'Step 3 of 3, the whole graph: b = 9, its grad is 0. Every grad is 0: backward has not run.']);
});

// A layer of one neuron, o = tanh(x * w + b), and loss = o * o: x = 1, w = 0.5, b = 0; tanh 0.5 = 0.46212, 1 - 0.46212^2 = 0.78645
// loss = 0.21355, dloss/do = 2 * 0.46212 = 0.92423, dloss/dn = 0.92423 * 0.78645 = 0.72686, dloss/dx = 0.72686 * 0.5 = 0.36343
function neuron(closed: boolean[]): Record<string, unknown> {
  return graphOf(
    [
      ['x', '', '1', '0.36343', []],
      ['w', '', '0.5', '0.72686', [], 0],
      ['v3', '*', '0.5', '0.72686', [0, 1], 0],
      ['b', '', '0', '0.72686', [], 0],
      ['n', '+', '0.5', '0.72686', [2, 3], 0],
      ['o', 'tanh', '0.46212', '0.92423', [4], 0],
      ['loss', '*', '0.21355', '1', [5, 5]]
    ],
    [
      [6, '1', [[0, '0.46212', '0.46212', '0', '0.46212'], [1, '0.46212', '0.46212', '0.46212', '0.92423']]],
      [5, '0.92423', [[0, '0.78645', '0.72686', '0', '0.72686']]],
      [4, '0.72686', [[0, '1', '0.72686', '0', '0.72686'], [1, '1', '0.72686', '0', '0.72686']]],
      [2, '0.72686', [[0, '0.5', '0.36343', '0', '0.36343'], [1, '1', '0.72686', '0', '0.72686']]]
    ],
    {
      groups: [
        { name: 'neuron 1', parent: 1, closed: closed[0] },
        { name: 'layer 1', parent: -1, closed: closed[1] }
      ]
    }
  );
}

test('a closed neuron is one box, one step forward and one backward, with data and grad of what leaves it', () => {
  const picture = pictureOf(neuron([true, false]));
  assert.deepEqual(says(picture), [
    'Step 1 of 7, the inputs are given: x = 1.',
    'Step 2 of 7, forward through neuron 1 of layer 1: from x = 1 comes o = 0.46212.',
    'Step 3 of 7, forward through *: from o = 0.46212 comes loss = 0.21355.',
    'Step 4 of 7, backward starts at loss: its grad is 1.',
    'Step 5 of 7, backward through * (loss): upstream 1; to o: local derivative 0.46212, product 0.46212, grad of o 0 + 0.46212 = 0.46212; ' +
      'to o: local derivative 0.46212, product 0.46212, grad of o 0.46212 + 0.46212 = 0.92423.',
    'Step 6 of 7, backward through neuron 1 of layer 1: upstream 0.92423; to x: product 0.36343, grad of x 0 + 0.36343 = 0.36343.',
    'Step 7 of 7, the whole graph: loss = 0.21355, its grad is 1.'
  ]);
  assert.deepEqual(valuesAt(picture, 4), { x: ['1', '0'], 'neuron 1 of layer 1': ['0.46212', '0.92423'], loss: ['0.21355', '1'] });
  assert.ok(textsOf(picture.marks).includes('▸ neuron 1') && textsOf(picture.marks).includes('5 nodes'));
});

test('what lies inside closed groups alone is not listed', () => {
  const graph = neuron([true, false]);
  const picture = pictureOf({ ...graph, group: [0, 0, 0, 0, 0, 0, -1] });
  assert.deepEqual(says(picture).slice(0, 2), ['Step 1 of 7, the inputs are given, inside closed groups.', 'Step 2 of 7, forward through neuron 1 of layer 1: from inputs inside comes o = 0.46212.']); // prettier-ignore
  assert.ok(says(picture)[5].endsWith('backward through neuron 1 of layer 1: upstream 0.92423; nothing flows on.'));
});

test('groups are opened and closed', () => {
  const picture = pictureOf(neuron([true, true]));
  assert.deepEqual(togglesOf(picture), [['open all groups', 2], ['layer 1, closed, 5 nodes of x; open it', 1]]);
  const open = toggled(picture, 1);
  assert.deepEqual(togglesOf(open), [
    ['open all groups', 2], ['close all groups', 3], ['close layer 1', 1], ['neuron 1 of layer 1, closed, 5 nodes of x; open it', 0]
  ]); // prettier-ignore
  const wide = toggled(open, 0);
  assert.equal(wide.sequences[0].frame(0).table?.rows.length, 7);
  // the one opened last comes first
  assert.deepEqual(togglesOf(wide), [['close all groups', 3], ['close neuron 1 of layer 1', 0], ['close layer 1', 1]]);
  assert.deepEqual(togglesOf(toggled(wide, 0)), togglesOf(open));
  assert.deepEqual(toggled(wide, 3).marks, picture.marks);
  assert.deepEqual(togglesOf(toggled(picture, 2)), [['close all groups', 3], ['close layer 1', 1], ['close neuron 1 of layer 1', 0]]);
  assert.equal(picture.toggle?.(4), 'There is no group 4.');
});

test('of many open groups the outermost have a button, and the one opened last', () => {
  const rows: Row[] = Array.from({ length: 41 }, (_, n) => [`v${n}`, '', '1', '0', [], n < 40 ? n : -1]);
  const groups = [...Array.from({ length: 40 }, (_, n) => ({ name: `g${n}`, parent: 40, closed: n === 0 })), { name: 'all', parent: -1, closed: false }];
  const picture = pictureOf(graphOf(rows, [], { groups }));
  const buttons = togglesOf(toggled(picture, 0)).map(([, n]) => n);
  assert.deepEqual(buttons, [42, 0, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26]);
});

test('arrows between the same two boxes are one, with their number', () => {
  const rows: Row[] = [['x', '', '1', '0', []], ['p', '*', '1', '0', [0, 0], 0], ['q', '+', '2', '0', [1, 0], 0], ['r', '+', '3', '0', [1, 2], 1]]; // prettier-ignore
  const groups = [{ name: 'g', parent: -1, closed: true }, { name: 'h', parent: -1, closed: true }]; // prettier-ignore
  const picture = pictureOf(graphOf(rows, [], { groups }));
  assert.equal(arrowsOf(picture.marks).length, 2);
  assert.deepEqual(textsOf(picture.marks).filter(words => words.startsWith('×')), ['×3', '×2']);
  assert.equal(says(picture)[1], 'Step 2 of 4, forward through g: from x = 1 come 2 values: p = 1, q = 2.');
  assert.equal(valuesAt(picture, 2).g[0], '2 values');
});

test('boxes stand after those they take values from, though their members are mixed', () => {
  // group 0 holds nodes 0 and 4, group 1 nodes 1 to 3; 4 needs 3
  const rows: Row[] = [['a', '', '1', '0', [], 0], ['b', '', '1', '0', [], 1], ['c', '+', '1', '0', [1], 1], ['d', '+', '1', '0', [2], 1], ['e', '+', '1', '0', [0, 3], 0]]; // prettier-ignore
  const graph = parseGraph(graphOf(rows, [], { groups: [{ name: 'late', parent: -1, closed: true }, { name: 'early', parent: -1, closed: true }] }));
  const { boxes } = collapse(graph, new Set([0, 1]));
  assert.deepEqual(boxes.map(box => [box.group, box.members, box.sources, box.outputs]), [[1, [1, 2, 3], [], [3]], [0, [0, 4], [0], [4]]]); // prettier-ignore
});

test('closed groups that take values from each other in a circle are cut, and every arrow still leads onwards', () => {
  const rows: Row[] = Array.from({ length: 12 }, (_, n) => [`v${n}`, n ? '+' : '', '1', '0', n ? [n - 1] : [], n % 3 === 2 ? -1 : n % 3]);
  const groups = [{ name: 'even', parent: -1, closed: true }, { name: 'odd', parent: -1, closed: true }]; // prettier-ignore
  const graph = parseGraph(graphOf(rows, [], { groups }));
  const { boxes, boxOf } = collapse(graph, new Set([0, 1]));
  assert.deepEqual(boxes.flatMap(box => box.members).sort((a, b) => a - b), [...Array(12).keys()]); // prettier-ignore
  graph.inputs.forEach((sources, node) => sources.forEach(source => assert.ok(boxOf[source] < boxOf[node])));
  assert.equal(boxes.filter(box => box.group === 0).length, 4);
  assert.match(says(pictureOf(graphOf(rows, [], { groups })))[1], /forward through odd, part 1 of 4: from v0 = 1 comes v1 = 1/);
});

test('opening more than can be drawn is refused in words, and what is too large at first is closed', () => {
  const count = MOST_BOXES + 100;
  const rows: Row[] = Array.from({ length: count }, (_, n) => [`v${n}`, n ? '+' : '', '1', '0', n ? [n - 1] : [], n < 50 ? 0 : 1]);
  const groups = [{ name: 'head', parent: -1, closed: true }, { name: 'tail', parent: -1, closed: true }]; // prettier-ignore
  const picture = pictureOf(graphOf(rows, [], { groups }));
  assert.equal(picture.sequences[0].frame(0).table?.rows.length, 2);
  assert.equal(toggled(picture, 0).sequences[0].frame(0).table?.rows.length, 51);
  assert.equal(picture.toggle?.(1), 'tail stays closed: with that open the graph has 1,551 boxes, more than the 1,500 that can be drawn.');
  assert.match(String(picture.toggle?.(2)), /^Some groups stay closed: with that open the graph has 1,600 boxes/);
  const open = groups.map(group => ({ ...group, closed: false }));
  assert.equal(pictureOf(graphOf(rows, [], { groups: open })).sequences[0].frame(0).table?.rows.length, 2);
  assert.throws(() => pictureOf(graphOf(rows.map((row): Row => [row[0], row[1], row[2], row[3], row[4]]))), {
    message: 'This view cannot be shown: with all of its 0 groups closed the graph has 1,600 boxes, more than the 1,500 that can be drawn. View a part of it.'
  });
});

test('50,000 nodes in closed groups: as many boxes as groups, frames on demand', () => {
  const rows: Row[] = Array.from({ length: 50_000 }, (_, n) => [`v${n}`, n ? '+' : '', '1', '1', n ? [n - 1] : [], Math.floor(n / 500)]);
  const groups = Array.from({ length: 100 }, (_, n) => ({ name: `g${n}`, parent: -1, closed: true }));
  const backward = rows.map((_, n): Turn => [49_999 - n, '1', n < 49_999 ? [[0, '1', '1', '0', '1']] : []]);
  const picture = pictureOf(graphOf(rows, backward, { groups }));
  assert.equal(picture.sequences[0].labels.length, 1 + 100 + 1 + 100 + 1);
  assert.match(picture.sequences[0].frame(150).says, /backward through g51: upstream 1; to v25499: product 1, grad of v25499 0 \+ 1 = 1\.$/);
});

test('nan and infinity are words', () => {
  const picture = pictureOf(graphOf([['a', '', 'nan', 'inf', []], ['b', '*', '-inf', '1', [0, 0]]], [[1, '1', [[0, 'nan', 'nan', '0', 'nan'], [1, 'nan', 'nan', 'nan', 'nan']]]], { replaced: [0] })); // prettier-ignore
  assert.ok(says(picture)[3].endsWith('product nan, grad of a nan + nan = nan.'));
  const lies = [...picture.marks, ...picture.sequences[0].frame(3).marks].flatMap(mark => ('points' in mark ? mark.points : 'boxes' in mark ? mark.boxes : []));
  assert.ok(lies.every(Number.isFinite));
});

test('long and hostile names stay texts, and short', () => {
  const evil = '<script>alert(1)</script>'.repeat(40);
  const picture = pictureOf(graphOf([[evil, '', '1', '0', []], ['__proto__', evil, evil, evil, [0]]]));
  assert.ok(textsOf([...picture.marks, ...picture.sequences[0].frame(2).marks]).every(words => words.length <= 18));
  assert.ok(says(picture).every(words => words.length < 300));
  assert.ok(picture.width < 1000);
});

const HOSTILE: [string, Record<string, unknown>, string][] = [
  ['no names', { names: [] }, 'graph.names'],
  ['too many names', { names: Array(100_001).fill('v') }, 'graph.names'],
  ['a number for a name', { names: ['a', 'b', 3] }, 'graph.names'],
  ['data of fewer nodes', { data: ['1'] }, 'graph.data'],
  ['an input from later on', { inputs: [[1], [], [0, 1]] }, 'graph.inputs[0]'],
  ['a node among its own inputs', { inputs: [[], [1], [0, 1]] }, 'graph.inputs[1]'],
  ['an input that is no number', { inputs: [[], [], [0, NaN]] }, 'graph.inputs[2]'],
  ['an input below 0', { inputs: [[], [], [0, -1]] }, 'graph.inputs[2]'],
  ['half an input', { inputs: [[], [], [0.5]] }, 'graph.inputs[2]'],
  ['inputs in an object', { inputs: { length: 3 } }, 'graph.inputs'],
  ['one input, no list', { inputs: [[], [], '0'] }, 'graph.inputs[2]'],
  ['too many inputs', { inputs: [[], [], Array(1_000_001).fill(0)] }, 'graph.inputs'],
  ['a group that there is not', { group: [-1, -1, 0] }, 'graph.group[2]'],
  ['a group by its name', { group: [-1, -1, '__proto__'] }, 'graph.group[2]'],
  ['a group that is its own parent', { groups: [{ name: 'g', parent: 0, closed: true }] }, 'graph.groups[0].parent'],
  ['a parent that there is not', { groups: [{ name: 'g', parent: 1e9, closed: true }] }, 'graph.groups[0].parent'],
  ['a group that inherits its name', { groups: [Object.create({ name: 'g', parent: -1, closed: true })] }, 'graph.groups[0].name'],
  ['neither open nor closed', { groups: [{ name: 'g', parent: -1, closed: 1 }] }, 'graph.groups[0].closed'],
  ['groups that are no list', { groups: null }, 'graph.groups'],
  ['a step that is no list', { backward: [{ node: 2 }] }, 'graph.backward[0]'],
  ['a step of a node that there is not', { backward: [[3, '1', []]] }, 'graph.backward[0][0]'],
  ['an upstream that is a number', { backward: [[2, 1, []]] }, 'graph.backward[0][1]'],
  ['a place beyond the inputs', { backward: [[2, '1', [[2, '1', '1', '0', '1']]]] }, 'graph.backward[0][2][0][0]'],
  ['a product that is no text', { backward: [[2, '1', [[0, '1', null, '0', '1']]]] }, 'graph.backward[0][2][0]'],
  ['a flow too short', { backward: [[2, '1', [[0, '1']]]] }, 'graph.backward[0][2][0]'],
  ['a replaced node that there is not', { replaced: [3] }, 'graph.replaced']
];

for (const [what, change, field] of HOSTILE) {
  test(`refused with the name of the field: ${what}`, () => {
    const graph = { ...graphOf([['a', '', '1', '0', []], ['b', '', '1', '0', []], ['c', '+', '2', '1', [0, 1]]]), ...change }; // prettier-ignore
    assert.throws(
      () => pictureOf(graph),
      (error: unknown) => error instanceof BadView && error.message.startsWith(`This view cannot be shown: ${field} is not `)
    );
  });
}

test('a graph that is no object, or lacks a list', () => {
  assert.throws(() => readGraph({ graph: 7 }), { message: 'This view cannot be shown: graph is not an object.' });
  assert.throws(() => readGraph({ graph: Object.create(LECTURE) as object }), (error: unknown) => error instanceof BadView && error.message.startsWith('This view cannot be shown: graph.names is not a list'));
});

test('a note below a narrow graph is broken into lines that fit, and what stands below it makes room', () => {
  const note = 'The grad of a was 1, now 1, not 2: at + (b) it was replaced where it should have been added to.';
  const handles = [{ name: 'a', value: 3, from: 0, to: 6 }];
  const graph = graphOf([['a', '', '3', '1', []]], [], { notes: [note] });
  const picture = readGraph({ schema: 1, kind: 'graph', graph, handles });
  const lines = picture.marks.flatMap(mark => (mark.mark === 'text' && note.includes(mark.text) && mark.text.includes(' ') ? [mark] : []));
  assert.equal(lines.map(line => line.text).join(' '), note);
  assert.ok(lines.length > 1 && lines.every(line => line.text.length * 6 < picture.width));
  const handle = picture.marks.find(mark => mark.mark === 'handle');
  assert.ok(handle !== undefined && 'y' in handle && handle.y > lines[lines.length - 1].y + 10 && handle.y < picture.height);
});
