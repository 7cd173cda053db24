import { BrezelError } from '@brezel/core';
import type { RowNode } from '../rows/row-node.js';
import type { RowValue } from '../rows/value.js';
import { recognizeGaussianMixture } from './gaussian-mixture.js';
import { recognizeGaussianNaiveBayes } from './gaussians.js';
import type { Graph } from './graph.js';
import { recognizeIsolationForest, recognizeOutlierLabel, recognizePathLengths } from './isolation-forest.js';
import { recognizeKMeans } from './k-means.js';
import { recognizeLinear } from './linear.js';
import { recognizeBernoulli } from './naive-bayes.js';
import { recognizeMeanTarget, recognizeMostVotes, recognizeShares } from './nearest-neighbors.js';
import { recognizePolynomialFeatures } from './polynomial-features.js';

type Recognizer = (node: RowNode, graph: Graph) => RowValue | undefined;

/**
 * Functions that recognize an operator of Flour in several nodes, by the operator of the last of
 * these nodes.
 */
const recognizers: Readonly<Record<string, readonly Recognizer[]>> = {
  Add: [
    recognizeKMeans,
    recognizeIsolationForest,
    recognizeOutlierLabel,
    recognizeBernoulli,
    recognizeGaussianNaiveBayes,
    recognizeGaussianMixture,
    recognizeLinear,
  ],
  ArgMax: [recognizeMostVotes],
  Concat: [recognizePolynomialFeatures],
  Div: [recognizeShares],
  ReduceMean: [recognizeMeanTarget],
  Sum: [recognizePathLengths],
};

/**
 * Recognizes this node and the nodes before it as one operator of Flour. Returns the result of this
 * operator, or undefined if no pattern matches.
 */
export function recognize(node: RowNode, graph: Graph): RowValue | undefined {
  if (node.domain !== '' || !Object.hasOwn(recognizers, node.operator)) return undefined;
  for (const recognizer of recognizers[node.operator]!) {
    const found = attempted(recognizer, node, graph);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Runs a recognizer. Returns undefined if Flour rejects the operator, for example because of its
 * parameters. The importer then converts the nodes one by one.
 */
function attempted(recognizer: Recognizer, node: RowNode, graph: Graph): RowValue | undefined {
  try {
    return node.flour.attempt(() => recognizer(node, graph));
  } catch (error) {
    if (error instanceof BrezelError && error.code.startsWith('ERR_FLOUR')) return undefined;
    throw error;
  }
}

export type { Graph } from './graph.js';
