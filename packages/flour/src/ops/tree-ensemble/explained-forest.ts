import type { CannotCarry, ColumnInteractions, TensorKernels } from '@brezel/core';
import { addNativeShap, nativeShap, type ThresholdTrees, treeList } from './shap-native.js';
import { type ShapTrees, shapTrees } from './shap-trees.js';
import type { ShapCall } from './shap-walk.js';
import { readSplits, type Splits } from './splits.js';
import { addTreeInteractions } from './tree-interactions.js';
import { addTreeShap, expectedSum } from './tree-shap.js';

/**
 * A forest is not explained if one row needs more than this many operations. The explanation would
 * block the calling thread for more than a second.
 */
const MAX_STEPS = 2 ** 24;
/**
 * Interactions are not computed if one row needs more than this many operations, because the
 * calling thread would be blocked for more than a second.
 */
const MAX_PAIR_STEPS = 2 ** 28;
/** Interactions are computed for at most this many features. Their matrix then takes 8 MB. */
const MAX_INTERACTING = 1024;
/**
 * A forest caches its leaf values for at most this many explained classes. Before another class is
 * added, the cache is cleared.
 */
const MAX_CLASSES = 64;

/** A forest in which each leaf has a list of (target, weight) pairs. It may have no covers. */
export interface LeafLists extends Omit<ThresholdTrees, 'cover'> {
  readonly cover?: Float32Array;
  readonly leafStart: Int32Array;
  readonly leafTarget: Int32Array;
  readonly leafWeight: Float32Array | Float64Array;
  readonly base: Float32Array | Float64Array;
}

/** The values that the leaves of a forest add to one score. */
interface LeafValues {
  /**
   * For each edge of the trees: the value of the leaf at its lower end, or 0 if its lower end is a
   * branch.
   */
  readonly values: Float64Array<ArrayBuffer>;
  readonly treeList: Int32Array<ArrayBuffer>;
  /** The mean score of the training rows. */
  readonly base: number;
}

/** A forest that is prepared for explanations. */
export interface ExplainedForest {
  /** The features that the forest tests. */
  readonly features: Int32Array;
  /**
   * Computes contributions to one score for several rows.
   *
   * @param slopes the factor of each target of the forest in the score.
   * @returns `sums`: the contribution of each feature for each row, row by row.
   */
  explain(
    slopes: Float64Array,
    rows: readonly ArrayLike<number>[],
    kernels: TensorKernels | undefined,
  ): { readonly base: number; readonly sums: Float64Array };
  /**
   * Returns the interactions of the features in a score of one row, or the reason why they cannot
   * be computed.
   */
  interactions(slopes: Float64Array, row: ArrayLike<number>): ColumnInteractions | CannotCarry;
}

/** Caches prepared forests. The key is the object with the parameters of the forest. */
const known = new WeakMap<object, ExplainedForest | CannotCarry>();

/** Returns a forest that is prepared for explanations, or the reason why it cannot be explained. */
export function explainedForest(
  parameters: object,
  forest: LeafLists,
  takesTrue: (node: number, value: number) => boolean,
): ExplainedForest | CannotCarry {
  let explained = known.get(parameters);
  if (explained === undefined) {
    explained = prepared(forest, takesTrue);
    known.set(parameters, explained);
  }
  return explained;
}

function prepared(
  forest: LeafLists,
  takesTrue: (node: number, value: number) => boolean,
): ExplainedForest | CannotCarry {
  const { cover, roots } = forest;
  if (cover === undefined) return { cannot: 'covers', received: `${roots.length} trees without covers` };
  const covered = { ...forest, cover };
  const splits = readSplits(covered);
  if (!splits.areTrees) return { cannot: 'size', received: 'trees that share nodes' };
  if (splits.edges * Math.ceil(splits.deepest / 2) > MAX_STEPS)
    return { cannot: 'size', received: `${roots.length} trees with ${splits.deepest} splits in a row` };
  const trees = shapTrees(covered, splits);
  const native = nativeShap(covered, splits, trees);
  const leaves = new Map<string, LeafValues>();
  const leavesFor = (slopes: Float64Array) => {
    const key = slopes.join();
    const known = leaves.get(key);
    if (known !== undefined) return known;
    const values = leafValues(covered, splits, trees, slopes);
    if (leaves.size >= MAX_CLASSES) leaves.clear();
    leaves.set(key, values);
    return values;
  };
  const callOf = (values: Float64Array, rows: readonly ArrayLike<number>[]): ShapCall => {
    const takes = (row: number, edge: number) => {
      const test = (node: number) => takesTrue(node, rows[row]![forest.feature[node]!]!);
      return splits.taken(trees.split[edge]!, test) === trees.node[edge];
    };
    return { trees, values, rows: rows.length, takes };
  };
  return {
    features: trees.features,
    explain(slopes, rows, kernels) {
      const { values, treeList: list, base } = leavesFor(slopes);
      const sums = new Float64Array(rows.length * trees.features.length);
      if (native !== undefined && kernels !== undefined) {
        const call = { rows: rows.length, features: gathered(trees, rows), values, treeList: list };
        addNativeShap(kernels, native, call, sums);
      } else addTreeShap(callOf(values, rows), sums);
      return { base, sums };
    },
    interactions(slopes, row) {
      const columns = trees.features;
      if (trees.edges * trees.deepest * trees.mostNodes > MAX_PAIR_STEPS || columns.length > MAX_INTERACTING)
        return {
          cannot: 'size',
          received: `interactions of ${columns.length} features in ${roots.length} trees with ${trees.deepest} splits in a row`,
        };
      const values = new Float64Array(columns.length ** 2);
      addTreeInteractions(callOf(leavesFor(slopes).values, [row]), values);
      return { columns, values };
    },
  };
}

function leafValues(
  forest: LeafLists & ThresholdTrees,
  splits: Splits,
  trees: ShapTrees,
  slopes: Float64Array,
): LeafValues {
  const ofLeaf = (leaf: number) => leafValue(forest, leaf, slopes);
  const values = Float64Array.from(trees.node, (node) => (splits.isLeaf(node) ? ofLeaf(node) : 0));
  return { values, treeList: treeList(trees, values), base: expectedSum(forest, splits, ofLeaf) };
}

/** Returns the sum of the weights of a leaf, each multiplied by the slope of its target. */
export function leafValue(
  { leafStart, leafTarget, leafWeight }: LeafLists,
  leaf: number,
  slopes: Float64Array,
): number {
  let sum = 0;
  for (let at = leafStart[leaf]!; at < leafStart[leaf + 1]!; at++) sum += slopes[leafTarget[at]!]! * leafWeight[at]!;
  return sum;
}

/** Returns the values of the features that the trees test, row by row. */
function gathered({ features }: ShapTrees, rows: readonly ArrayLike<number>[]): Float64Array<ArrayBuffer> {
  const numbers = new Float64Array(rows.length * features.length);
  rows.forEach((row, at) => {
    for (let column = 0; column < features.length; column++)
      numbers[at * features.length + column] = row[features[column]!]!;
  });
  return numbers;
}
