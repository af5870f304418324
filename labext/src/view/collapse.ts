/** What is seen of a graph while some of its groups are closed: boxes, each one node or one closed group, and arrows between them. */

import type { Graph } from './graph';

export interface Box {
  /** The closed group that the box is, or -1: it is one node. */
  group: number;
  /** In ascending order. */
  members: number[];
  /** Members that other boxes use, or that nobody uses. */
  outputs: number[];
  /** The box that each arrow into this one comes from. A node has one arrow for each input, as long as they are not MANY. */
  sources: number[];
  /** How many values each arrow stands for. */
  counts: number[];
  /** "part 2 of 3" of a group that had to be cut; else "". */
  part: string;
}

export interface Boxes {
  /** Inputs before what is made of them. */
  boxes: Box[];
  /** The box of each node. */
  boxOf: Int32Array;
}

const MANY = 32;

/** Every node is in one box; the outermost closed group around a node decides. Linear in the size of the graph. */
export function collapse(graph: Graph, closed: ReadonlySet<number>): Boxes {
  const outermost = new Int32Array(graph.groups.length).fill(-1);
  for (let n = graph.groups.length - 1; n >= 0; n--) {
    const { parent } = graph.groups[n];
    outermost[n] = parent >= 0 && outermost[parent] >= 0 ? outermost[parent] : closed.has(n) ? n : -1;
  }
  const groupOf = graph.group.map(n => (n < 0 ? -1 : outermost[n]));
  let boxOf = numbered(graph.names.map((_, node) => (groupOf[node] < 0 ? `node ${node}` : `group ${groupOf[node]}`)));
  const circle = inCircles(sourcesOf(graph, boxOf));
  if (circle.some(one => one)) {
    boxOf = cut(graph, boxOf, circle);
  }
  boxOf = inOrder(sourcesOf(graph, boxOf), boxOf);
  return { boxes: describe(graph, groupOf, boxOf), boxOf };
}

export function arrows({ boxes }: Boxes): number {
  return boxes.reduce((sum, box) => sum + box.sources.length, 0);
}

/** Where the arrow to the input at `place` of `node` ends: the place among the sources of its box; -1 inside a closed group. */
export function portOf(graph: Graph, { boxes, boxOf }: Boxes, node: number, place: number): number {
  const [box, source] = [boxOf[node], boxOf[graph.inputs[node][place]]];
  if (box === source) {
    return -1;
  }
  return isMerged(graph, boxes[box]) ? boxes[box].sources.indexOf(source) : place;
}

function isMerged(graph: Graph, box: Box): boolean {
  return box.group >= 0 || graph.inputs[box.members[0]].length > MANY;
}

/** The number of each key, in order of first appearance. */
function numbered(keys: string[]): Int32Array {
  const numbers = new Map<string, number>();
  return Int32Array.from(keys, key => {
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  });
}

/** For each box the other boxes it takes values from, each once, in order of first use. */
function sourcesOf(graph: Graph, boxOf: Int32Array): number[][] {
  const found: Set<number>[] = [];
  boxOf.forEach((box, node) => {
    found[box] ??= new Set();
    for (const input of graph.inputs[node]) {
      if (boxOf[input] !== box) {
        found[box].add(boxOf[input]);
      }
    }
  });
  return found.map(one => [...one]);
}

/** Which boxes are left when those without sources, and those without users, are taken away again and again: circles, and what lies between two. */
function inCircles(sources: number[][]): boolean[] {
  const users: number[][] = sources.map(() => []);
  sources.forEach((of, box) => of.forEach(source => users[source].push(box)));
  const left = sources.map(() => true);
  for (const [into, out] of [
    [sources, users],
    [users, sources]
  ]) {
    const waits = into.map(of => of.filter(one => left[one]).length);
    const free = waits.flatMap((count, box) => (count === 0 && left[box] ? [box] : []));
    for (let box = free.pop(); box !== undefined; box = free.pop()) {
      left[box] = false;
      for (const next of out[box]) {
        if (--waits[next] === 0 && left[next]) {
          free.push(next);
        }
      }
    }
  }
  return left;
}

/**
 * Closed groups that take values from each other in a circle cannot be placed in layers: they are cut. A member's level is how
 * often the longest path to it changes boxes; arrows between boxes of the same group and level lead to higher levels.
 */
function cut(graph: Graph, boxOf: Int32Array, circle: boolean[]): Int32Array {
  const level = new Int32Array(boxOf.length);
  boxOf.forEach((box, node) => {
    if (circle[box]) {
      for (const input of graph.inputs[node]) {
        if (circle[boxOf[input]]) {
          level[node] = Math.max(level[node], level[input] + (boxOf[input] === box ? 0 : 1));
        }
      }
    }
  });
  return numbered(Array.from(boxOf, (box, node) => `${box} ${level[node]}`));
}

/** Boxes numbered anew: each after its sources, else by their last members. No recursion: a chain is as deep as it is long. */
function inOrder(sources: number[][], boxOf: Int32Array): Int32Array {
  const last = new Int32Array(sources.length);
  boxOf.forEach((box, node) => (last[box] = node));
  const number = new Int32Array(sources.length).fill(-1);
  const next = new Int32Array(sources.length);
  let count = 0;
  for (const start of [...last.keys()].sort((a, b) => last[a] - last[b])) {
    const path = number[start] < 0 ? [start] : [];
    while (path.length > 0) {
      const box = path[path.length - 1];
      if (next[box] < sources[box].length) {
        const source = sources[box][next[box]++];
        if (number[source] < 0) {
          path.push(source);
        }
      } else {
        number[box] = count++;
        path.pop();
      }
    }
  }
  return boxOf.map(box => number[box]);
}

function describe(graph: Graph, groupOf: number[], boxOf: Int32Array): Box[] {
  const boxes: Box[] = [];
  const used = new Uint8Array(boxOf.length); // 1: by its own box only, 2: by others
  boxOf.forEach((box, node) => {
    boxes[box] ??= { group: groupOf[node], members: [], outputs: [], sources: [], counts: [], part: '' };
    boxes[box].members.push(node);
    for (const input of graph.inputs[node]) {
      used[input] = boxOf[input] === box ? used[input] || 1 : 2;
    }
  });
  const parts = new Map<number, Box[]>();
  for (const box of boxes) {
    box.outputs = box.members.filter(node => used[node] !== 1);
    if (box.group >= 0) {
      const cuts = parts.get(box.group) ?? [];
      cuts.push(box);
      parts.set(box.group, cuts);
    }
    const from = box.members.flatMap(node => graph.inputs[node].map(input => boxOf[input])).filter(source => boxes[source] !== box);
    if (isMerged(graph, box)) {
      const counts = new Map<number, number>();
      from.forEach(source => counts.set(source, (counts.get(source) ?? 0) + 1));
      [box.sources, box.counts] = [[...counts.keys()], [...counts.values()]];
    } else {
      [box.sources, box.counts] = [from, from.map(() => 1)];
    }
  }
  for (const cuts of parts.values()) {
    cuts.forEach((box, n) => (box.part = cuts.length > 1 ? `part ${n + 1} of ${cuts.length}` : ''));
  }
  return boxes;
}
