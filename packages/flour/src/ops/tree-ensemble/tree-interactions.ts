import { quadratureOf } from './quadrature.js';
import { EdgeState, type ShapTree } from './shap-trees.js';
import { type ShapCall, ShapWalk } from './shap-walk.js';

/**
 * Adds the SHAP interaction of each pair of features in one row to `into`, a symmetric matrix over
 * `trees.features`. Each pair occurs twice, with half of its Shapley interaction index. The
 * diagonal does not change.
 *
 * The interaction index of two features is an integral over t, like the contribution in
 * `tree-shap.ts`. It contains `(one - zero)` instead of the factor for both features. An edge
 * changes the quotient `(one - zero) / factor` of its feature by the weight of the edge. The
 * integral is therefore a sum over pairs of edges. The walk adds a pair when it leaves the lower of
 * both edges.
 *
 * Cost: O(edges * depth * quadrature nodes).
 *
 * @see Source: Fujimoto, Kojadinovic and Marichal, "Axiomatic characterizations of probabilistic
 * and cardinal-probabilistic interaction indices" (2006), for the index; Lundberg et al. (2020),
 * for half an index in each entry.
 */
export function addTreeInteractions(call: ShapCall, into: Float64Array): void {
  const walk = new ShapWalk(call);
  const products = new Float64Array(call.trees.mostNodes);
  for (const tree of call.trees.trees) {
    const nodes = quadratureOf(tree.size).weights;
    walk.through(tree, 0, (depth) => addPairs(walk, tree, nodes, depth, products, into));
  }
}

/**
 * Adds the interactions of the edge at depth `lower` with all edges above it. `products` is scratch
 * memory.
 */
function addPairs(
  walk: ShapWalk,
  tree: ShapTree,
  nodes: Float64Array,
  lower: number,
  products: Float64Array,
  into: Float64Array,
): void {
  const { tables, column, features } = walk.trees;
  if (walk.state(lower) === EdgeState.LOST) return; // all weights are 0
  const [weights, sums] = [walk.weights(tree, lower), walk.sums[lower]!];
  // The weights of both edges contain the quadrature weight, so it is divided out once.
  for (let node = 0; node < tree.size; node++)
    products[node] = (tables[weights + node]! * sums[node]!) / (2 * nodes[node]!);
  const first = column[walk.path[lower]!]!;
  for (let upper = 1; upper < lower; upper++) {
    const second = column[walk.path[upper]!]!;
    if (second === first || walk.state(upper) === EdgeState.LOST) continue;
    const others = walk.weights(tree, upper);
    let half = 0;
    for (let node = 0; node < tree.size; node++) half += products[node]! * tables[others + node]!;
    into[first * features.length + second]! += half;
    into[second * features.length + first]! += half;
  }
}
