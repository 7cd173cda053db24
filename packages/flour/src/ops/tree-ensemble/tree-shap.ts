import type { ShapTree } from './shap-trees.js';
import { type ShapCall, ShapWalk } from './shap-walk.js';
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
// the leaves below it, and adds this sum to the contribution of its feature. If a feature occurs
// again on a path, the second edge adds only the change of its weight.

/**
 * Adds the contribution of each feature in each row to `into`, which has one number for each row
 * and each of `trees.features`. To compute the score without a feature, a row takes all branches of
 * a split on this feature, weighted by cover. Cost: O(rows * edges * quadrature nodes). The order
 * of the sums defines the bits of the result; the native kernel `tree_shap` uses the same order.
 */
export function addTreeShap(call: ShapCall, into: Float64Array): void {
  const columns = call.trees.features.length;
  const walk = new ShapWalk(call);
  for (let row = 0; row < call.rows; row++) {
    const sums = into.subarray(row * columns, (row + 1) * columns);
    for (const tree of call.trees.trees) walk.through(tree, row, (depth) => addContribution(walk, tree, depth, sums));
  }
}

/** Adds the contribution of the edge at this depth to the contribution of its feature. */
function addContribution(walk: ShapWalk, tree: ShapTree, depth: number, into: Float64Array): void {
  const { tables, column } = walk.trees;
  const [weights, sums] = [walk.weights(tree, depth), walk.sums[depth]!];
  const terms: [number, number, number, number] = [0, 0, 0, 0];
  for (let node = 0; node < tree.size; node++) terms[node % 4]! += tables[weights + node]! * sums[node]!;
  into[column[walk.path[depth]!]!]! += terms[0] + terms[2] + (terms[1] + terms[3]);
}

/** Returns the mean score of the training rows, which it computes from the covers. */
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
