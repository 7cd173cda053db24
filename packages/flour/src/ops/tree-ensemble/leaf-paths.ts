import { edgesOf } from './shap-trees.js';
import type { CoveredTrees, Splits } from './splits.js';

/**
 * The paths of all trees from their roots to their leaves. The edges of a tree are in preorder, one
 * tree after another. The distinct features of a path have numbers from 0, in the order in which
 * the path tests them.
 */
export interface LeafPaths {
  /** The features that the trees test, ascending. */
  readonly features: Int32Array;
  /** Number of edges. `depth`, `number`, `split`, `node` and `leaf` have one entry per edge. */
  readonly edges: number;
  /** The number of edges from the root to the lower end of the edge, from 1. */
  readonly depth: Int32Array;
  /** The number of the feature on the path that the split at the upper end of the edge tests. */
  readonly number: Int32Array;
  /** The node at the upper end of the edge, which is a split. */
  readonly split: Int32Array;
  /** The node at the lower end of the edge. */
  readonly node: Int32Array;
  /** The index of the leaf at the lower end of the edge, or -1 if the lower end is a split. */
  readonly leaf: Int32Array;
  /** The nodes of the leaves that have an edge, in the order of the edges. */
  readonly leaves: Int32Array;
  /**
   * The columns of leaf `n` are the entries from `start[n]` up to `start[n + 1]` of `column`. The
   * entry with the number of a feature is the index of this feature in `features`.
   */
  readonly start: Int32Array;
  readonly column: Int32Array;
  readonly deepest: number;
  /** The greatest number of distinct features on a path. */
  readonly distinct: number;
}

/** Lists the paths of trees. Cost: O(edges * deepest). */
export function leafPaths(trees: CoveredTrees, splits: Splits): LeafPaths {
  const { edges, trees: found } = edgesOf(trees, splits);
  const features = Int32Array.from(new Set(edges.map(({ feature }) => feature))).sort();
  const columns = new Map(Array.from(features, (feature, column) => [feature, column]));
  const [numbers, leaf, leaves, start, column]: number[][] = [[], [], [], [0], []];
  /** For each depth of the current path: the number of the tested feature, and of all features. */
  const path: { number: number; columns: readonly number[] }[] = [];
  for (const { depth, before, feature, node } of edges) {
    const above = depth === 1 ? [] : path[depth - 1]!.columns;
    const number = before > 0 ? path[before]!.number : above.length;
    path[depth] = { number, columns: before > 0 ? above : [...above, columns.get(feature)!] };
    numbers!.push(number);
    const isLeaf = splits.isLeaf(node);
    leaf!.push(isLeaf ? leaves!.length : -1);
    if (!isLeaf) continue;
    leaves!.push(node);
    column!.push(...path[depth]!.columns);
    start!.push(column!.length);
  }
  return {
    features,
    edges: edges.length,
    depth: Int32Array.from(edges, ({ depth }) => depth),
    number: Int32Array.from(numbers!),
    split: Int32Array.from(edges, ({ split }) => split),
    node: Int32Array.from(edges, ({ node }) => node),
    leaf: Int32Array.from(leaf!),
    leaves: Int32Array.from(leaves!),
    start: Int32Array.from(start!),
    column: Int32Array.from(column!),
    deepest: splits.deepest,
    distinct: found.reduce((most, { distinct }) => Math.max(most, distinct), 0),
  };
}
