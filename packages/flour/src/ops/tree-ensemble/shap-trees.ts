import { type Quadrature, quadratureOf } from './quadrature.js';
import type { CoveredTrees, Splits } from './splits.js';

/**
 * The edges of all trees, as TreeSHAP reads them: one tree after another, each in preorder. An edge
 * leads from a split down to one of its branches. The constants of an edge do not depend on the
 * row.
 */
export interface ShapTrees {
  /** The features that the trees test, ascending. */
  readonly features: Int32Array;
  /**
   * Number of edges of all trees. `depth`, `column`, `before`, `split` and `node` have one entry
   * per edge.
   */
  readonly edges: number;
  /**
   * The number of edges from the root to the lower end of the edge. 1 for an edge that starts at a
   * root.
   */
  readonly depth: Int32Array;
  /** The index in `features` of the feature that the split at the upper end of the edge tests. */
  readonly column: Int32Array;
  /**
   * The depth of the nearest edge above this edge whose split tests the same feature. 0 without
   * such an edge.
   */
  readonly before: Int32Array;
  /** The node at the upper end of the edge, which is a split. */
  readonly split: Int32Array;
  /** The node at the lower end of the edge. */
  readonly node: Int32Array;
  /**
   * Constants of the edges, one edge after another. Each edge has six lists: three lists of ratios,
   * one for each `EdgeState`, and then three lists of weights. A list has one number for each
   * quadrature node of the tree.
   */
  readonly tables: Float64Array<ArrayBuffer>;
  /** The trees that have edges. A tree that is a single leaf has none. */
  readonly trees: readonly ShapTree[];
  readonly deepest: number;
  readonly mostNodes: number;
}

export interface ShapTree {
  readonly first: number;
  readonly end: number;
  readonly size: number;
  /** The index in `tables` at which the constants of the tree's first edge start. */
  readonly table: number;
}

/**
 * Whether a row takes an edge. TAKEN: the row takes the edge. MISSED: it takes another edge of the
 * same split. LOST: it already missed an edge above this edge, at another split on the same
 * feature.
 */
export const EdgeState = { LOST: 0, TAKEN: 1, MISSED: 2 } as const;
const STATES = 3;

/**
 * Returns how many constants an edge has: one ratio and one weight for each state and each of the
 * `size` quadrature nodes.
 */
const tableWidth = (size: number): number => 2 * STATES * size;

/** Returns the index in `ShapTrees.tables` at which the ratios or the weights of an edge start. */
export const edgeList = (
  { first, size, table }: ShapTree,
  edge: number,
  kind: 'ratios' | 'weights',
  state: number,
): number => table + (edge - first) * tableWidth(size) + (kind === 'ratios' ? state : STATES + state) * size;

/**
 * Prepares trees for TreeSHAP. For each edge, each `EdgeState` and each quadrature node t, the
 * tables contain two numbers: a ratio and a weight.
 *
 * On a path, each feature has the factor `zero + (one - zero) * t`. `zero` is the product of the
 * shares of the feature's edges. The share of an edge is the part of the split's training rows that
 * takes the edge. `one` is 1 if the row takes all these edges, otherwise 0. An edge multiplies
 * `zero` by its share. If the row takes another branch, the edge also sets `one` to 0.
 *
 * The ratio is the factor after the edge divided by the factor before it. The weight is the change
 * of `(one - zero) / factor`, multiplied by the quadrature weight of t.
 *
 * Cost: O(edges * deepest).
 */
export function shapTrees(trees: CoveredTrees, splits: Splits): ShapTrees {
  const found = edgesOf(trees, splits);
  const features = Int32Array.from(new Set(found.edges.map(({ feature }) => feature))).sort();
  const columns = new Map(Array.from(features, (feature, column) => [feature, column]));
  const list = (read: (edge: Edge) => number) => Int32Array.from(found.edges, read);
  const parts: ShapTree[] = [];
  let numbers = 0;
  for (const { first, end, distinct } of found.trees) {
    const size = sizeFor(distinct);
    parts.push({ first, end, size, table: numbers });
    numbers += (end - first) * tableWidth(size);
  }
  const tables = new Float64Array(numbers);
  for (const tree of parts) {
    const rule = quadratureOf(tree.size);
    const width = tableWidth(tree.size);
    for (let edge = tree.first; edge < tree.end; edge++) {
      const start = tree.table + (edge - tree.first) * width;
      fillTable(tables.subarray(start, start + width), found.edges[edge]!, rule);
    }
  }
  return {
    features,
    edges: found.edges.length,
    depth: list(({ depth }) => depth),
    column: list(({ feature }) => columns.get(feature)!),
    before: list(({ before }) => before),
    split: list(({ split }) => split),
    node: list(({ node }) => node),
    tables,
    trees: parts,
    deepest: found.edges.reduce((most, { depth }) => Math.max(most, depth), 0),
    mostNodes: parts.reduce((most, { size }) => Math.max(most, size), 1),
  };
}

/** An edge of a tree, from a split down to one of its branches. */
export interface Edge {
  readonly depth: number;
  readonly feature: number;
  /** As `ShapTrees.before`. */
  readonly before: number;
  readonly split: number;
  readonly node: number;
  /** The share of the split's training rows that take the edge. */
  readonly share: number;
  /** The product of `share` over all edges above this edge whose splits test the same feature. */
  readonly zeroBefore: number;
}

/** The edges of one tree, and the most distinct features on a path. */
export interface TreeEdges {
  readonly first: number;
  readonly end: number;
  /** The greatest number of distinct features that a path from the root to a leaf tests. */
  readonly distinct: number;
}

/** Lists the edges of all trees in preorder. */
export function edgesOf(trees: CoveredTrees, splits: Splits): { edges: Edge[]; trees: TreeEdges[] } {
  const edges: Edge[] = [];
  const found: TreeEdges[] = [];
  /**
   * The edges from the root to the current edge, by depth. `distinct` is the number of distinct
   * features on the path.
   */
  const path: { edge: Edge; zero: number; distinct: number }[] = [];
  for (const root of trees.roots) {
    const first = edges.length;
    let most = 0;
    const waiting = branchesOf(trees, splits, root, 1);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { depth, split, node, share } = next;
      const feature = trees.feature[split]!;
      let before = depth - 1;
      while (before > 0 && path[before]!.edge.feature !== feature) before--;
      const zeroBefore = before === 0 ? 1 : path[before]!.zero;
      const distinct = (depth === 1 ? 0 : path[depth - 1]!.distinct) + (before === 0 ? 1 : 0);
      const edge = { depth, feature, before, split, node, share, zeroBefore };
      path[depth] = { edge, zero: zeroBefore * share, distinct };
      edges.push(edge);
      most = Math.max(most, distinct);
      waiting.push(...branchesOf(trees, splits, node, depth + 1));
    }
    if (edges.length > first) found.push({ first, end: edges.length, distinct: most });
  }
  return { edges, trees: found };
}

/**
 * Returns the edges that start at a node in reverse order, because the caller takes them from the
 * end of a list. Returns no edges for a leaf.
 */
function branchesOf({ cover }: CoveredTrees, splits: Splits, split: number, depth: number) {
  const all = cover[split]!;
  return splits
    .branches(split)
    .map((node) => ({ depth, split, node, share: all === 0 ? 0 : cover[node]! / all }))
    .reverse();
}

/**
 * Returns how many quadrature nodes the integrals of a tree need for exact results: half of the
 * number of distinct features on a path. A number above 2 is rounded up to a multiple of 4, so that
 * it fills SIMD registers.
 */
function sizeFor(distinct: number): number {
  const least = Math.max(1, Math.ceil(distinct / 2));
  return least <= 2 ? least : 4 * Math.ceil(least / 4);
}

/**
 * Computes the ratios and weights of one edge. The weights of `EdgeState.LOST` are 0: the row
 * already missed an edge of the same feature above, so this edge does not change `(one - zero) /
 * factor`.
 */
function fillTable(table: Float64Array, { share, zeroBefore }: Edge, { nodes, weights }: Quadrature): void {
  const size = nodes.length;
  const zero = zeroBefore * share;
  const set = (state: number, node: number, ratio: number, weight: number) => {
    table[state * size + node] = ratio;
    table[(STATES + state) * size + node] = weight;
  };
  nodes.forEach((t, node) => {
    const [factorBefore, factor] = [zeroBefore + (1 - zeroBefore) * t, zero + (1 - zero) * t];
    const weightBefore = (1 - zeroBefore) / factorBefore;
    set(EdgeState.LOST, node, share, 0);
    set(EdgeState.TAKEN, node, factor / factorBefore, weights[node]! * ((1 - zero) / factor - weightBefore));
    set(EdgeState.MISSED, node, (zero * (1 - t)) / factorBefore, weights[node]! * (-1 / (1 - t) - weightBefore));
  });
}
