/** Layout engines on one graph, in node and in a page. Whoever calls measures. */

import { Graph, layout as dagreLayout } from '@dagrejs/dagre';
import { instance } from '@viz-js/viz';

import { place } from '../../labext/src/view/layout';

type Draw = (sizes: [number, number][], inputs: number[][]) => [width: number, height: number];

export async function engine(name: string): Promise<Draw> {
  if (name === 'ours') {
    return (sizes, inputs) => {
      const { width, height } = place(sizes.flat(), inputs);
      return [width, height];
    };
  }
  if (name === 'viz') {
    const viz = await instance(); // compiling the WebAssembly is not counted
    return (sizes, inputs) => {
      const found = viz.renderJSON({
        graphAttributes: { rankdir: 'LR' },
        nodeAttributes: { shape: 'box', fixedsize: true, label: '' },
        nodes: sizes.map(([width, height], n) => ({ name: String(n), attributes: { width: width / 72, height: height / 72 } })),
        edges: inputs.flatMap((sources, n) => sources.map(source => ({ tail: String(source), head: String(n) })))
      }) as { bb: string };
      const [, , width, height] = found.bb.split(',').map(Number);
      return [width, height];
    };
  }
  return (sizes, inputs) => {
    const graph = new Graph({ multigraph: true });
    graph.setGraph({ rankdir: 'LR', ...(name === 'dagre longest-path' ? { ranker: 'longest-path' } : {}) });
    graph.setDefaultEdgeLabel(() => ({}));
    sizes.forEach(([width, height], n) => graph.setNode(String(n), { width, height }));
    inputs.forEach((sources, n) => sources.forEach((source, k) => graph.setEdge(String(source), String(n), {}, String(k))));
    dagreLayout(graph);
    const { width, height } = graph.graph() as { width: number; height: number };
    return [width, height];
  };
}
