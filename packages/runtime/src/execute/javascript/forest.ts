import { type DenseBlock, dense, type FastKernel, sizeOf } from '@brezel/core';
import { type PackedForest, packedForest } from './packed-forest.js';

const fround = Math.fround;

/** The leaves that the last `Walk` has reached in its four trees. */
const places = new Int32Array(4);

/**
 * Walks the trees `tree` to `tree + 3` for the row that starts at `values[first]`. Writes the index
 * of each tree's leaf to `places`. The four walks alternate, because a walk must wait for a read
 * from memory at each node. If fewer than four trees follow, the walk repeats the last tree.
 */
type Walk = (forest: PackedForest, tree: number, values: Float32Array, first: number) => void;

/**
 * Walks perfect trees. `+(a <= b)` converts the result of a test to 0 or 1 without a branch,
 * because a processor cannot predict the branch.
 */
const walkPerfect: Walk = ({ trees, form: depth, thresholds, links }, tree, values, first) => {
  const width = 1 << depth;
  const last = trees - 1;
  // Indexes count 32-bit words, and a node has two words.
  const base0 = (tree << depth) << 1;
  const base1 = (Math.min(tree + 1, last) << depth) << 1;
  const base2 = (Math.min(tree + 2, last) << depth) << 1;
  const base3 = (Math.min(tree + 3, last) << depth) << 1;
  let at0 = 2;
  let at1 = 2;
  let at2 = 2;
  let at3 = 2;
  for (let level = 0; level < depth; level++) {
    const node0 = (base0 + at0) | 0;
    const node1 = (base1 + at1) | 0;
    const node2 = (base2 + at2) | 0;
    const node3 = (base3 + at3) | 0;
    at0 = (at0 + +(values[first + links[node0 + 1]!]! <= thresholds[node0]!)) << 1;
    at1 = (at1 + +(values[first + links[node1 + 1]!]! <= thresholds[node1]!)) << 1;
    at2 = (at2 + +(values[first + links[node2 + 1]!]! <= thresholds[node2]!)) << 1;
    at3 = (at3 + +(values[first + links[node3 + 1]!]! <= thresholds[node3]!)) << 1;
  }
  places[0] = ((base0 + at0) >> 1) - width;
  places[1] = ((base1 + at1) >> 1) - width;
  places[2] = ((base2 + at2) >> 1) - width;
  places[3] = ((base3 + at3) >> 1) - width;
};

const walkLinked: Walk = (
  { trees, form: bits, thresholds, links, leaves: firstNodes, depths },
  tree,
  values,
  first,
) => {
  const mask = (1 << bits) - 1;
  const last = trees - 1;
  const tree1 = Math.min(tree + 1, last);
  const tree2 = Math.min(tree + 2, last);
  const tree3 = Math.min(tree + 3, last);
  const depth = Math.max(depths[tree]!, depths[tree1]!, depths[tree2]!, depths[tree3]!);
  const base0 = firstNodes[tree]! << 1;
  const base1 = firstNodes[tree1]! << 1;
  const base2 = firstNodes[tree2]! << 1;
  const base3 = firstNodes[tree3]! << 1;
  let node0 = base0;
  let node1 = base1;
  let node2 = base2;
  let node3 = base3;
  for (let level = 0; level < depth; level++) {
    const link0 = links[node0 + 1]!;
    const link1 = links[node1 + 1]!;
    const link2 = links[node2 + 1]!;
    const link3 = links[node3 + 1]!;
    node0 = (base0 + (((link0 >>> bits) + +(values[first + (link0 & mask)]! <= thresholds[node0]!)) << 1)) | 0;
    node1 = (base1 + (((link1 >>> bits) + +(values[first + (link1 & mask)]! <= thresholds[node1]!)) << 1)) | 0;
    node2 = (base2 + (((link2 >>> bits) + +(values[first + (link2 & mask)]! <= thresholds[node2]!)) << 1)) | 0;
    node3 = (base3 + (((link3 >>> bits) + +(values[first + (link3 & mask)]! <= thresholds[node3]!)) << 1)) | 0;
  }
  places[0] = node0;
  places[1] = node1;
  places[2] = node2;
  places[3] = node3;
};

/**
 * Returns a kernel for dense float32 rows. The kernel adds the weights of the leaves in the order
 * of the trees, and then the base score (native/README.md: `perfect_forest`, `linked_forest`).
 */
const forestKernel =
  (
    kind: 'perfect' | 'linked',
    walk: Walk,
    payloads: (forest: PackedForest) => { numbers: Int32Array; weights: Float32Array },
  ): FastKernel =>
  ({ rows, inputs, type, parameters }) => {
    const forest = packedForest(parameters[0]!, kind);
    if (forest.targets !== sizeOf(type)) throw new RangeError('a forest of another number of targets than its answer');
    const { values, size } = inputs[0] as DenseBlock<'float32'>;
    const { numbers, weights } = payloads(forest);
    const { targets } = forest;
    const sums = new Float32Array(rows * targets);
    for (let row = 0; row < rows; row++) {
      const copied = forest.columns > 0;
      const from = copied ? forest.copyRow(values, row * size) : values;
      const first = copied ? 0 : row * size;
      if (forest.weights.length > 0) addRows(forest, walk, numbers, from, first, sums.subarray(row * targets));
      else if (targets === 1) sums[row] = sumOfWeights(forest, walk, weights, from, first);
      else addWeights(forest, walk, weights, from, first, sums.subarray(row * targets));
      for (let target = 0; target < targets; target++) {
        const at = row * targets + target;
        sums[at] = sums[at]! + forest.base[target]!;
      }
    }
    return dense('float32', rows, targets, sums);
  };

/**
 * Returns the sum of the leaves' weights for a forest with one target and one weight in each leaf.
 */
function sumOfWeights(
  forest: PackedForest,
  walk: Walk,
  weights: Float32Array,
  values: Float32Array,
  first: number,
): number {
  const { trees } = forest;
  let sum = fround(0);
  for (let tree = 0; tree < trees; tree += 4) {
    walk(forest, tree, values, first);
    const count = Math.min(4, trees - tree);
    for (let index = 0; index < count; index++) sum = fround(sum + weights[places[index]!]!);
  }
  return sum;
}

/** Adds the weight of each leaf to the sum of the target to which its tree belongs. */
function addWeights(
  forest: PackedForest,
  walk: Walk,
  weights: Float32Array,
  values: Float32Array,
  first: number,
  sums: Float32Array,
): void {
  const { trees, treeTargets } = forest;
  for (let tree = 0; tree < trees; tree += 4) {
    walk(forest, tree, values, first);
    const count = Math.min(4, trees - tree);
    for (let index = 0; index < count; index++) {
      const target = treeTargets[tree + index]!;
      sums[target] = sums[target]! + weights[places[index]!]!;
    }
  }
}

/** Adds the weights of each tree's leaf to the sums. A leaf has one weight for each target. */
function addRows(
  forest: PackedForest,
  walk: Walk,
  rowNumbers: Int32Array,
  values: Float32Array,
  first: number,
  sums: Float32Array,
): void {
  const { trees, targets, weights } = forest;
  for (let tree = 0; tree < trees; tree += 4) {
    walk(forest, tree, values, first);
    const count = Math.min(4, trees - tree);
    for (let index = 0; index < count; index++) {
      const row = rowNumbers[places[index]!]! * targets;
      for (let target = 0; target < targets; target++) sums[target] = sums[target]! + weights[row + target]!;
    }
  }
}

export const perfectForest = forestKernel('perfect', walkPerfect, ({ leaves, leafWeights }) => ({
  numbers: leaves,
  weights: leafWeights,
}));

export const linkedForest = forestKernel('linked', walkLinked, ({ links, thresholds }) => ({
  numbers: links,
  weights: thresholds,
}));
