/**
 * Views of kind graph: an expression graph with its groups, forward and backward (docs/views.md, "The graph").
 *
 * readGraph checks all of the JSON first, so that nothing after it meets a number out of range.
 */

import { isObject, own, type Json } from '../json';
import { arrows, collapse } from './collapse';
import { closeAll, openAll, picture } from './drawing';
import { groupTitle } from './replay';
import { BadView, fail, readList, readNumber, readText, readTexts, type Handle, type Mark, type Picture } from './view';

/** A value is a node, by its number; nodes stand after those they are made of. */
export interface Graph {
  names: string[];
  /** '' for an input. */
  ops: string[];
  data: string[];
  /** As the student's engine left them. */
  grads: string[];
  inputs: number[][];
  /** The innermost group of each node, or -1. */
  group: number[];
  /** A parent has a larger number, or is -1. */
  groups: Group[];
  backward: Turn[];
  /** Nodes whose grad was replaced where it should have been added to. */
  replaced: Set<number>;
}

export interface Group {
  name: string;
  parent: number;
  closed: boolean;
}

/** One node's part of the backward pass. */
export interface Turn {
  node: number;
  upstream: string;
  flows: Flow[];
}

/** A gradient on its way to one input of the node whose turn it is. */
export interface Flow {
  place: number;
  local: string;
  product: string;
  before: string;
  after: string;
}

const MOST_NODES = 100_000;
const MOST_ARROWS = 1_000_000;
export const MOST_BOXES = 1_500;
export const MOST_DRAWN_ARROWS = 6_000;

/** The picture of the graph of `view`, with the groups closed that its JSON closes. Throws BadView. */
export function readGraph(view: Json): Picture {
  const graph = parseGraph(own(view, 'graph'));
  const below = [...readNotes(own(view, 'graph')), ...readHandles(view)];
  const everyGroup = new Set(graph.groups.keys());
  const closed = new Set([...everyGroup].filter(n => graph.groups[n].closed));
  const shown = show(graph, closed);
  if (typeof shown !== 'string') {
    return withBelow(shown, below);
  }
  const all = show(graph, everyGroup);
  if (typeof all === 'string') {
    throw new BadView(`This view cannot be shown: with all of its ${everyGroup.size.toLocaleString('en')} groups closed the graph ${all}. View a part of it.`);
  }
  return withBelow(all, below);
}

// ---- below the graph: notes, and the inputs that can be moved ---------------------------------------------------------------

type Below = string | Omit<Handle, 'mark' | 'x' | 'y' | 'along' | 'span'>;

const LINE = 28; // px
const CHAR = 6.4; // px, about, of a character of size 12
const MOST_BELOW = 40;

/** The picture with a line of text for each note and a track for each handle under it; also after a group was opened. */
function withBelow(picture: Picture, below: Below[]): Picture {
  if (below.length === 0) {
    return picture;
  }
  const width = Math.max(picture.width, 400);
  const marks: Mark[] = [];
  let y = picture.height;
  for (const one of below) {
    y += LINE;
    const words = { mark: 'text', x: 8, anchor: 'start', look: 'ink', size: 12 } as const;
    if (typeof one === 'string') {
      const lines = wrapped(one, (width - 16) / CHAR);
      marks.push(...lines.map((text, n): Mark => ({ ...words, y: y + 4 + 16 * n, text })));
      y += 16 * (lines.length - 1);
      continue;
    }
    const span: [number, number] = [120, 360];
    const x = span[0] + ((one.value - one.from) / (one.to - one.from)) * (span[1] - span[0]);
    marks.push(
      { ...words, y: y + 4, text: `${one.name} = ${Number(one.value.toPrecision(5))}` },
      { mark: 'line', points: [span[0], y, span[1], y], look: 'ink', width: 1.5 },
      { mark: 'handle', ...one, x, y, along: 'x', span }
    );
  }
  return {
    ...picture,
    width,
    height: y + LINE,
    marks: [...picture.marks, ...marks],
    toggle: name => {
      const next = picture.toggle?.(name) ?? `There is no group ${name}.`;
      return typeof next === 'string' ? next : withBelow(next, below);
    }
  };
}

/** The words in lines of at most so many characters; a longer word has a line of its own. */
function wrapped(words: string, most: number): string[] {
  const lines: string[] = [];
  for (const word of words.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && longer.length <= most) {
      lines[lines.length - 1] = longer;
    } else {
      lines.push(word);
    }
  }
  return lines;
}

/** Sentences on what the steps alone do not say. */
function readNotes(graph: unknown): string[] {
  const notes = isObject(graph) && own(graph, 'notes') !== undefined ? readTexts(graph, 'notes', 'graph') : [];
  return notes.slice(0, MOST_BELOW).map(note => note.slice(0, 200));
}

function readHandles(view: Json): Below[] {
  const handles = own(view, 'handles') === undefined ? [] : readList(view, 'handles', 'it');
  return handles.slice(0, MOST_BELOW).map((json, n) => {
    const at = `handles[${n}]`;
    const one = isObject(json) ? json : fail(at, 'an object');
    const [value, from, to] = ['value', 'from', 'to'].map(name => readNumber(one, name, at));
    return from < to && value >= from && value <= to ? { name: readText(one, 'name', at), value, from, to } : fail(`${at}.value`, 'between its ends');
  });
}

/** The picture with some groups closed, or what there would be too much of. */
function show(graph: Graph, closed: ReadonlySet<number>, opened = -1): Picture | string {
  const boxes = collapse(graph, closed);
  const [count, drawn] = [boxes.boxes.length, arrows(boxes)];
  if (count > MOST_BOXES) {
    return `has ${count.toLocaleString('en')} boxes, more than the ${MOST_BOXES.toLocaleString('en')} that can be drawn`;
  }
  if (drawn > MOST_DRAWN_ARROWS) {
    return `has ${drawn.toLocaleString('en')} arrows, more than the ${MOST_DRAWN_ARROWS.toLocaleString('en')} that can be drawn`;
  }
  const toggled = (which: number[], nowClosed: boolean): Picture | string => {
    const next = new Set(closed);
    which.forEach(n => (nowClosed ? next.add(n) : next.delete(n)));
    const result = show(graph, next, which.length === 1 && !nowClosed ? which[0] : -1);
    const what = which.length === 1 ? `${groupTitle(graph, which[0])} stays` : 'Some groups stay';
    return typeof result === 'string' ? `${what} ${nowClosed ? 'open' : 'closed'}: with ${nowClosed ? 'all closed' : 'that open'} the graph ${result}.` : result;
  };
  const groups = [...graph.groups.keys()];
  return {
    ...picture(graph, boxes, closed, opened),
    // two more than there are groups: open and close all of them
    toggle: n => {
      if (n === openAll(graph)) {
        return toggled(groups, false);
      }
      return n === closeAll(graph) ? toggled(groups, true) : n in groups ? toggled([n], !closed.has(n)) : `There is no group ${n}.`;
    }
  };
}

// ---- reading -----------------------------------------------------------------------------------------------------------

/** Throws BadView, which names the field. */
export function parseGraph(json: unknown): Graph {
  const from = isObject(json) ? json : fail('graph', 'an object');
  const names = readTexts(from, 'names', 'graph');
  const count = names.length;
  if (count === 0 || count > MOST_NODES) {
    fail('graph.names', `a list of 1 to ${MOST_NODES.toLocaleString('en')} names`);
  }
  const texts = (name: string): string[] => each(readTexts(from, name, 'graph'), count, `graph.${name}`);
  const groups = readList(from, 'groups', 'graph').map((one, n, { length }) => readGroup(one, n, length));
  const inputs = each(readList(from, 'inputs', 'graph'), count, 'graph.inputs').map((one, n) => readNodes(one, n, `graph.inputs[${n}]`));
  const group = each(readList(from, 'group', 'graph'), count, 'graph.group').map((one, n) =>
    isNumber(one, -1, groups.length) ? one : fail(`graph.group[${n}]`, 'the number of a group, or -1')
  );
  if (inputs.reduce((sum, sources) => sum + sources.length, 0) > MOST_ARROWS) {
    fail('graph.inputs', `at most ${MOST_ARROWS.toLocaleString('en')} arrows`);
  }
  const backward = readList(from, 'backward', 'graph').map((one, n) => readTurn(one, inputs, `graph.backward[${n}]`));
  if (backward.reduce((sum, turn) => sum + 1 + turn.flows.length, 0) > MOST_ARROWS) {
    fail('graph.backward', `at most ${MOST_ARROWS.toLocaleString('en')} steps`);
  }
  const replaced = new Set(readNodes(readList(from, 'replaced', 'graph'), count, 'graph.replaced'));
  return { names, ops: texts('ops'), data: texts('data'), grads: texts('grads'), inputs, group, groups, backward, replaced };
}

function isNumber(value: unknown, low: number, beyond: number): value is number {
  return Number.isInteger(value) && (value as number) >= low && (value as number) < beyond;
}

function each<T>(list: T[], count: number, where: string): T[] {
  return list.length === count ? list : fail(where, `a list with one entry for each of the ${count.toLocaleString('en')} nodes`);
}

function readNodes(json: unknown, beyond: number, where: string): number[] {
  const list = Array.isArray(json) ? (json as unknown[]) : fail(where, 'a list');
  return list.map(n => (isNumber(n, 0, beyond) ? n : fail(where, 'a list of numbers of earlier nodes')));
}

function readGroup(json: unknown, n: number, count: number): Group {
  const from = isObject(json) ? json : fail(`graph.groups[${n}]`, 'an object');
  const [name, parent, closed] = [own(from, 'name'), own(from, 'parent'), own(from, 'closed')];
  if (typeof name !== 'string') {
    fail(`graph.groups[${n}].name`, 'a text');
  }
  if (parent !== -1 && !isNumber(parent, n + 1, count)) {
    fail(`graph.groups[${n}].parent`, 'the number of a later group, or -1');
  }
  if (typeof closed !== 'boolean') {
    fail(`graph.groups[${n}].closed`, 'true or false');
  }
  return { name: name.slice(0, 80), parent, closed };
}

function readTurn(json: unknown, inputs: number[][], where: string): Turn {
  const [node, upstream, flows] = Array.isArray(json) && json.length === 3 ? (json as unknown[]) : fail(where, 'a list of node, upstream and flows');
  if (!isNumber(node, 0, inputs.length)) {
    fail(`${where}[0]`, 'the number of a node');
  }
  if (typeof upstream !== 'string') {
    fail(`${where}[1]`, 'a text');
  }
  const list = Array.isArray(flows) ? (flows as unknown[]) : fail(`${where}[2]`, 'a list');
  return {
    node,
    upstream,
    flows: list.map((one, n) => {
      const [place, ...words] = Array.isArray(one) && one.length === 5 ? (one as unknown[]) : fail(`${where}[2][${n}]`, 'a list of a place and four texts');
      if (!isNumber(place, 0, inputs[node].length)) {
        fail(`${where}[2][${n}][0]`, `a place in the inputs of node ${node}`);
      }
      const [local, product, before, after] = words.map(word => (typeof word === 'string' ? word : fail(`${where}[2][${n}]`, 'a list of a place and four texts')));
      return { place, local, product, before, after };
    })
  };
}
