import type { GraphProto, NodeProto } from '../proto/schema.js';

/**
 * Returns the names of the values that a node reads, including values of the outer graph that its
 * subgraphs read.
 */
export function readNames(node: NodeProto): Set<string> {
  const names = new Set(node.input.filter((name) => name !== ''));
  for (const { g, graphs } of node.attribute)
    for (const body of [...(g === undefined ? [] : [g]), ...graphs]) for (const name of captured(body)) names.add(name);
  return names;
}

function captured({ input, initializer, node: nodes, output }: GraphProto): Set<string> {
  const own = new Set([...input, ...initializer].map(({ name }) => name));
  const names = new Set<string>();
  for (const node of nodes) {
    for (const name of readNames(node)) if (!own.has(name)) names.add(name);
    for (const name of node.output) own.add(name);
  }
  for (const { name } of output) if (!own.has(name)) names.add(name);
  return names;
}
