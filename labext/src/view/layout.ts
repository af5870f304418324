/**
 * Places a directed graph in layers, left to right, so that no edge crosses a box: src/zerohero/viz/layout.py in typed arrays.
 *
 * The same rules give the same boxes (tests/examples/layouts.json holds both to it), with one difference: above LARGE items,
 * which only long edges over many layers bring about, there are fewer sweeps, so that the page is not held up.
 * Deterministic, no recursion.
 */

export const LAYER_GAP = 56; // px between columns, where the edges bend
export const PORT_GAP = 14; // between two arrows into one box
const ROW_GAP = 16;
const BEND_GAP = 9; // around an edge that passes a column
const SWEEPS = 8;
const STRAIGHT = 8; // how much more an edge between two bends pulls than one at a box
const TIE = 1e-6; // makes the order of the arrows into one box count only between equals
const LARGE = 40_000; // boxes and bends

export interface Layout {
  /** x and y of the upper left corner, width and height of each node, flat, in px. */
  boxes: Float64Array;
  width: number;
  height: number;
  /** Points of the edge from the k-th input of a node, flat: alternately across a gap and straight past a column. */
  route(node: number, k: number): number[];
  /** The part of its edges that all edges of a source share past its next column, flat; [] when there is none. */
  trunk(source: number): number[];
}

/** The lists of an item's neighbours, one after the other: those of item i lie from first[i] to first[i + 1]. */
interface Neighbours {
  first: Int32Array;
  items: Int32Array;
  ports: Float64Array;
}

/**
 * sizes: width and height of each node, flat; inputs: for each node the nodes it is made of, all with smaller numbers;
 * gap: px between columns.
 */
export function place(sizes: ArrayLike<number>, inputs: readonly (readonly number[])[], gap = LAYER_GAP): Layout {
  const count = inputs.length;
  const layer = layers(inputs);
  // bends: one per source and layer passed, shared by all edges of that source, so a value used often is one line that forks
  const reach = layer.slice();
  inputs.forEach((sources, node) => {
    for (const source of sources) {
      reach[source] = Math.max(reach[source], layer[node] - 1);
    }
  });
  const bends = new Int32Array(count); // the item that carries the source's value in the layer after its own; the next ones follow
  let total = count;
  for (let source = 0; source < count; source++) {
    bends[source] = total;
    total += reach[source] - layer[source];
  }
  /** Where the k-th arrow into a node ends, relative to its middle. In a box too low for its arrows they are closer to each other. */
  const port = (node: number, k: number): number =>
    (k - (inputs[node].length - 1) / 2) * Math.min(PORT_GAP, sizes[2 * node + 1] / (inputs[node].length + 1));
  const slot = (source: number, level: number): number => (level === layer[source] ? source : bends[source] + level - layer[source] - 1);

  let depth = 0;
  for (const level of layer) {
    depth = Math.max(depth, level + 1);
  }
  const columns: number[][] = Array.from({ length: depth }, () => []);
  for (let node = 0; node < count; node++) {
    columns[layer[node]].push(node);
  }
  const links: Links = { left: [], right: [], ports: [] };
  for (let source = 0; source < count; source++) {
    for (let level = layer[source] + 1; level <= reach[source]; level++) {
      columns[level].push(slot(source, level));
      link(links, slot(source, level - 1), slot(source, level), 0);
    }
  }
  inputs.forEach((sources, node) => sources.forEach((source, k) => link(links, slot(source, layer[node] - 1), node, port(node, k))));

  const sweeps = Math.max(1, Math.min(SWEEPS, Math.floor((SWEEPS * LARGE) / total)));
  const ordered = order(columns, links, total, sweeps);
  const halves = new Float64Array(total).fill(BEND_GAP);
  for (let node = 0; node < count; node++) {
    halves[node] = sizes[2 * node + 1] / 2 + ROW_GAP / 2;
  }
  const y = heights(ordered, links, count, halves, 2 * sweeps);
  let top = Infinity;
  for (let item = 0; item < total; item++) {
    top = Math.min(top, item < count ? y[item] - sizes[2 * item + 1] / 2 : y[item]);
  }
  let bottom = 0;
  for (let item = 0; item < total; item++) {
    y[item] -= top;
    bottom = Math.max(bottom, item < count ? y[item] - sizes[2 * item + 1] / 2 + sizes[2 * item + 1] : y[item]);
  }

  const left = new Float64Array(depth);
  const right = new Float64Array(depth);
  let x = 0;
  ordered.forEach((column, level) => {
    left[level] = x;
    right[level] = x + column.reduce((widest, item) => (item < count ? Math.max(widest, sizes[2 * item]) : widest), 0);
    x = right[level] + gap;
  });
  // every box is as wide as its column: the gaps between columns hold nothing but edges
  const boxes = new Float64Array(4 * count);
  for (let node = 0; node < count; node++) {
    const level = layer[node];
    boxes.set([left[level], y[node] - sizes[2 * node + 1] / 2, right[level] - left[level], sizes[2 * node + 1]], 4 * node);
  }
  const through = (source: number, to: number): number[] => {
    const points = [];
    for (let level = layer[source] + 1; level < to; level++) {
      const at = y[slot(source, level)];
      points.push(left[level], at, right[level], at);
    }
    return points;
  };
  return {
    boxes,
    width: depth > 0 ? right[depth - 1] : 0,
    height: bottom,
    route: (node, k) => {
      const [sources, source] = [inputs[node], inputs[node][k]];
      const twice = layer[node] === layer[source] + 1 && sources.some((other, n) => other === source && n !== k);
      const start = y[source] + (twice ? port(node, k) / 2 : 0);
      return [right[layer[source]], start, ...through(source, layer[node]), left[layer[node]], y[node] + port(node, k)];
    },
    trunk: source => (reach[source] > layer[source] ? [right[layer[source]], y[source], ...through(source, reach[source] + 1)] : [])
  };
}

/** Edges between neighbouring layers: left item, right item, height on the right side relative to its middle. */
interface Links {
  left: number[];
  right: number[];
  ports: number[];
}

function link(links: Links, left: number, right: number, at: number): void {
  links.left.push(left);
  links.right.push(right);
  links.ports.push(at);
}

/** Longest path from the leaves; then each leaf moves right, next to its first use. */
function layers(inputs: readonly (readonly number[])[]): Int32Array {
  const layer = new Int32Array(inputs.length);
  const firstUse = new Int32Array(inputs.length).fill(-1);
  inputs.forEach((sources, node) => {
    for (const source of sources) {
      layer[node] = Math.max(layer[node], layer[source] + 1);
    }
    for (const source of sources) {
      firstUse[source] = firstUse[source] < 0 ? layer[node] : Math.min(firstUse[source], layer[node]);
    }
  });
  return layer.map((level, node) => (inputs[node].length > 0 || firstUse[node] < 0 ? level : firstUse[node] - 1));
}

/** The neighbours of each of `total` items: `to[i]` at `ports[i]` for `from[i]`, in the order of the links. */
function neighbours(from: number[], to: number[], ports: (link: number) => number, total: number): Neighbours {
  const first = new Int32Array(total + 1);
  for (const item of from) {
    first[item + 1]++;
  }
  for (let item = 0; item < total; item++) {
    first[item + 1] += first[item];
  }
  const next = first.slice();
  const found = { first, items: new Int32Array(from.length), ports: new Float64Array(from.length) };
  from.forEach((item, n) => {
    const at = next[item]++;
    found.items[at] = to[n];
    found.ports[at] = ports(n);
  });
  return found;
}

/** Columns in the order with the fewest crossings seen in barycentre sweeps, to the right and back. */
function order(columns: number[][], links: Links, total: number, sweeps: number): number[][] {
  const before = neighbours(links.right, links.left, () => 0, total);
  const after = neighbours(links.left, links.right, n => links.ports[n] * TIE, total);
  const position = new Int32Array(total);
  const rank = new Float64Array(total);
  for (const column of columns) {
    column.forEach((item, i) => (position[item] = i));
  }
  let best = columns;
  let fewest = crossings(columns, after, position);
  for (let sweep = 0; sweep < sweeps && fewest > 0; sweep++) {
    const forward = sweep % 2 === 0;
    const near = forward ? before : after;
    columns = columns.slice();
    for (let step = 1; step < columns.length; step++) {
      const index = forward ? step : columns.length - 1 - step;
      const column = columns[index].slice();
      for (const item of column) {
        const [from, to] = [near.first[item], near.first[item + 1]];
        let sum = 0;
        for (let n = from; n < to; n++) {
          sum += position[near.items[n]] + near.ports[n];
        }
        rank[item] = to > from ? sum / (to - from) : position[item];
      }
      column.sort((a, b) => rank[a] - rank[b]);
      column.forEach((item, i) => (position[item] = i));
      columns[index] = column;
    }
    const now = crossings(columns, after, position);
    if (now < fewest) {
      [best, fewest] = [columns, now];
    }
  }
  return best;
}

/** How many pairs of edges cross: in each gap the edges by where they start, and then the inversions among their ends. */
function crossings(columns: number[][], after: Neighbours, position: Int32Array): number {
  const ends = new Float64Array(after.items.length);
  let total = 0;
  for (const column of columns) {
    let count = 0;
    for (const item of column) {
      const from = count;
      for (let n = after.first[item]; n < after.first[item + 1]; n++) {
        ends[count++] = position[after.items[n]] + after.ports[n];
      }
      if (count > from + 1) {
        ends.subarray(from, count).sort();
      }
    }
    total += inversions(ends.subarray(0, count));
  }
  return total;
}

/** How many pairs stand in the wrong order: merge sort, from pieces of one upwards. `values` are not kept. */
function inversions(values: Float64Array): number {
  const count = values.length;
  let from: Float64Array = values;
  let to: Float64Array = new Float64Array(count);
  let total = 0;
  for (let size = 1; size < count; size *= 2) {
    for (let start = 0; start < count; start += 2 * size) {
      const middle = Math.min(start + size, count);
      const end = Math.min(start + 2 * size, count);
      let a = start;
      let b = middle;
      for (let n = start; n < end; n++) {
        if (b >= end || (a < middle && from[a] <= from[b])) {
          to[n] = from[a++];
        } else {
          to[n] = from[b++];
          total += middle - a;
        }
      }
    }
    [from, to] = [to, from];
  }
  return total;
}

/** The middle of each item: near the mean of its neighbours, in the order given, no two closer than their halves. */
function heights(columns: number[][], links: Links, count: number, halves: Float64Array, sweeps: number): Float64Array {
  const total = halves.length;
  const ends: number[] = [];
  const others: number[] = [];
  links.left.forEach((left, n) => {
    ends.push(left, links.right[n]);
    others.push(links.right[n], left);
  });
  const near = neighbours(ends, others, n => (n % 2 ? -1 : 1) * links.ports[n >> 1], total);
  const y = new Float64Array(total);
  const longest = columns.reduce((most, column) => Math.max(most, column.length), 0);
  const wanted = new Float64Array(longest);
  const pools: Pools = { means: new Float64Array(longest), sizes: new Int32Array(longest), offsets: new Float64Array(longest) };
  for (const column of columns) {
    apart(column, wanted, halves, y, pools);
  }
  for (let sweep = 0; sweep < sweeps; sweep++) {
    for (let step = 0; step < columns.length; step++) {
      const column = columns[sweep % 2 ? step : columns.length - 1 - step];
      for (let i = 0; i < column.length; i++) {
        const item = column[i];
        const to = near.first[item + 1];
        let sum = 0;
        let weights = 0;
        for (let n = near.first[item]; n < to; n++) {
          const weight = item >= count && near.items[n] >= count ? STRAIGHT : 1;
          sum += (y[near.items[n]] + near.ports[n]) * weight;
          weights += weight;
        }
        wanted[i] = weights > 0 ? sum / weights : y[item];
      }
      apart(column, wanted, halves, y, pools);
    }
  }
  return y;
}

/** Room for the work of apart(): it is called for every column in every sweep. */
interface Pools {
  means: Float64Array;
  sizes: Int32Array; // number of items
  offsets: Float64Array;
}

/** Sets y of the items of a column to what is nearest to `wanted` (least squares) in this order and apart: pooled adjacent violators. */
function apart(column: number[], wanted: Float64Array, halves: Float64Array, y: Float64Array, { means, sizes, offsets }: Pools): void {
  let pools = 0;
  for (let i = 0; i < column.length; i++) {
    offsets[i] = i === 0 ? 0 : offsets[i - 1] + halves[column[i - 1]] + halves[column[i]];
    let mean = wanted[i] - offsets[i];
    let size = 1;
    while (pools > 0 && means[pools - 1] > mean) {
      pools--;
      mean = (mean * size + means[pools] * sizes[pools]) / (size + sizes[pools]);
      size += sizes[pools];
    }
    means[pools] = mean;
    sizes[pools++] = size;
  }
  let i = 0;
  for (let pool = 0; pool < pools; pool++) {
    for (let k = 0; k < sizes[pool]; k++, i++) {
      y[column[i]] = means[pool] + offsets[i];
    }
  }
}
