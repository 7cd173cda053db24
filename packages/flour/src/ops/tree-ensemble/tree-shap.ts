import { type CoveredTrees, type Splits, splitsOf } from './splits.js';

// Exact path-dependent TreeSHAP: Lundberg et al., "From local explanations to global understanding
// with explainable AI for trees" (2020), algorithm 2.

/** What explains one row of one forest. */
export interface ShapCall {
  readonly trees: CoveredTrees;
  /** Whether the row takes the true branch of a node. */
  readonly takesTrue: (node: number) => boolean;
  /** Returns what a leaf adds to the score. */
  readonly leafValue: (leaf: number) => number;
}

/**
 * Adds the contribution of each feature to `into`: the exact Shapley values of the trees' sum.
 * Unknown features take both branches, weighted by cover. Cost: O(leaves * depth^2).
 */
export function addTreeShap(call: ShapCall, into: Map<number, number>): void {
  const splits = splitsOf(call.trees);
  const paths = new Paths(splits.deepest + 2);
  for (const root of call.trees.roots) explain(call, splits, paths, root, into);
}

/**
 * Visits the nodes of a tree. Each node has its own path, which starts behind the path of its
 * parent. A path holds the distinct features between the root and the node.
 */
function explain(call: ShapCall, splits: Splits, paths: Paths, root: number, into: Map<number, number>): void {
  const { feature, cover } = call.trees;
  const visit = (node: number, from: number, size: number) => {
    if (splits.isLeaf(node)) return addLeaf(paths, from, size, call.leafValue(node), into);
    const taken = splits.taken(node, call.takesTrue);
    for (const branch of splits.branches(node)) {
      const next = from + size;
      paths.copy(from, next, size);
      // A second test of a feature replaces the first on the path.
      const before = paths.find(next, size, feature[node]!);
      const [zero, one] = before < 0 ? [1, 1] : [paths.zero[before]!, paths.one[before]!];
      if (before >= 0) paths.remove(next, size, before - next);
      const known = before < 0 ? size : size - 1;
      const share = cover[node] === 0 ? 0 : cover[branch]! / cover[node]!;
      paths.extend(next, known, zero * share, branch === taken ? one : 0, feature[node]!);
      visit(branch, next, known + 1);
    }
  };
  paths.extend(0, 0, 1, 1, NO_FEATURE);
  visit(root, 0, 1);
}

const NO_FEATURE = -1;

function addLeaf(paths: Paths, from: number, size: number, value: number, into: Map<number, number>): void {
  for (let at = 1; at < size; at++) {
    const entry = from + at;
    const feature = paths.feature[entry]!;
    const change = paths.weightWithout(from, size, at) * (paths.one[entry]! - paths.zero[entry]!) * value;
    if (change !== 0) into.set(feature, (into.get(feature) ?? 0) + change);
  }
}

/** The paths from the root to each node on the way to a leaf, one behind another. */
class Paths {
  readonly feature: Int32Array;
  /** The share of rows that take this path if the feature is unknown. */
  readonly zero: Float64Array;
  /** 1 if the explained row takes this path, otherwise 0. */
  readonly one: Float64Array;
  /** The weight of all sets of features of one size. */
  readonly weight: Float64Array;

  constructor(longest: number) {
    const entries = (longest * (longest + 1)) / 2;
    this.feature = new Int32Array(entries);
    this.zero = new Float64Array(entries);
    this.one = new Float64Array(entries);
    this.weight = new Float64Array(entries);
  }

  copy(from: number, to: number, size: number): void {
    for (const list of [this.feature, this.zero, this.one, this.weight]) list.copyWithin(to, from, from + size);
  }

  /** Returns the entry of a feature in a path; -1 if the path does not have it. */
  find(from: number, size: number, feature: number): number {
    for (let at = from + 1; at < from + size; at++) if (this.feature[at] === feature) return at;
    return -1;
  }

  /** Adds a feature to a path, and the sets that contain it to the weights. */
  extend(from: number, size: number, zero: number, one: number, feature: number): void {
    const { weight } = this;
    this.feature[from + size] = feature;
    this.zero[from + size] = zero;
    this.one[from + size] = one;
    weight[from + size] = size === 0 ? 1 : 0;
    for (let at = size - 1; at >= 0; at--) {
      weight[from + at + 1]! += (one * weight[from + at]! * (at + 1)) / (size + 1);
      weight[from + at] = (zero * weight[from + at]! * (size - at)) / (size + 1);
    }
  }

  /** Removes the entry at an index from a path, and the sets that contain it from the weights. */
  remove(from: number, size: number, index: number): void {
    const [zero, one] = [this.zero[from + index]!, this.one[from + index]!];
    const last = size - 1;
    let next = this.weight[from + last]!;
    for (let at = last - 1; at >= 0; at--) {
      const weight = this.weight[from + at]!;
      this.weight[from + at] = weightBefore(weight, next, zero, one, at, last);
      next = weight - (this.weight[from + at]! * zero * (last - at)) / size;
    }
    for (const list of [this.feature, this.zero, this.one])
      list.copyWithin(from + index, from + index + 1, from + size);
  }

  /** Returns the weight of all sets that remain without the entry at an index. */
  weightWithout(from: number, size: number, index: number): number {
    const [zero, one] = [this.zero[from + index]!, this.one[from + index]!];
    const last = size - 1;
    let next = this.weight[from + last]!;
    let sum = 0;
    for (let at = last - 1; at >= 0; at--) {
      const weight = this.weight[from + at]!;
      const before = weightBefore(weight, next, zero, one, at, last);
      sum += before;
      next = weight - (before * zero * (last - at)) / size;
    }
    return sum;
  }
}

/** Reverses one step of `extend`. */
function weightBefore(weight: number, next: number, zero: number, one: number, at: number, last: number): number {
  if (one !== 0) return (next * (last + 1)) / ((at + 1) * one);
  return zero === 0 ? 0 : (weight * (last + 1)) / (zero * (last - at));
}

/** Returns the mean of the trees' sum over the training rows, by cover. */
export function expectedSum(trees: CoveredTrees, leafValue: (leaf: number) => number): number {
  const splits = splitsOf(trees);
  const means = new Float64Array(trees.mode.length);
  for (let node = trees.mode.length - 1; node >= 0; node--) {
    if (splits.isLeaf(node)) means[node] = leafValue(node);
    else if (trees.cover[node]! > 0)
      for (const branch of splits.branches(node))
        means[node]! += (means[branch]! * trees.cover[branch]!) / trees.cover[node]!;
  }
  let sum = 0;
  for (const root of trees.roots) sum += means[root]!;
  return sum;
}
