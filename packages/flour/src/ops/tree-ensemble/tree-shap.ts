import { EdgeState, edgeList, type ShapTree, type ShapTrees } from './shap-trees.js';
import type { CoveredTrees, Splits } from './splits.js';

// Exact path-dependent TreeSHAP: the Shapley values that Lundberg et al., "From local explanations
// to global understanding with explainable AI for trees" (2020), define for trees with covers.
//
// Each feature of the path to a leaf has a factor, `zero + (one - zero) * t`. The Shapley value of
// a feature is the integral over t from 0 to 1 of `(one - zero)`, times the factors of all other
// features, times the value of the leaf (Owen, "Multilinear extensions of games", 1972). The
// product is a polynomial in t, so a Gauss-Legendre rule gives the exact integral.
//
// The sum over all leaves needs one pass (Yu et al., "Linear TreeShap", 2022). On the way down,
// each edge multiplies the product of all factors. On the way up, each edge adds up the products of
// the leaves behind it, and adds this sum to the contribution of its feature. If a feature occurs
// again on a path, the second edge adds only the change of its weight.

/** The arguments of TreeSHAP for rows of one forest. */
export interface ShapCall {
  readonly trees: ShapTrees;
  /** For each edge: the value of the leaf behind it, or 0. */
  readonly values: Float64Array;
  readonly rows: number;
  /** Returns whether a row takes an edge, if it reaches the split in front of the edge. */
  readonly takes: (row: number, edge: number) => boolean;
}

/**
 * Adds the contribution of each feature to `into`, which has one number per row and element of
 * `trees.features`. Features that a row does not know take both branches, weighted by cover. Cost:
 * O(rows * edges * quadrature nodes). The order of all sums is the definition of the result's bits:
 * the native kernel `tree_shap` has the same order.
 */
export function addTreeShap(call: ShapCall, into: Float64Array): void {
  const columns = call.trees.features.length;
  const walk = new Walk(call.trees);
  for (let row = 0; row < call.rows; row++) {
    const sums = into.subarray(row * columns, (row + 1) * columns);
    for (const tree of call.trees.trees) walk.addTree(call, tree, row, sums);
  }
}

/** The state of one walk through a tree: an entry for each depth of the current path. */
class Walk {
  readonly #trees: ShapTrees;
  /** The product of all factors on the path, at each quadrature node. */
  readonly #products: Float64Array[];
  /** The sum over the leaves behind an edge: product times value, at each quadrature node. */
  readonly #sums: Float64Array[];
  /** 1 if the row takes the edge and all edges above that test the same feature. */
  readonly #ones: Uint8Array;
  readonly #path: Int32Array;

  constructor(trees: ShapTrees) {
    this.#trees = trees;
    const levels = Array.from({ length: trees.deepest + 1 });
    this.#products = levels.map(() => new Float64Array(trees.mostNodes).fill(1));
    this.#sums = levels.map(() => new Float64Array(trees.mostNodes));
    this.#ones = new Uint8Array(levels.length).fill(1);
    this.#path = new Int32Array(levels.length);
  }

  addTree({ values, takes }: ShapCall, tree: ShapTree, row: number, into: Float64Array): void {
    const { depth: depths, before } = this.#trees;
    let open = 0;
    for (let edge = tree.first; edge < tree.end; edge++) {
      const depth = depths[edge]!;
      for (; open >= depth; open--) this.#leave(tree, open, into);
      open = depth;
      this.#path[depth] = edge;
      this.#ones[depth] = this.#ones[before[edge]!]! && takes(row, edge) ? 1 : 0;
      this.#enter(tree, depth, values[edge]!);
    }
    for (; open > 0; open--) this.#leave(tree, open, into);
  }

  /** Multiplies the product by the ratio of an edge. A leaf starts the sum of its edge. */
  #enter(tree: ShapTree, depth: number, value: number): void {
    const ratios = edgeList(tree, this.#path[depth]!, 'ratios', this.#state(depth));
    const [above, products, sums] = [this.#products[depth - 1]!, this.#products[depth]!, this.#sums[depth]!];
    for (let node = 0; node < tree.size; node++) {
      products[node] = above[node]! * this.#trees.tables[ratios + node]!;
      sums[node] = products[node]! * value;
    }
  }

  /** Adds the contribution of an edge, and the sums of the leaves behind it to the edge above. */
  #leave(tree: ShapTree, depth: number, into: Float64Array): void {
    const edge = this.#path[depth]!;
    const weights = edgeList(tree, edge, 'weights', this.#state(depth));
    const [above, sums] = [this.#sums[depth - 1]!, this.#sums[depth]!];
    const terms: [number, number, number, number] = [0, 0, 0, 0];
    for (let node = 0; node < tree.size; node++) {
      terms[node % 4]! += this.#trees.tables[weights + node]! * sums[node]!;
      above[node]! += sums[node]!;
    }
    into[this.#trees.column[edge]!]! += terms[0] + terms[2] + (terms[1] + terms[3]);
  }

  #state(depth: number): number {
    if (this.#ones[this.#trees.before[this.#path[depth]!]!] === 0) return EdgeState.LOST;
    return this.#ones[depth] === 1 ? EdgeState.TAKEN : EdgeState.MISSED;
  }
}

/** Returns the mean of the forest's sum over the training rows, computed from the covers. */
export function expectedSum(trees: CoveredTrees, splits: Splits, leafValue: (leaf: number) => number): number {
  const means = new Float64Array(trees.mode.length);
  for (let node = trees.mode.length - 1; node >= 0; node--) {
    const cover = trees.cover[node]!;
    if (splits.isLeaf(node)) means[node] = leafValue(node);
    else if (cover > 0)
      for (const branch of splits.branches(node)) means[node]! += means[branch]! * (trees.cover[branch]! / cover);
  }
  let sum = 0;
  for (const root of trees.roots) sum += means[root]!;
  return sum;
}
