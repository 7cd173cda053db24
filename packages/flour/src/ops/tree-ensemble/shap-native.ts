import type { TensorKernels } from '@brezel/core';
import type { ShapTree, ShapTrees } from './shap-trees.js';
import type { CoveredTrees, Splits } from './splits.js';

/** Trees with the thresholds that their nodes compare. */
export interface ThresholdTrees extends CoveredTrees {
  readonly threshold: Float32Array | Float64Array;
  readonly missingTrue: Int32Array;
}

/** The tensors of the native kernel `tree_shap` that are the same for all rows and classes. */
export interface NativeShap {
  readonly trees: ShapTrees;
  /** Eight numbers for each edge: see native/primitives/tree_shap.hpp. */
  readonly edges: Int32Array<ArrayBuffer>;
  readonly tests: Int32Array<ArrayBuffer>;
  readonly thresholds: Float64Array<ArrayBuffer>;
}

const EDGE_NUMBERS = 8;
/** The greatest mode of a node that the kernel supports: the comparison `!=`. */
const LAST_COMPARISON = 5;
/**
 * If the tables have more elements than this together, JavaScript explains the forest, because the
 * kernel stores positions in the tables as int32.
 */
const MAX_TABLES = 2 ** 31 - 1;

/**
 * Prepares trees for the native kernel. Returns undefined for trees that the kernel does not
 * support: trees that test whether a value is in a set, and trees with too large tables.
 */
export function nativeShap(forest: ThresholdTrees, splits: Splits, trees: ShapTrees): NativeShap | undefined {
  if (trees.tables.length > MAX_TABLES) return undefined;
  const columns = new Map(Array.from(trees.features, (feature, column) => [feature, column]));
  const firstTests = new Map<number, number>();
  const tests: number[] = [];
  const thresholds: number[] = [];
  for (const split of new Set(trees.split)) {
    const first = thresholds.length;
    firstTests.set(split, first);
    const inside = splits.tests(split);
    const branches = splits.branches(split);
    const next = (node: number) => (inside.includes(node) ? first + inside.indexOf(node) : -1 - branches.indexOf(node));
    for (const test of inside) {
      const mode = forest.mode[test]!;
      const column = columns.get(forest.feature[test]!);
      if (mode > LAST_COMPARISON || column === undefined) return undefined;
      tests.push(column, mode, forest.missingTrue[test]!);
      tests.push(next(forest.trueChild[test]!), next(forest.falseChild[test]!));
      thresholds.push(forest.threshold[test]!);
    }
  }
  const edges = new Int32Array(EDGE_NUMBERS * trees.edges);
  for (const tree of trees.trees) {
    const order = treeOrder(trees, tree);
    for (let edge = tree.first; edge < tree.end; edge++) {
      const split = trees.split[edge]!;
      const outcome = splits.branches(split).indexOf(trees.node[edge]!);
      const { parents, same, post } = order;
      const at = edge - tree.first;
      edges.set(
        [
          ...[trees.depth[edge]!, trees.column[edge]!, trees.before[edge]!, firstTests.get(split)!, outcome],
          ...[parents[at]!, same[at]!, post[at]!],
        ],
        EDGE_NUMBERS * edge,
      );
    }
  }
  return { trees, edges, tests: Int32Array.from(tests), thresholds: Float64Array.from(thresholds) };
}

/**
 * Returns three lists for the edges of a tree. `parents`: the edge above each edge. `same`: the
 * nearest edge above it whose split tests the same feature. `parents` and `same` contain 1 + the
 * index of an edge in the tree, or 0 for no edge. `post`: all edges in postorder.
 */
function treeOrder({ depth, before }: ShapTrees, { first, end }: ShapTree) {
  const [parents, same, post]: [number[], number[], number[]] = [[], [], []];
  const path = [0];
  const leaveTo = (level: number) => {
    while (path.length > level) post.push(path.pop()! - 1);
  };
  for (let edge = first; edge < end; edge++) {
    leaveTo(depth[edge]!);
    parents.push(path.at(-1)!);
    same.push(path[before[edge]!]!);
    path.push(edge - first + 1);
  }
  leaveTo(1);
  return { parents, same, post };
}

/**
 * The input of one call of the kernel: for each row, the numbers of the features that the forest
 * tests; the values of the leaves; and the trees to add up.
 */
export interface NativeShapRows {
  readonly rows: number;
  readonly features: Float64Array<ArrayBuffer>;
  readonly values: Float64Array<ArrayBuffer>;
  /** Four numbers for each tree: see native/tensors/tree_shap.hpp. */
  readonly treeList: Int32Array<ArrayBuffer>;
}

/** Returns the list of trees for the kernel. Omits trees in which all leaves are 0. */
export function treeList({ trees }: ShapTrees, values: Float64Array): Int32Array<ArrayBuffer> {
  const used = trees.filter(({ first, end }) => values.subarray(first, end).some((value) => value !== 0));
  return Int32Array.from(used.flatMap(({ first, end, size, table }) => [first, end, size, table]));
}

/** Adds the contributions of rows to `into`, with the same bits as `addTreeShap`. */
export function addNativeShap(
  kernels: TensorKernels,
  shap: NativeShap,
  call: NativeShapRows,
  into: Float64Array<ArrayBuffer>,
): void {
  const { trees, edges, tests, thresholds } = shap;
  const { rows, features, values, treeList: list } = call;
  kernels.run(
    'tree_shap',
    [into, features, edges, trees.tables, values, tests, thresholds, list],
    [rows, trees.features.length, trees.edges, thresholds.length, list.length / 4, trees.deepest],
  );
}
