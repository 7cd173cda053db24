import type { KernelUse } from '../../define-op.js';
import { isOrdered } from './normal-node.js';
import { type Forest, forestOf, forestParts, LEAF } from './reference.js';

/**
 * How packed kernels can store the weights of the leaves. `weights`: each leaf has at most one
 * weight, and all leaves of a tree have the same target. `rows`: each leaf has at most one weight
 * for each target. `lists`: packed kernels do not support the forest.
 */
export type LeafForm = 'weights' | 'rows' | 'lists';

/** The properties of a forest by which Oven selects a kernel. */
export interface ForestShape {
  readonly trees: number;
  readonly targets: number;
  readonly nodes: number;
  readonly leaves: number;
  readonly leafForm: LeafForm;
  /**
   * For each tree, the number of branches from the root to the deepest leaf. `depth` is the
   * maximum.
   */
  readonly depths: Uint32Array;
  readonly depth: number;
  /**
   * The number of branches that a row visits in all trees, if each branch sends half of the rows to
   * each child.
   */
  readonly steps: number;
  readonly largestTree: number;
  /** Whether every branch tests `<=`, `<`, `>=` or `>`. */
  readonly isOrdered: boolean;
  /** Whether no node has two parents. */
  readonly isTrees: boolean;
  /** Number of columns that a row must have: the greatest feature index plus one. */
  readonly features: number;
  /** Number of distinct columns that the trees read. */
  readonly usedFeatures: number;
}

const shapes = new WeakMap<KernelUse, ForestShape>();

/** Returns the properties of the forest in an operator use. Computes them once for each use. */
export function shapeOf(use: KernelUse): ForestShape {
  let shape = shapes.get(use);
  if (shape === undefined) {
    shape = forestShape(forestOf(Object.fromEntries(forestParts.map((name) => [name, use.parameter(name)]))));
    shapes.set(use, shape);
  }
  return shape;
}

/** Computes the properties of a forest. Cost: O(nodes + leaf weights). */
export function forestShape(forest: Forest): ForestShape {
  const nodes = forest.mode.length;
  const heights = new Uint32Array(nodes);
  const steps = new Float64Array(nodes); // from here to a leaf
  // Number of nodes in the subtree of each node, its root included. A shared node is counted once
  // per parent.
  const sizes = new Float64Array(nodes);
  const parents = new Uint8Array(nodes);
  for (const root of forest.roots) parents[root] = Math.min(2, parents[root]! + 1);
  let ordered = true;
  let leaves = 0;
  let features = 0;
  const used = new Set<number>();
  for (let node = nodes - 1; node >= 0; node--) {
    sizes[node] = 1;
    if (forest.mode[node] === LEAF) {
      leaves++;
      continue;
    }
    ordered &&= isOrdered(forest.mode[node]!);
    features = Math.max(features, forest.feature[node]! + 1);
    used.add(forest.feature[node]!);
    const [yes, no] = [forest.trueChild[node]!, forest.falseChild[node]!];
    heights[node] = Math.max(heights[yes]!, heights[no]!) + 1;
    steps[node] = (steps[yes]! + steps[no]!) / 2 + 1;
    sizes[node]! += sizes[yes]! + sizes[no]!;
    parents[yes] = Math.min(2, parents[yes]! + 1);
    parents[no] = Math.min(2, parents[no]! + 1);
  }
  const depths = Uint32Array.from(forest.roots, (root) => heights[root]!);
  return {
    trees: forest.roots.length,
    targets: forest.base.length,
    nodes,
    leaves,
    leafForm: leafForm(forest),
    depths,
    depth: depths.reduce((most, depth) => Math.max(most, depth), 0),
    steps: forest.roots.reduce((sum, root) => sum + steps[root]!, 0),
    largestTree: forest.roots.reduce((most, root) => Math.max(most, sizes[root]!), 0),
    isOrdered: ordered,
    isTrees: parents.every((count) => count < 2),
    features,
    usedFeatures: used.size,
  };
}

function leafForm(forest: Forest): LeafForm {
  if (treeTargets(forest) !== undefined) return 'weights';
  const last = new Int32Array(forest.base.length).fill(-1);
  for (let node = 0; node < forest.mode.length; node++) {
    if (forest.mode[node] !== LEAF) continue;
    for (let at = forest.leafStart[node]!; at < forest.leafStart[node + 1]!; at++) {
      const target = forest.leafTarget[at]!;
      if (last[target] === node) return 'lists'; // each weight is added and rounded separately
      last[target] = node;
    }
  }
  return 'rows';
}

/**
 * Returns the target of each tree. Returns undefined if a leaf has several weights, or if leaves of
 * the same tree have different targets.
 */
export function treeTargets(forest: Forest): Uint32Array | undefined {
  // For each node, the target of all leaves in its subtree, or -1 if no leaf has a weight.
  const targets = new Int32Array(forest.mode.length).fill(-1);
  for (let node = forest.mode.length - 1; node >= 0; node--) {
    if (forest.mode[node] === LEAF) {
      const count = forest.leafStart[node + 1]! - forest.leafStart[node]!;
      if (count > 1) return undefined;
      if (count === 1) targets[node] = forest.leafTarget[forest.leafStart[node]!]!;
      continue;
    }
    const [one, other] = [targets[forest.trueChild[node]!]!, targets[forest.falseChild[node]!]!];
    if (one >= 0 && other >= 0 && one !== other) return undefined;
    targets[node] = Math.max(one, other);
  }
  return Uint32Array.from(forest.roots, (root) => Math.max(0, targets[root]!));
}
