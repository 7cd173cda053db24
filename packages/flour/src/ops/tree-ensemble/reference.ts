import { type DenseBlock, dense, type ParameterValue, type ReferenceKernel } from '@brezel/core';

/**
 * The tests of a node: comparisons of a feature with a threshold, or LEAF. The parameter `mode`
 * contains the index of a test.
 */
export const branchModes = ['LEQ', 'LT', 'GTE', 'GT', 'EQ', 'NEQ', 'LEAF'] as const;
export const LEAF = branchModes.indexOf('LEAF');

/** Returns the first mode in a list that is not an index of `branchModes`, or undefined. */
export const unknownMode = (modes: Int32Array): number | undefined =>
  modes.find((mode) => !(mode >= 0 && mode <= LEAF));

/**
 * The parameters of a forest. The nodes of all trees are in one list, in which a child comes after
 * its parent. The weights of leaf `n` are the entries `leafStart[n]` to `leafStart[n + 1] - 1` of
 * `leafTarget` and `leafWeight`.
 */
export interface Forest {
  readonly feature: Int32Array;
  readonly threshold: Float32Array;
  readonly mode: Int32Array;
  readonly trueChild: Int32Array;
  readonly falseChild: Int32Array;
  /** For each node: 1 if NaN takes the true branch, otherwise 0. */
  readonly missingTrue: Int32Array;
  readonly roots: Int32Array;
  readonly leafStart: Int32Array;
  readonly leafTarget: Int32Array;
  readonly leafWeight: Float32Array;
  readonly base: Float32Array;
  /**
   * The cover of each node: the number or the weight of the training rows that reached it.
   * Explanations need it. If one split of the file was converted to several nodes, only the first
   * of these nodes has a cover, and the others have NaN. Undefined if the file contains no covers.
   */
  readonly cover?: Float32Array;
}

/** The names of the parameters of a forest, in the order in which kernels receive them. */
export const forestParts = [
  'feature',
  'threshold',
  'mode',
  'trueChild',
  'falseChild',
  'missingTrue',
  'roots',
  'leafStart',
  'leafTarget',
  'leafWeight',
  'base',
] as const;

/** Returns the names of the parameters that a forest has. Only `cover` is optional. */
export const partNames = (forest: { readonly cover?: unknown }): readonly (keyof Forest)[] =>
  forest.cover === undefined ? forestParts : [...forestParts, 'cover'];

const floats: readonly string[] = ['threshold', 'leafWeight', 'base'];
/** The parameters that hold counts or indices. */
export const integerParts = forestParts.filter((name) => !floats.includes(name));

/** Returns the parameters of the operator as a forest. */
export const forestOf = (parameters: Readonly<Record<string, ParameterValue>>): Forest =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, (value as { data: unknown }).data]),
  ) as unknown as Forest;

/** Adds the weights of the reached leaves in float32, tree by tree, and the base last. */
export const reference: ReferenceKernel = ({ rows, inputs, parameters }) => {
  const forest = forestOf(parameters);
  const { values, size } = inputs[0] as DenseBlock<'float32'>;
  const targets = forest.base.length;
  const out = new Float32Array(rows * targets);
  for (let row = 0; row < rows; row++) {
    const scores = out.subarray(row * targets, (row + 1) * targets);
    const features = values.subarray(row * size, (row + 1) * size);
    for (const root of forest.roots) {
      const leaf = walk(forest, root, features);
      for (let at = forest.leafStart[leaf]!; at < forest.leafStart[leaf + 1]!; at++) {
        const target = forest.leafTarget[at]!;
        scores[target] = scores[target]! + forest.leafWeight[at]!;
      }
    }
    for (let target = 0; target < targets; target++) scores[target] = scores[target]! + forest.base[target]!;
  }
  return dense('float32', rows, targets, out);
};

function walk(forest: Forest, root: number, features: Float32Array): number {
  let node = root;
  while (forest.mode[node] !== LEAF) {
    node = takesTrue(forest, node, features[forest.feature[node]!]!)
      ? forest.trueChild[node]!
      : forest.falseChild[node]!;
  }
  return node;
}

/** Returns whether a value takes the true branch of a node. */
export const takesTrue = (forest: Forest, node: number, value: number): boolean =>
  Number.isNaN(value) ? forest.missingTrue[node] === 1 : compare(forest.mode[node]!, value, forest.threshold[node]!);

/** Returns whether a value that is not NaN takes the true branch. */
export function compare(mode: number, value: number, threshold: number): boolean {
  switch (mode) {
    case 0: // LEQ, see `branchModes`
      return value <= threshold;
    case 1: // LT
      return value < threshold;
    case 2: // GTE
      return value >= threshold;
    case 3: // GT
      return value > threshold;
    case 4: // EQ
      return value === threshold;
    default:
      return value !== threshold;
  }
}
