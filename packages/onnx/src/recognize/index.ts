import type { RowNode } from '../rows/raise.js';
import type { RowValue } from '../rows/value.js';
import type { Graph } from './graph.js';
import { recognizeKMeans } from './k-means.js';

/** What several nodes mean together, by the operator of the last one. */
const recognizers: Readonly<Record<string, readonly ((node: RowNode, graph: Graph) => RowValue | undefined)[]>> = {
  Add: [recognizeKMeans],
};

/** The operator from which an exporter wrote these nodes, for the output of the last one. Undefined where nothing is known. */
export function recognize(node: RowNode, graph: Graph): RowValue | undefined {
  if (node.domain !== '' || !Object.hasOwn(recognizers, node.operator)) return undefined;
  for (const one of recognizers[node.operator]!) {
    const found = one(node, graph);
    if (found !== undefined) return found;
  }
  return undefined;
}

export type { Graph } from './graph.js';
