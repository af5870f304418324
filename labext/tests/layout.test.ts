import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { LAYER_GAP, place, type Layout } from '../src/view/layout';

interface Example {
  sizes: number[];
  inputs: number[][];
  boxes: number[];
  heights: number[];
  width: number;
  height: number;
}

// run from labext/
const examples = JSON.parse(readFileSync('../tests/examples/layouts.json', 'utf-8')) as Example[];

/** The same numbers every time: mulberry32, Tommy Ettinger, public domain. */
function randomOf(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Every node but the last is used; some twice by one node, some from far away. */
function randomGraph(seed: number, count: number): [number[], number[][]] {
  const random = randomOf(seed);
  const below = (n: number): number => Math.floor(random() * n);
  const inputs = Array.from({ length: count - 1 }, (_, n) => (n < 3 || random() < 0.2 ? [] : Array.from({ length: 1 + below(3) }, () => below(n))));
  const used = new Set(inputs.flat());
  inputs.push(inputs.map((_, n) => n).filter(n => !used.has(n)));
  return [inputs.flatMap(sources => [60 + 140 * random(), Math.max(59, (sources.length + 1) * 14)]), inputs];
}

function routes(inputs: number[][], layout: Layout): { node: number; source: number; points: [number, number][] }[] {
  return inputs.flatMap((sources, node) =>
    sources.map((source, k) => {
      const flat = layout.route(node, k);
      return { node, source, points: Array.from({ length: flat.length / 2 }, (_, i): [number, number] => [flat[2 * i], flat[2 * i + 1]]) };
    })
  );
}

function assertNear(actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  assert.equal(actual.length, expected.length);
  for (let i = 0; i < expected.length; i++) {
    assert.ok(Math.abs(actual[i] - expected[i]) <= 0.5, `${i}: ${actual[i]} is not ${expected[i]}`);
  }
}

for (const example of examples) {
  test(`${example.inputs.length} nodes lie where zerohero.viz.layout puts them`, () => {
    const layout = place(example.sizes, example.inputs);
    assertNear(layout.boxes, example.boxes);
    assertNear(routes(example.inputs, layout).flatMap(({ points }) => points.map(([, y]) => y)), example.heights);
    assertNear([layout.width, layout.height], [example.width, example.height]);
  });
}

for (let seed = 0; seed < 20; seed++) {
  test(`no box overlaps another and no edge crosses a box, graph ${seed}`, () => {
    const [sizes, inputs] = randomGraph(seed, 12 + 14 * seed);
    const layout = place(sizes, inputs);
    const boxes = inputs.map((_, n) => layout.boxes.slice(4 * n, 4 * n + 4));
    boxes.forEach(([x, y, width, height], n) => {
      assert.ok(x >= 0 && y >= 0 && x + width <= layout.width + 1e-9 && y + height <= layout.height + 1e-9);
      assert.ok(width >= sizes[2 * n] && height === sizes[2 * n + 1]);
      for (const [left, top, wide, high] of boxes.slice(n + 1)) {
        assert.ok(x + width < left || left + wide < x || y + height < top || top + high < y);
      }
    });
    for (const { node, source, points } of routes(inputs, layout)) {
      const [[x, y, width, height], [left, top, , high]] = [boxes[source], boxes[node]];
      const [first, last] = [points[0], points[points.length - 1]];
      assert.ok(Math.abs(first[0] - x - width) < 1e-9 && y < first[1] && first[1] < y + height);
      assert.ok(last[0] === left && top < last[1] && last[1] < top + high);
      for (let i = 1; i < points.length; i++) {
        const [[x0, y0], [x1, y1]] = [points[i - 1], points[i]];
        if (i % 2 === 0) {
          // straight past a column
          assert.equal(y0, y1);
          assert.ok(boxes.every(([bx, by, bw, bh]) => !(bx < x0 + 1e-6 && x0 + 1e-6 < bx + bw && by < y0 && y0 < by + bh)));
        } else {
          // across a gap, which holds no box
          assert.ok(Math.abs(x1 - x0 - LAYER_GAP) < 1e-9);
        }
      }
    }
  });
}

test('all edges of a source share its trunk', () => {
  const [sizes, inputs] = randomGraph(3, 60);
  const layout = place(sizes, inputs);
  for (const { node, source, points } of routes(inputs, layout)) {
    const shared = points.slice(0, -1).flat();
    if (shared.length > 2) {
      assert.deepEqual(layout.trunk(source).slice(0, shared.length), shared);
    } else if (inputs[node].filter(other => other === source).length === 1) {
      assert.deepEqual(shared, [layout.boxes[4 * source] + layout.boxes[4 * source + 2], layout.boxes[4 * source + 1] + layout.boxes[4 * source + 3] / 2]);
    }
  }
});

test('a tree is drawn without crossings', () => {
  for (let seed = 0; seed < 10; seed++) {
    const random = randomOf(seed);
    const inputs: number[][] = [];
    let open: number[] = [];
    for (let node = 0; node < 60; node++) {
      const taken = node === 59 ? open : open.slice(open.length - Math.min(open.length, Math.floor(random() * 4)));
      open = open.slice(0, open.length - taken.length);
      inputs.push(taken);
      open.push(node);
    }
    const layout = place(new Float64Array(120).fill(90), inputs);
    const gaps = new Map<number, [number, number][]>();
    for (const { points } of routes(inputs, layout)) {
      for (let i = 1; i < points.length; i += 2) {
        const gap = gaps.get(points[i - 1][0]) ?? [];
        gaps.set(points[i - 1][0], [...gap, [points[i - 1][1], points[i][1]]]);
      }
    }
    for (const edges of gaps.values()) {
      const ends = edges.sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(edge => edge[1]);
      assert.deepEqual(ends, [...ends].sort((a, b) => a - b));
    }
  }
});

test('the same graph gives the same layout', () => {
  const [sizes, inputs] = randomGraph(7, 200);
  assert.deepEqual(place(sizes, inputs).boxes, place(sizes, inputs).boxes);
});

test('a chain of 100,000 nodes and a value that 5,000 later ones use do not overflow the stack', () => {
  const chain = Array.from({ length: 100_000 }, (_, n) => (n ? [n - 1] : []));
  assert.equal(place(new Float64Array(200_000).fill(60), chain).width, 100_000 * 60 + 99_999 * LAYER_GAP);
  const used = Array.from({ length: 5_000 }, (_, n) => (n ? [n - 1, 0] : []));
  const layout = place(new Float64Array(10_000).fill(60), used);
  assert.equal(layout.trunk(0).length, 2 + 4 * 4_998);
});

test('nothing at all', () => {
  const layout = place([], []);
  assert.deepEqual([layout.width, layout.height, layout.boxes.length], [0, 0, 0]);
});
