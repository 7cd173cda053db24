import type { AttributeProto, GraphProto, ModelProto, NodeProto } from './proto/schema.js';

/** Nodes in an order in which they can run, and the values of outer graphs that they read. */
interface Sorted<Nodes> {
  readonly nodes: Nodes;
  readonly reads: ReadonlySet<string>;
}

/**
 * Sorts the nodes of every graph, subgraph and function, so that each node follows the nodes whose
 * values it reads. ONNX requires this order, but onnxruntime does not, so some files violate it. A
 * sorted file stays unchanged. Nodes of a cycle stay in their order; the import rejects them later.
 *
 * Cost: O(names in lists of inputs and outputs).
 */
export const withSortedNodes = (model: ModelProto): ModelProto => ({
  ...model,
  graph: model.graph && sortedGraph(model.graph).nodes,
  functions: model.functions.map((called) => ({
    ...called,
    node: sortedNodes(called.node, new Set(called.input)).nodes,
  })),
});

function sortedGraph(graph: GraphProto): Sorted<GraphProto> {
  const inputs = new Set([...graph.input, ...graph.initializer].map(({ name }) => name));
  const { nodes, reads } = sortedNodes(graph.node, inputs);
  const written = new Set(nodes.flatMap(({ output }) => output));
  const outer = graph.output.map(({ name }) => name).filter((name) => !inputs.has(name) && !written.has(name));
  return { nodes: { ...graph, node: nodes }, reads: new Set([...reads, ...outer]) };
}

function sortedNodes(all: readonly NodeProto[], inputs: ReadonlySet<string>): Sorted<NodeProto[]> {
  const sorted = all.map(withSortedBodies);
  const producers = new Map<string, number>();
  sorted.forEach(({ nodes: { output } }, at) => {
    for (const name of output) if (name !== '' && !producers.has(name)) producers.set(name, at);
  });
  const sources = sorted.map(({ reads }) =>
    Array.from(reads, (name) => producers.get(name)).filter((at) => at !== undefined),
  );
  const isOuter = (name: string) => name !== '' && !inputs.has(name) && !producers.has(name);
  return {
    nodes: order(sources).map((at) => sorted[at]!.nodes),
    reads: new Set(sorted.flatMap(({ reads }) => Array.from(reads).filter(isOuter))),
  };
}

/**
 * Returns the indices of all nodes in an order in which each node comes after its sources.
 * Where several orders are possible, prefers ascending indices.
 */
function order(sources: readonly (readonly number[])[]): number[] {
  const done: number[] = [];
  const isSeen = new Uint8Array(sources.length);
  const open: { readonly at: number; next: number }[] = [];
  const enter = (at: number) => {
    if (isSeen[at] === 1) return;
    isSeen[at] = 1;
    open.push({ at, next: 0 });
  };
  for (let first = 0; first < sources.length; first++) {
    enter(first);
    // Uses an explicit stack, because a chain of nodes may be longer than the call stack allows.
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const source = sources[top.at]![top.next++];
      if (source !== undefined) enter(source);
      else done.push(open.pop()!.at);
    }
  }
  return done;
}

/**
 * Sorts the nodes of all subgraphs of a node. Returns the node, and the values that the node or its
 * subgraphs read from outside.
 */
function withSortedBodies(node: NodeProto): Sorted<NodeProto> {
  const reads = new Set(node.input);
  const inside = (graph: GraphProto): GraphProto => {
    const sorted = sortedGraph(graph);
    for (const name of sorted.reads) reads.add(name);
    return sorted.nodes;
  };
  const isPlain = node.attribute.every(({ g, graphs }) => g === undefined && graphs.length === 0);
  if (isPlain) return { nodes: node, reads };
  const attribute = node.attribute.map(
    (attribute): AttributeProto => ({
      ...attribute,
      g: attribute.g && inside(attribute.g),
      graphs: attribute.graphs.map(inside),
    }),
  );
  return { nodes: { ...node, attribute }, reads };
}
