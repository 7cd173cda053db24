import { DataType, makeGraph, makeModel, makeNode, tensorInput, writeModel } from '@brezel/onnx';
import { integer, randomOf } from './random.mjs';

// Generates decision forests: ragged trees that grow leaf by leaf, as in gradient boosting, and
// complete binary trees for the benchmarks of a single forest. Writes forests as ONNX.

/**
 * The nodes of all trees, one tree after another, in the order in which the generator adds them.
 * `yes` is 0 for a leaf.
 *
 * @typedef {{ trees: Int32Array, numbers: Int32Array, features: Int32Array, thresholds:
 * Float32Array, yes: Int32Array, no: Int32Array, weights: Float32Array, targetOf: (tree: number) =>
 * number, targets: number }} Forest
 */

/**
 * Generates a forest.
 *
 * @param {{ seed: number, trees: number, leaves: number, ranges: readonly (readonly [number,
 * number])[], targets: number, weight: number }} shape
 *   Each tree has `leaves` leaves. `ranges` has the range of each feature. Tree t adds to the
 *   target t modulo `targets`. The weight of a leaf is at most ±`weight`.
 * @returns {Forest}
 */
export function growForest({ seed, trees, leaves, ranges, targets, weight }) {
  const random = randomOf(seed);
  const size = 2 * leaves - 1;
  const forest = emptyForest(trees * size, targets);
  for (let tree = 0; tree < trees; tree++) growTree(random, forest, tree * size, leaves, ranges, weight);
  for (let index = 0; index < trees * size; index++) {
    forest.trees[index] = Math.floor(index / size);
    forest.numbers[index] = index % size;
  }
  return forest;
}

/**
 * @param {number} nodes
 * @param {number} targets
 * @returns {Forest}
 */
const emptyForest = (nodes, targets) => ({
  trees: new Int32Array(nodes),
  numbers: new Int32Array(nodes),
  features: new Int32Array(nodes),
  thresholds: new Float32Array(nodes),
  yes: new Int32Array(nodes),
  no: new Int32Array(nodes),
  weights: new Float32Array(nodes),
  targetOf: (tree) => tree % targets,
  targets,
});

/**
 * Splits random leaves until the tree has enough leaves. One split in five takes the newest leaf,
 * so that the tree becomes deep.
 *
 * @param {() => number} random
 * @param {Forest} forest
 * @param {number} first
 * @param {number} leaves
 * @param {readonly (readonly [number, number])[]} ranges
 * @param {number} weight
 */
function growTree(random, forest, first, leaves, ranges, weight) {
  const open = [0];
  let next = 1;
  for (let count = 1; count < leaves; count++) {
    const position = random() < 0.2 ? open.length - 1 : integer(random, open.length);
    const node = open[position];
    const feature = integer(random, ranges.length);
    const [low, high] = ranges[feature];
    forest.features[first + node] = feature;
    forest.thresholds[first + node] = low + (high - low) * random();
    forest.yes[first + node] = next;
    forest.no[first + node] = next + 1;
    open[position] = next;
    open.push(next + 1);
    next += 2;
  }
  for (const leaf of open) forest.weights[first + leaf] = weight * (2 * random() - 1);
}

/**
 * Converts the forest to the flat lists of ONNX-ML, for a regressor (`target`) or a classifier
 * (`class`).
 *
 * @param {Forest} forest
 * @param {'target' | 'class'} kind
 */
export function onnxLists(forest, kind) {
  const { trees, numbers, features, thresholds, yes, no, weights, targetOf } = forest;
  const leaves = Int32Array.from(numbers.keys()).filter((index) => yes[index] === 0);
  const ofLeaves = (/** @type {(index: number) => number} */ value) => Int32Array.from(leaves, value);
  return {
    nodes_treeids: { ints: trees },
    nodes_nodeids: { ints: numbers },
    nodes_featureids: { ints: features },
    nodes_values: { floats: thresholds },
    nodes_modes: { strings: Array.from(yes, (child) => (child === 0 ? 'LEAF' : 'BRANCH_LEQ')) },
    nodes_truenodeids: { ints: yes },
    nodes_falsenodeids: { ints: no },
    nodes_missing_value_tracks_true: { ints: new Int32Array(trees.length) },
    [`${kind}_treeids`]: { ints: ofLeaves((index) => trees[index]) },
    [`${kind}_nodeids`]: { ints: ofLeaves((index) => numbers[index]) },
    [`${kind}_ids`]: { ints: ofLeaves((index) => targetOf(trees[index])) },
    [`${kind}_weights`]: { floats: Float32Array.from(leaves, (index) => weights[index]) },
    post_transform: { s: 'NONE' },
  };
}

/**
 * Joins two forests over the same features. The targets of the second forest follow the targets of
 * the first.
 *
 * @param {Forest} one
 * @param {Forest} other
 * @returns {Forest}
 */
export function sideBySide(one, other) {
  const shift = /** @type {number} */ (one.trees.at(-1)) + 1;
  /**
   * @template {Int32Array | Float32Array} T
   * @param {T} a
   * @param {T} b
   */
  const joined = (a, b) => {
    const both = /** @type {T} */ (new /** @type {any} */ (a.constructor)(a.length + b.length));
    both.set(a);
    both.set(b, a.length);
    return both;
  };
  return {
    trees: joined(
      one.trees,
      other.trees.map((tree) => tree + shift),
    ),
    numbers: joined(one.numbers, other.numbers),
    features: joined(one.features, other.features),
    thresholds: joined(one.thresholds, other.thresholds),
    yes: joined(one.yes, other.yes),
    no: joined(one.no, other.no),
    weights: joined(one.weights, other.weights),
    targetOf: (tree) => (tree < shift ? one.targetOf(tree) : one.targets + other.targetOf(tree - shift)),
    targets: one.targets + other.targets,
  };
}

/** The number of features of a complete forest. */
export const FEATURES = 40;

/**
 * Generates complete binary trees over uniform features. Node n has the children 2n + 1 and 2n + 2.
 *
 * @param {number} trees
 * @param {number} depth
 * @returns {Forest}
 */
function completeForest(trees, depth) {
  const random = randomOf(trees * 100 + depth);
  const inner = 2 ** depth - 1;
  const size = 2 * inner + 1;
  const forest = emptyForest(trees * size, 1);
  for (let index = 0; index < trees * size; index++) {
    forest.trees[index] = Math.floor(index / size);
    forest.numbers[index] = index % size;
  }
  const branches = forest.numbers.map((_, index) => index).filter((index) => index % size < inner);
  for (const index of branches) forest.features[index] = integer(random, FEATURES);
  for (const index of branches) forest.thresholds[index] = integer(random, 2 ** 20) / 2 ** 20;
  for (const index of branches) forest.yes[index] = 2 * (index % size) + 1;
  for (const index of branches) forest.no[index] = 2 * (index % size) + 2;
  for (const [index, child] of forest.yes.entries()) if (child === 0) forest.weights[index] = random() - 0.5;
  return forest;
}

/**
 * Writes a complete forest as an ONNX file with one TreeEnsembleRegressor.
 *
 * @param {number} trees
 * @param {number} depth
 * @returns {Uint8Array}
 */
export function forestModel(trees, depth) {
  const attributes = { n_targets: { i: 1 }, ...onnxLists(completeForest(trees, depth), 'target') };
  const input = [tensorInput('x', DataType.FLOAT, [undefined, FEATURES])];
  const output = [tensorInput('y', DataType.FLOAT, [undefined, 1])];
  const node = [makeNode('TreeEnsembleRegressor', ['x'], ['y'], attributes, 'ai.onnx.ml')];
  return writeModel(makeModel(makeGraph({ input, output, node }), { '': 17, 'ai.onnx.ml': 3 }));
}

/**
 * Generates row-major rows for complete forests.
 *
 * @param {number} rows
 */
export function forestRows(rows) {
  const random = randomOf(4242);
  return Float32Array.from({ length: rows * FEATURES }, random);
}
