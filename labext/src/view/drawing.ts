/** A graph as marks: boxes and arrows once, and for each step what is known and what flows. */

import { arrows, type Box, type Boxes } from './collapse';
import type { Flow, Graph } from './graph';
import { LAYER_GAP, PORT_GAP, place, type Layout } from './layout';
import { Replay, groupTitle, short, type Step } from './replay';
import type { Frame, Look, Mark, Picture } from './view';

const MARGIN = 10;
const ROW = 17; // px per line of text
const CHAR = 7.6; // px per character at size 12, of digits in a wide font
const NAMED = 18; // characters of a name that are shown
const GROUP_NAMED = 26;
const VALUED = 14; // and of a number
const DETAILED = 60; // boxes; up to here there is room beside the arrows for how a gradient came about
const WIDEST_GAP = 220;
const SMALL = 11; // size of the text beside arrows
const SMALL_CHAR = 7.2; // px per character of it, bold
const CLOSE_PORTS = 6; // px between the arrows into a closed group
const HIGHEST_GROUP = 160; // px; more arrows lie closer still
const MANY = 16; // arrows that flow at once, and are drawn thinner
const CROWDED = 150; // arrows altogether
const CHIP = 22; // height of a button above the graph
const CHIPS = 16; // at most; the outermost groups come first, and closing one hides those inside
const OUTLINES = 60;

/** Toggles beyond the groups themselves. */
export function openAll(graph: Graph): number {
  return graph.groups.length;
}

export function closeAll(graph: Graph): number {
  return graph.groups.length + 1;
}

/** opened: the group that was opened last, or -1. */
export function picture(graph: Graph, boxes: Boxes, closed: ReadonlySet<number>, opened: number): Picture {
  return new Drawing(graph, boxes, closed, opened).picture();
}

class Drawing {
  private readonly replay: Replay;
  private readonly layout: Layout;
  private readonly gap: number;
  private readonly detailed: boolean;
  private readonly width: number;
  private readonly height: number;
  private readonly chips: Mark[];
  private readonly top: number;

  constructor(
    private readonly graph: Graph,
    private readonly boxes: Boxes,
    closed: ReadonlySet<number>,
    opened: number
  ) {
    this.replay = new Replay(graph, boxes);
    this.detailed = boxes.boxes.length <= DETAILED;
    this.gap = this.detailed ? this.roomForFlows() : LAYER_GAP;
    const sizes = boxes.boxes.flatMap(box => this.sizeOf(box));
    this.layout = place(
      sizes,
      boxes.boxes.map(box => box.sources),
      this.gap
    );
    this.width = this.layout.width + 2 * MARGIN;
    const [chips, wide, high] = this.chipsFor(closed, opened);
    this.chips = chips;
    this.width = Math.max(this.width, wide);
    this.top = high + MARGIN;
    this.height = this.top + this.layout.height + MARGIN + 8; // below the last box there may be a sum
  }

  picture(): Picture {
    const { replay } = this;
    const last = replay.labels.length - 1;
    const sequence = { name: 'forward and backward', labels: replay.labels, start: last, frame: (n: number) => this.frame(n) };
    return { width: round(this.width), height: round(this.height), marks: [...this.chips, ...this.outlines(), ...this.edges(), ...this.nodes()], sequences: [sequence] };
  }

  // ---- what is in every frame --------------------------------------------------------------------------------------

  private titleOf(box: Box): string {
    return box.group < 0 ? short(this.graph.names[box.members[0]], NAMED) : `▸ ${short(this.graph.groups[box.group].name, GROUP_NAMED)}`;
  }

  private opOf(box: Box): string {
    return box.group < 0 ? short(this.graph.ops[box.members[0]], 8) : '';
  }

  private opWidth(box: Box): number {
    const op = this.opOf(box);
    return op ? Math.max(26, op.length * 8 + 12) : 0;
  }

  private sizeOf(box: Box): [number, number] {
    const { outputs } = box;
    let widest = Math.max(this.titleOf(box).length + 1, 12);
    if (outputs.length === 1) {
      widest = Math.max(widest, 6 + Math.min(VALUED, Math.max(this.graph.data[outputs[0]].length, this.replay.longestGrad(outputs[0]))));
    }
    if (box.group >= 0) {
      widest = Math.max(widest, this.membersOf(box).length + 1, outputs.length === 1 ? 0 : 6 + manyValues(box).length);
    }
    const height = box.group < 0 ? Math.max(3 * ROW + 8, (box.sources.length + 1) * PORT_GAP) : Math.max(4 * ROW + 8, Math.min(HIGHEST_GROUP, (box.sources.length + 1) * CLOSE_PORTS));
    return [this.opWidth(box) + widest * CHAR + 14, height];
  }

  /** Between columns, wide enough for what is written beside an arrow. */
  private roomForFlows(): number {
    let longest = 0;
    for (const { node, upstream, flows } of this.graph.backward) {
      for (const flow of flows) {
        const box = this.boxes.boxOf[node];
        if (box !== this.boxes.boxOf[this.graph.inputs[node][flow.place]]) {
          longest = Math.max(longest, equation(upstream, [flow], this.boxes.boxes[box].group >= 0).length);
        }
      }
    }
    return Math.min(WIDEST_GAP, Math.max(LAYER_GAP, longest * SMALL_CHAR + 24));
  }

  private boxAt(n: number): [number, number, number, number] {
    const [x, y, width, height] = this.layout.boxes.subarray(4 * n, 4 * n + 4);
    return [round(x + MARGIN), round(y + this.top), round(width), round(height)];
  }

  private membersOf(box: Box): string {
    const count = `${box.members.length.toLocaleString('en')} node${box.members.length === 1 ? '' : 's'}`;
    return box.part ? `${count}, ${box.part}` : count;
  }

  private nodes(): Mark[] {
    const [plain, grouped, ops]: [number[], number[], number[]] = [[], [], []];
    const inner: Mark[] = []; // a closed group has a double outline
    const [labels, groupLabels, toggles]: [string[], string[], number[]] = [[], [], []];
    const words: Mark[] = [];
    this.boxes.boxes.forEach((box, n) => {
      const [x, y, width, height] = this.boxAt(n);
      const inputs = [...new Set(box.sources)].slice(0, 6).map(source => this.replay.title(source));
      const of = inputs.length > 0 ? ` of ${inputs.join(', ')}${inputs.length < new Set(box.sources).size ? ' and more' : ''}` : '';
      const left = x + this.opWidth(box) + 9;
      words.push(text(left, y + ROW, this.titleOf(box), { bold: true }));
      if (box.group < 0) {
        const op = this.opOf(box);
        plain.push(x, y, width, height);
        labels.push(`${short(this.graph.names[box.members[0]])}: ${op ? op + of : 'an input'}`);
        if (op) {
          ops.push(x, y, this.opWidth(box), height);
          words.push(text(x + this.opWidth(box) / 2, y + height / 2 + 5, op, { bold: true, anchor: 'middle', size: op.length === 1 ? 16 : 12 }));
        }
      } else {
        grouped.push(x, y, width, height);
        const [l, t, r, b] = [x + 3, y + 3, x + width - 3, y + height - 3];
        inner.push({ mark: 'line', points: [l, t, r, t, r, b, l, b, l, t], look: 'ink', width: 1 });
        groupLabels.push(`${this.replay.title(n)}, closed, ${this.membersOf(box)}${of}; open it`);
        toggles.push(box.group);
        words.push(text(left, y + 2 * ROW, this.membersOf(box), { look: 'faint' }));
      }
      const first = y + (box.group < 0 ? 2 : 3) * ROW;
      words.push(text(left, first, 'data', { look: 'faint' }), text(left, first + ROW, 'grad', { look: 'faint' }));
    });
    return [
      { mark: 'rects', boxes: plain, look: 'ink', labels },
      { mark: 'rects', boxes: ops, look: 'ink' },
      { mark: 'rects', boxes: grouped, look: 'ink', labels: groupLabels, toggles },
      ...inner,
      ...words
    ];
  }

  /** Edges of one source share what lies before their last gap: it is drawn once. */
  private edges(): Mark[] {
    const marks: Mark[] = [];
    const width = arrows(this.boxes) > CROWDED ? 0.6 : 1;
    this.boxes.boxes.forEach((box, n) => {
      const trunk = this.layout.trunk(n);
      if (trunk.length > 0) {
        marks.push({ mark: 'line', points: this.curved(trunk), look: 'ink', width });
      }
      box.sources.forEach((_, port) => {
        const route = this.layout.route(n, port).slice(-4);
        marks.push({ mark: 'arrow', points: this.curved(route), look: 'ink', width });
        if (box.counts[port] > 1) {
          marks.push(text(route[2] + MARGIN - 10, route[3] + this.top - 4, `×${box.counts[port]}`, { anchor: 'end', size: SMALL }));
        }
      });
    });
    return marks;
  }

  /** Straight past columns, and in an S across the gaps, as two flat ends of a cubic curve. */
  private curved(route: number[]): number[] {
    const points = [round(route[0] + MARGIN), round(route[1] + this.top)];
    for (let i = 2; i < route.length; i += 2) {
      const [x0, y0, x1, y1] = route.slice(i - 2, i + 2);
      const pieces = y0 === y1 || (i / 2) % 2 === 0 ? 1 : 12;
      for (let piece = 1; piece <= pieces; piece++) {
        const t = piece / pieces;
        const s = 1 - t;
        // control points half way across, at the height of either end
        const along = 1.5 * s * s * t + 1.5 * s * t * t + t * t * t;
        const across = pieces === 1 ? t : 3 * s * t * t + t * t * t;
        points.push(round(x0 + (pieces === 1 ? t : along) * (x1 - x0) + MARGIN), round(y0 + across * (y1 - y0) + this.top));
      }
    }
    return points;
  }

  /** A frame around the nodes of an open group, where no other node lies in it. */
  private outlines(): Mark[] {
    const frames = new Map<number, { around: [number, number, number, number]; holds: number }>();
    this.boxes.boxes.forEach((box, n) => {
      const [x, y, width, height] = this.boxAt(n);
      for (const group of this.openAround(box)) {
        const known = frames.get(group) ?? { around: [Infinity, Infinity, -Infinity, -Infinity], holds: 0 };
        const [left, top, right, bottom] = known.around;
        frames.set(group, { around: [Math.min(left, x), Math.min(top, y), Math.max(right, x + width), Math.max(bottom, y + height)], holds: known.holds + 1 });
      }
    });
    const all = this.boxes.boxes.map((_, n) => this.boxAt(n));
    const marks: Mark[] = [];
    for (const [group, { around, holds }] of [...frames].slice(0, OUTLINES)) {
      const [left, top, right, bottom] = around;
      const named = top - 20; // its name stands above it
      const within = all.filter(([x, y, width, height]) => x < right && left < x + width && y < bottom && named < y + height).length;
      if (within === holds) {
        const points = [left - 6, top - 6, right + 6, top - 6, right + 6, bottom + 6, left - 6, bottom + 6, left - 6, top - 6];
        marks.push({ mark: 'line', points: points.map(round), look: 'series2', width: 1 });
        marks.push(text(left - 4, top - 9, short(this.graph.groups[group].name, 40), { look: 'faint', size: 10 }));
      }
    }
    return marks;
  }

  private openAround(box: Box): number[] {
    const around = [];
    for (let group = box.group < 0 ? this.graph.group[box.members[0]] : this.graph.groups[box.group].parent; group >= 0; group = this.graph.groups[group].parent) {
      around.push(group);
    }
    return around;
  }

  /** Buttons above the graph: open all, close all, and close each open group; the one opened last is among them, and keeps the focus. */
  private chipsFor(closed: ReadonlySet<number>, opened: number): [Mark[], number, number] {
    const { groups } = this.graph;
    if (groups.length === 0) {
      return [[], 0, 0];
    }
    const open = new Set(this.boxes.boxes.flatMap(box => this.openAround(box)));
    const shown = [...open].sort((a, b) => Number(b === opened) - Number(a === opened) || b - a).slice(0, CHIPS);
    const chips = [...shown.map(n => ({ label: `▾ ${short(groupTitle(this.graph, n), 24)}`, says: `close ${groupTitle(this.graph, n)}`, toggles: n }))];
    if (open.size > 0) {
      chips.unshift({ label: 'close all', says: 'close all groups', toggles: closeAll(this.graph) });
    }
    if (closed.size > 0) {
      chips.unshift({ label: 'open all', says: 'open all groups', toggles: openAll(this.graph) });
    }
    const room = Math.max(this.width - 2 * MARGIN, 500);
    const marks: Mark[] = [];
    const [boxes, labels, toggles]: [number[], string[], number[]] = [[], [], []];
    let [x, y, right] = [MARGIN, 4, 0];
    for (const chip of chips) {
      const width = chip.label.length * CHAR + 14;
      if (x > MARGIN && x + width > room) {
        [x, y] = [MARGIN, y + CHIP + 6];
      }
      boxes.push(round(x), y, round(width), CHIP);
      labels.push(chip.says);
      toggles.push(chip.toggles);
      marks.push(text(x + width / 2, y + 15, chip.label, { anchor: 'middle' }));
      x += width + 6;
      right = Math.max(right, x);
    }
    return [[{ mark: 'rects', boxes, look: 'faint', labels, toggles }, ...marks], right + MARGIN, y + CHIP + 14];
  }

  // ---- one step ----------------------------------------------------------------------------------------------------

  private frame(n: number): Frame {
    const step = this.replay.step(n);
    const marks: Mark[] = this.flowing(step);
    if (step.box >= 0) {
      const [x, y, width, height] = this.boxAt(step.box);
      marks.push({ mark: 'rects', boxes: [x - 3, y - 3, width + 6, height + 6], look: 'focus' });
    }
    const merged = new Set(step.flows.filter(({ flows }) => flows.length > 1).map(({ port }) => this.boxes.boxes[step.box].sources[port]));
    const rows = this.boxes.boxes.map((box, b) => {
      const [data, grad] = [this.dataAt(b, n), this.gradAt(b, n)];
      const [x, y, width, height] = this.boxAt(b);
      const first = y + (box.group < 0 ? 2 : 3) * ROW;
      const changed = box.outputs.some(node => step.changed.has(node));
      if (data) {
        marks.push(text(x + width - 9, first, short(data, VALUED), { anchor: 'end', bold: changed && !step.backward }));
      }
      marks.push(text(x + width - 9, first + ROW, short(grad, VALUED), { anchor: 'end', bold: changed && step.backward }));
      const sum = changed && step.backward && box.outputs.length === 1 && !merged.has(b) ? this.replay.sumAt(box.outputs[0], n) : '';
      if (sum) {
        marks.push(text(Math.max(2, x + width - sum.length * SMALL_CHAR), y + height + 12, sum, { size: SMALL, bold: true }));
      }
      const inputs = [...new Set(box.sources)].map(source => this.replay.title(source)).join(', ');
      const op = box.group < 0 ? this.graph.ops[box.members[0]] : this.membersOf(box);
      return [this.replay.title(b), short(op), short(data), short(grad), short(inputs, 200)];
    });
    return { says: step.says, marks, table: { caption: `${this.replay.labels[n]}`, columns: ['node', 'op', 'data', 'grad', 'inputs'], rows } };
  }

  private dataAt(b: number, n: number): string {
    const { outputs } = this.boxes.boxes[b];
    return !this.replay.isComputed(b, n) ? '' : outputs.length === 1 ? this.graph.data[outputs[0]] : manyValues(this.boxes.boxes[b]);
  }

  private gradAt(b: number, n: number): string {
    const { outputs } = this.boxes.boxes[b];
    return outputs.length === 1 ? this.replay.grad(outputs[0], n) : manyValues(this.boxes.boxes[b]);
  }

  /** What flows, in its direction: forward into the box, backward out of it, with how it came about where it arrives. */
  private flowing(step: Step): Mark[] {
    const marks: Mark[] = [];
    const sources = step.flows.map(({ port }) => this.boxes.boxes[step.box].sources[port]);
    const free = new Map<number, number>(); // heights of the next words at a source, where there are several
    const width = step.flows.length > MANY ? 1.5 : 3;
    step.flows.forEach(({ port, upstream, flows, inGroup }, n) => {
      const route = this.layout.route(step.box, port);
      const points = this.curved(route);
      marks.push({ mark: 'arrow', points: step.backward ? reversed(points) : points, look: 'flow', width });
      const words = this.fitting(flows.length > 0 ? [equation(upstream, flows, inGroup), equation('', flows, true)] : []);
      if (words) {
        // on the side that the arrow does not take; of two arrows, the first above and the second below
        const several = sources.indexOf(sources[n]) !== sources.lastIndexOf(sources[n]);
        const down = free.get(sources[n]) ?? (several || route[3] > route[1] ? -7 : 15);
        free.set(sources[n], down < 0 ? 15 : down + 13);
        marks.push(text(route[0] + MARGIN + 10, route[1] + this.top + down, words, { size: SMALL, bold: true }));
      }
    });
    return marks;
  }

  private fitting(words: string[]): string {
    return words.find(one => one.length * SMALL_CHAR + 16 <= this.gap) ?? '';
  }
}

function manyValues(box: Box): string {
  return `${box.outputs.length.toLocaleString('en')} values`;
}

/** "-2 × -3 = 6": upstream, local derivative, product; of a group only what comes out of it. */
function equation(upstream: string, flows: Flow[], inGroup: boolean): string {
  return flows.length > 1 ? `${flows.length} gradients` : `${inGroup ? '' : `${upstream} × ${flows[0].local} = `}${flows[0].product}`;
}

function text(x: number, y: number, words: string, how: { anchor?: 'start' | 'middle' | 'end'; look?: Look; size?: number; bold?: boolean } = {}): Mark {
  return { mark: 'text', x: round(x), y: round(y), text: words, anchor: how.anchor ?? 'start', look: how.look ?? 'ink', size: how.size ?? 12, bold: how.bold ?? false };
}

function reversed(points: number[]): number[] {
  const turned = [];
  for (let i = points.length - 2; i >= 0; i -= 2) {
    turned.push(points[i], points[i + 1]);
  }
  return turned;
}

function round(px: number): number {
  return Math.round(px * 10) / 10;
}
