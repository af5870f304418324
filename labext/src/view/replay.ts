/**
 * The steps of a graph, forward and then backward: what is known at each, what flows, and the sentence that says so.
 *
 * A closed group takes one step forward and one backward. A step is worked out when it is asked for.
 */

import { portOf, type Box, type Boxes } from './collapse';
import type { Flow, Graph, Turn } from './graph';

export interface Step {
  says: string;
  /** The box whose turn it is, or -1. */
  box: number;
  backward: boolean;
  /** The arrows along which something flows, each once; forward without gradients. */
  flows: { port: number; upstream: string; flows: Flow[]; inGroup: boolean }[];
  /** Nodes whose data or grad is new. */
  changed: Set<number>;
}

type Turns = { kind: 'inputs' | 'end'; box: -1 } | { kind: 'forward'; box: number } | { kind: 'seed'; box: number } | { kind: 'backward'; box: number; turns: Turn[] };

/** What became of a node's grad at a step, and through what; nothing flowed where it was only there, or was set. */
interface Change {
  step: number;
  grad: string;
  flow?: Flow;
}

const LISTED = 4; // values named in a sentence

export class Replay {
  readonly labels: string[];
  private readonly steps: Turns[] = [];
  private readonly computed: Int32Array; // the step at which a box has its data
  private readonly changes = new Map<number, Change[]>();

  constructor(
    private readonly graph: Graph,
    private readonly boxes: Boxes
  ) {
    this.computed = new Int32Array(boxes.boxes.length);
    this.steps.push({ kind: 'inputs', box: -1 });
    boxes.boxes.forEach((box, n) => {
      if (!isInput(graph, box)) {
        this.computed[n] = this.steps.length;
        this.steps.push({ kind: 'forward', box: n });
      }
    });
    this.planBackward();
    this.steps.push({ kind: 'end', box: -1 });
    this.labels = this.steps.map(({ kind, box }) => (kind === 'inputs' ? 'inputs' : kind === 'end' ? 'whole graph' : `${kind} ${this.title(box)}`));
  }

  /** Turns of a closed group are taken together, when the last of them is due. */
  private planBackward(): void {
    const { backward } = this.graph;
    if (backward.length === 0) {
      return;
    }
    const ofGroup = new Map<number, Turn[]>();
    for (const turn of backward) {
      const box = this.boxes.boxOf[turn.node];
      if (this.boxes.boxes[box].group >= 0) {
        entry(ofGroup, box, () => []).push(turn);
      }
    }
    const root = backward[0];
    this.change(root.node, '0', root.upstream);
    this.steps.push({ kind: 'seed', box: this.boxes.boxOf[root.node] });
    for (const turn of backward) {
      const box = this.boxes.boxOf[turn.node];
      const turns = ofGroup.get(box) ?? [turn];
      if (turns[turns.length - 1] === turn && turns.some(one => one.flows.length > 0)) {
        for (const one of turns) {
          for (const flow of one.flows) {
            this.change(this.graph.inputs[one.node][flow.place], flow.before, flow.after, flow);
          }
        }
        this.steps.push({ kind: 'backward', box, turns });
      }
    }
  }

  /** To be called before the step is added: it has the number of the step. */
  private change(node: number, before: string, grad: string, flow?: Flow): void {
    const changes = this.changes.get(node);
    const change = { step: this.steps.length, grad, flow };
    if (changes) {
      changes.push(change);
    } else {
      this.changes.set(node, [{ step: 0, grad: before }, change]);
    }
  }

  isComputed(box: number, step: number): boolean {
    return this.computed[box] <= step;
  }

  /** The grad of a node after a step; what the engine left at the end. */
  grad(node: number, step: number): string {
    return (step < this.steps.length - 1 && this.changeAt(node, step)?.grad) || this.graph.grads[node];
  }

  /** The sum that the grad became in this step, "2 + 4 = 6", where paths meet; else "". */
  sumAt(node: number, step: number): string {
    const change = this.changeAt(node, step);
    return change?.step === step && change.flow && !isZero(change.flow.before) && isSum(change.flow) ? sum(change.flow) : '';
  }

  /** Characters of the longest text that grad() gives for a node at any step. */
  longestGrad(node: number): number {
    return (this.changes.get(node) ?? []).reduce((most, change) => Math.max(most, change.grad.length), this.graph.grads[node].length);
  }

  private changeAt(node: number, step: number): Change | undefined {
    const changes = this.changes.get(node) ?? [];
    let [low, high] = [0, changes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      [low, high] = changes[middle].step <= step ? [middle + 1, high] : [low, middle];
    }
    return changes[low - 1];
  }

  step(index: number): Step {
    const step = this.steps[index];
    const place = `Step ${index + 1} of ${this.steps.length}`;
    const nothing: Step = { says: '', box: step.box, backward: false, flows: [], changed: new Set() };
    switch (step.kind) {
      case 'inputs': {
        const inputs = this.boxes.boxes.filter(box => isInput(this.graph, box)).flatMap(box => box.outputs);
        const which = inputs.length > 0 ? `: ${this.listed(inputs, n => this.value(n))}` : ', inside closed groups';
        return { ...nothing, says: `${place}, the inputs are given${which}.`, changed: new Set(inputs) };
      }
      case 'forward':
        return { ...nothing, ...this.forward(step.box, place) };
      case 'seed': {
        const { node, upstream } = this.graph.backward[0];
        const says = `${place}, backward starts at ${this.name(node)}: its grad is ${short(upstream)}.`;
        return { ...nothing, says, backward: true, changed: new Set([node]) };
      }
      case 'backward':
        return { ...nothing, ...this.backward(step.box, step.turns, place), backward: true };
      case 'end':
        return { ...nothing, says: `${place}, the whole graph: ${this.ending()}` };
    }
  }

  private forward(n: number, place: string): Partial<Step> {
    const box = this.boxes.boxes[n];
    const through = box.group < 0 ? short(this.graph.ops[box.members[0]] || 'nothing') : this.title(n);
    const from = [...new Set(box.members.flatMap(node => this.graph.inputs[node]).filter(node => this.boxes.boxOf[node] !== n))];
    const made = from.length > 0 ? `from ${this.listed(from, one => this.value(one), ' and ')}` : 'from inputs inside';
    const comes = box.outputs.length > 1 ? `come ${box.outputs.length} values: ` : 'comes ';
    return {
      says: `${place}, forward through ${through}: ${made} ${comes}${this.listed(box.outputs, one => this.value(one))}.`,
      flows: box.sources.map((_, port) => ({ port, upstream: '', flows: [], inGroup: box.group >= 0 })),
      changed: new Set(box.outputs)
    };
  }

  private backward(n: number, turns: Turn[], place: string): Partial<Step> {
    const box = this.boxes.boxes[n];
    const inGroup = box.group >= 0;
    const through = inGroup ? this.title(n) : `${short(this.graph.ops[box.members[0]] || '?')} (${this.name(box.members[0])})`;
    const upstream = turns.filter(turn => box.outputs.includes(turn.node));
    const along = new Map<number, { upstream: string; flows: Flow[] }>(); // by arrow
    const into = new Map<string, { node: number; flows: Flow[] }>(); // those of a group into the same node are told together
    for (const turn of turns) {
      for (const flow of turn.flows) {
        const port = portOf(this.graph, this.boxes, turn.node, flow.place);
        if (port >= 0) {
          const node = this.graph.inputs[turn.node][flow.place];
          entry(along, port, () => ({ upstream: turn.upstream, flows: [] })).flows.push(flow);
          entry(into, inGroup ? String(node) : `${node} ${into.size}`, () => ({ node, flows: [] })).flows.push(flow);
        }
      }
    }
    const upstreams = this.listed(upstream, turn => (upstream.length > 1 ? `${short(turn.upstream)} at ${this.name(turn.node)}` : short(turn.upstream)));
    const to = into.size > 0 ? this.listed([...into.values()], ({ node, flows }) => this.flowing(node, flows, inGroup), '; ', '; ') : 'nothing flows on';
    return {
      says: `${place}, backward through ${through}: upstream ${upstreams}; ${to}.`,
      flows: [...along].map(([port, { upstream: from, flows }]) => ({ port, upstream: from, flows, inGroup })),
      changed: new Set([...into.values()].map(({ node }) => node))
    };
  }

  /** What a node gets, and what its grad becomes: "to a: local derivative -3, product 6, grad of a 0 + 6 = 6". */
  private flowing(node: number, flows: Flow[], inGroup: boolean): string {
    const [name, first, last] = [this.name(node), flows[0], flows[flows.length - 1]];
    const wrong = flows.find(flow => !isSum(flow));
    const what = flows.length > 1 ? `${flows.length.toLocaleString('en')} gradients` : `${inGroup ? '' : `local derivative ${short(first.local)}, `}product ${short(first.product)}`;
    return `to ${name}: ${what}, grad of ${name} ${wrong ? this.mistake(node, wrong) : flows.length > 1 ? `${short(first.before)} becomes ${short(last.after)}` : sum(first)}`;
  }

  /** A grad that is not what was there and the product, added up. */
  private mistake(node: number, flow: Flow): string {
    const right = Number(flow.before) + Number(flow.product);
    const not = Number.isFinite(right) ? `, not ${rounded(right)}` : '';
    if (this.graph.replaced.has(node) && !isZero(flow.before)) {
      return `was replaced: ${short(flow.after)}${not}`;
    }
    return flow.before === flow.after ? `stays ${short(flow.after)}${not}` : `${short(flow.before)} becomes ${short(flow.after)}${not}`;
  }

  private ending(): string {
    const { graph } = this;
    const root = graph.backward.length > 0 ? graph.backward[0].node : graph.names.length - 1;
    const start = `${this.value(root)}, its grad is ${short(graph.grads[root])}.`;
    if (graph.grads.every(isZero)) {
      return `${start} Every grad is 0: backward has not run${graph.backward.length > 0 ? '; the steps show what it would do' : ''}.`;
    }
    const others = [...this.changes].filter(([node, changes]) => changes[changes.length - 1].grad !== graph.grads[node]);
    const replaced = [...graph.replaced].sort((a, b) => a - b);
    return (
      start +
      (others.length > 0 ? ` The grads held now are not those that the steps end with: ${this.listed(others, ([node]) => `${this.name(node)} has ${short(graph.grads[node])}`)}.` : '') +
      (replaced.length > 0 ? ` Replaced where it should have been added to: the grad of ${this.listed(replaced, node => this.name(node))}.` : '')
    );
  }

  /** What a box is called: the name of its node, or "neuron 3 of layer 1, part 1 of 2". */
  title(n: number): string {
    const box = this.boxes.boxes[n];
    return box.group < 0 ? this.name(box.members[0]) : groupTitle(this.graph, box.group) + (box.part ? `, ${box.part}` : '');
  }

  private name(node: number): string {
    return short(this.graph.names[node]);
  }

  private value(node: number): string {
    return `${this.name(node)} = ${short(this.graph.data[node])}`;
  }

  private listed<T>(all: T[], say: (one: T) => string, last = ', ', between = ', '): string {
    if (all.length > LISTED) {
      return `${all.slice(0, LISTED).map(say).join(between)}${between}and ${(all.length - LISTED).toLocaleString('en')} more`;
    }
    const said = all.map(say);
    return said.length > 1 ? said.slice(0, -1).join(between) + last + said[said.length - 1] : said.join('');
  }
}

function isInput(graph: Graph, box: Box): boolean {
  return box.members.every(node => graph.inputs[node].length === 0);
}

/** "neuron 3 of layer 1": groups in different layers may have the same name. */
export function groupTitle(graph: Graph, group: number): string {
  const { name, parent } = graph.groups[group];
  return parent < 0 ? short(name) : `${short(name)} of ${short(graph.groups[parent].name)}`;
}

function sum(flow: Flow): string {
  return `${short(flow.before)} + ${short(flow.product)} = ${short(flow.after)}`;
}

/** Whether the grad is what was there and the product, up to the rounding of all three to five digits. */
function isSum({ before, product, after }: Flow): boolean {
  const [was, more, is] = [Number(before), Number(product), Number(after)];
  const room = 6e-5 * (Math.abs(was) + Math.abs(more) + Math.abs(is));
  return Number.isFinite(was + more) ? Math.abs(was + more - is) <= room : !Number.isFinite(is);
}

/** As Python's "%.5g" has it, for numbers of usual size. */
function rounded(number: number): string {
  return String(Number(number.toPrecision(5)));
}

/** The value at `key`, put there first where there is none. */
function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
}

function isZero(number: string): boolean {
  return Number(number) === 0;
}

/** As much of a text as a sentence bears. */
export function short(text: string, most = 40): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
