import { gaussLegendre, type Quadrature } from './quadrature.js';
import type { CoveredTrees, Splits } from './splits.js';

// Exact path-dependent TreeSHAP: the Shapley values that Lundberg et al., "From local explanations
// to global understanding with explainable AI for trees" (2020), define for trees with covers.
//
// A feature of the path to a leaf has two shares: `one` is 1 if the row takes the path, otherwise
// 0, and `zero` is the share of training rows that take the path. The Shapley value of feature i is
// the integral over t from 0 to 1 of the product of all other features' `zero + (one - zero) * t`,
// times `one - zero` of feature i, times the value of the leaf (Owen, "Multilinear extensions of
// games", 1972). The product is a polynomial in t, so a Gauss-Legendre rule gives the exact
// integral. All factors are positive, so nothing cancels in deep trees.

/** The arguments of `addTreeShap`: a forest, and the path of one row through its trees. */
export interface ShapCall {
  readonly trees: CoveredTrees;
  readonly splits: Splits;
  /** Returns whether the row takes the true branch of a node. */
  readonly takesTrue: (node: number) => boolean;
  /** Returns what a leaf adds to the score. */
  readonly leafValue: (leaf: number) => number;
}

/**
 * Adds the contribution of each feature to `into`: the exact Shapley values of the trees' sum.
 * Unknown features take both branches, weighted by cover. Cost: O(leaves * depth^2).
 */
export function addTreeShap(call: ShapCall, into: Map<number, number>): void {
  const path = new Path(call.splits.deepest);
  for (const root of call.trees.roots) visit(call, path, root, 0, into);
}

/** Visits a node. `depth` is the number of splits between the root and the node. */
function visit(call: ShapCall, path: Path, node: number, depth: number, into: Map<number, number>): void {
  const { splits, takesTrue, trees } = call;
  if (splits.isLeaf(node)) return path.addLeaf(depth, call.leafValue(node), into);
  const taken = splits.taken(node, takesTrue);
  const cover = trees.cover[node]!;
  for (const branch of splits.branches(node)) {
    const share = cover === 0 ? 0 : trees.cover[branch]! / cover;
    if (!path.extend(depth, trees.feature[node]!, share, branch === taken ? 1 : 0)) continue;
    visit(call, path, branch, depth + 1, into);
    path.leave(depth);
  }
}

/** Caches quadrature rules by their size. Most forests need a few sizes only. */
const rules = new Map<number, Quadrature>();

function ruleOf(size: number): Quadrature {
  const rule = rules.get(size) ?? gaussLegendre(size);
  rules.set(size, rule);
  return rule;
}

/**
 * The path from a root to the current node: its distinct features, and the product of their factors
 * at each node of the quadrature rule.
 */
class Path {
  readonly #rule: Quadrature;
  /** For each depth, the products at the nodes of the quadrature rule. */
  readonly #products: Float64Array[];
  /** The features of the path, each with its shares. */
  readonly #shares = new Map<number, { zero: number; one: number }>();
  /** For each depth, the feature of its split, and the shares of this feature before the split. */
  readonly #added: { feature: number; before: { zero: number; one: number } | undefined }[] = [];

  constructor(deepest: number) {
    this.#rule = ruleOf(Math.max(1, Math.ceil(deepest / 2)));
    const size = this.#rule.nodes.length;
    this.#products = Array.from({ length: deepest + 1 }, () => new Float64Array(size));
    this.#products[0]!.fill(1);
  }

  /** Adds a split to the path. Returns false if no row reaches the branch. */
  extend(depth: number, feature: number, share: number, taken: 0 | 1): boolean {
    const before = this.#shares.get(feature);
    const after = { zero: (before?.zero ?? 1) * share, one: (before?.one ?? 1) * taken };
    if (after.zero === 0 && after.one === 0) return false;
    this.#shares.set(feature, after);
    this.#added[depth] = { feature, before };
    const [from, to] = [this.#products[depth]!, this.#products[depth + 1]!];
    this.#rule.nodes.forEach((t, index) => {
      // A second test of a feature replaces the first.
      to[index] = (from[index]! / (before === undefined ? 1 : factor(before, t))) * factor(after, t);
    });
    return true;
  }

  /** Removes the split that was added at a depth. */
  leave(depth: number): void {
    const { feature, before } = this.#added[depth]!;
    if (before === undefined) this.#shares.delete(feature);
    else this.#shares.set(feature, before);
  }

  /** Adds the contributions of a leaf with `depth` splits above it. */
  addLeaf(depth: number, value: number, into: Map<number, number>): void {
    if (value === 0) return;
    const { nodes, weights } = this.#rule;
    const products = this.#products[depth]!;
    for (const [feature, share] of this.#shares) {
      let sum = 0;
      for (let index = 0; index < nodes.length; index++)
        sum += (weights[index]! * products[index]!) / factor(share, nodes[index]!);
      into.set(feature, (into.get(feature) ?? 0) + sum * (share.one - share.zero) * value);
    }
  }
}

const factor = ({ zero, one }: { zero: number; one: number }, t: number): number => zero + (one - zero) * t;

/** Returns the mean of the forest's sum over the training rows, computed from the covers. */
export function expectedSum({ trees, splits, leafValue }: Omit<ShapCall, 'takesTrue'>): number {
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
