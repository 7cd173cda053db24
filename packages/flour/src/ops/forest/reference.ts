import { type DenseBlock, dense, numericArray, type ReferenceKernel } from '@brezel/core';
import { branchModes } from '../tree-ensemble/reference.js';

/**
 * The tests that a node may apply to its feature. MEMBER tests whether the value is in the node's
 * set.
 */
export const nodeModes = [...branchModes, 'MEMBER'] as const;
export const NOT_EQUAL = nodeModes.indexOf('NEQ');
/** The mode of a leaf in a `GeneralForest`. */
export const LEAF = nodeModes.indexOf('LEAF');
/**
 * The mode of a node in a `GeneralForest` that tests whether a feature is a member of the node's
 * set.
 */
export const MEMBER = nodeModes.indexOf('MEMBER');

/**
 * The ways to combine the values of the leaves that a row reaches to one number per target. The
 * kernel receives the index of an entry.
 */
export const aggregates = ['sum', 'average', 'min', 'max'] as const;
/**
 * The name of the way in which the values of leaves are combined. The default of `Flow.forest` is
 * `sum`.
 */
export type Aggregate = (typeof aggregates)[number];

/**
 * A forest like `Forest` of tree-ensemble, but with float64 numbers and a set of members for each
 * node. A node may have several parents.
 */
export interface GeneralForest {
  readonly feature: Int32Array;
  readonly threshold: Float64Array;
  /**
   * The test of each node: 0 LEQ, 1 LT, 2 GTE, 3 GT, 4 EQ, 5 NEQ, 6 a leaf without a test, 7
   * MEMBER.
   */
  readonly mode: Int32Array;
  readonly trueChild: Int32Array;
  readonly falseChild: Int32Array;
  /** For each node: 1 if NaN takes the true branch, otherwise 0. */
  readonly missingTrue: Int32Array;
  readonly roots: Int32Array;
  readonly leafStart: Int32Array;
  readonly leafTarget: Int32Array;
  readonly leafWeight: Float64Array;
  readonly base: Float64Array;
  readonly memberStart: Int32Array;
  readonly members: Float64Array;
  /**
   * The weight of the training rows that reached each node, as in `Forest.cover`. Explanations need
   * it.
   */
  readonly cover?: Float32Array;
}

/**
 * Combines the trees in order and rounds to the type of the input after each operation. The base is
 * added last. If a row reaches no leaf of a target, the value of the target before the base is 0.
 */
export const reference: ReferenceKernel = ({ rows, inputs, attributes, parameters }) => {
  const forest = Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, (value as { data: unknown }).data]),
  ) as unknown as GeneralForest;
  const { values, size, dtype } = inputs[0] as DenseBlock<'float32' | 'float64'>;
  const round = dtype === 'float32' ? Math.fround : (value: number) => value;
  const targets = forest.base.length;
  const out = numericArray(dtype, rows * targets);
  for (let row = 0; row < rows; row++) {
    const scores = new Array<number | undefined>(targets).fill(undefined);
    for (const root of forest.roots) {
      const leaf = walk(forest, root, values.subarray(row * size, (row + 1) * size));
      for (let at = forest.leafStart[leaf]!; at < forest.leafStart[leaf + 1]!; at++) {
        const [target, weight] = [forest.leafTarget[at]!, round(forest.leafWeight[at]!)];
        scores[target] = joined(attributes.aggregate as Aggregate, scores[target], weight, round);
      }
    }
    scores.forEach((score = 0, target) => {
      const mean = attributes.aggregate === 'average' ? round(score / forest.roots.length) : score;
      out[row * targets + target] = round(mean + round(forest.base[target]!));
    });
  }
  return dense(dtype, rows, targets, out);
};

function joined(
  aggregate: Aggregate,
  score: number | undefined,
  weight: number,
  round: (value: number) => number,
): number {
  if (aggregate === 'min' || aggregate === 'max') {
    if (score === undefined) return weight;
    return (aggregate === 'min' ? weight < score : weight > score) ? weight : score;
  }
  return round((score ?? 0) + weight);
}

function walk(forest: GeneralForest, root: number, features: Float32Array | Float64Array): number {
  let node = root;
  while (forest.mode[node] !== LEAF) {
    node = takesTrue(forest, node, features[forest.feature[node]!]!)
      ? forest.trueChild[node]!
      : forest.falseChild[node]!;
  }
  return node;
}

/** Returns whether a value takes the true branch of a node. */
export const takesTrue = (forest: GeneralForest, node: number, value: number): boolean =>
  Number.isNaN(value) ? forest.missingTrue[node] === 1 : compare(forest, node, value);

function compare(forest: GeneralForest, node: number, value: number): boolean {
  const threshold = forest.threshold[node]!;
  switch (forest.mode[node]) {
    case 0:
      return value <= threshold;
    case 1:
      return value < threshold;
    case 2:
      return value >= threshold;
    case 3:
      return value > threshold;
    case 4:
      return value === threshold;
    case 5:
      return value !== threshold;
    default:
      return forest.members.subarray(forest.memberStart[node]!, forest.memberStart[node + 1]!).includes(value);
  }
}
