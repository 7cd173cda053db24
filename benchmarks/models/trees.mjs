import { integer, randomOf } from './random.mjs';

// Generates ragged forests. They grow leaf by leaf, as in gradient boosting, over features with
// known ranges.

/**
 * The nodes of all trees, one tree after another, in the order of growth. `yes` is 0 for a leaf.
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
 *   Each tree has `leaves` leaves. `ranges` has the range of each feature. Tree t scores target
 *   t modulo `targets`. The weight of a leaf is at most ±`weight`.
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

/** @param {number} nodes @param {number} targets @returns {Forest} */
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
 * @param {() => number} random @param {Forest} forest @param {number} first @param {number} leaves
 * @param {readonly (readonly [number, number])[]} ranges @param {number} weight
 */
function growTree(random, forest, first, leaves, ranges, weight) {
  const open = [0];
  let next = 1;
  for (let count = 1; count < leaves; count++) {
    const place = random() < 0.2 ? open.length - 1 : integer(random, open.length);
    const node = /** @type {number} */ (open[place]);
    const feature = integer(random, ranges.length);
    const [low, high] = /** @type {readonly [number, number]} */ (ranges[feature]);
    forest.features[first + node] = feature;
    forest.thresholds[first + node] = low + (high - low) * random();
    forest.yes[first + node] = next;
    forest.no[first + node] = next + 1;
    open[place] = next;
    open.push(next + 1);
    next += 2;
  }
  for (const leaf of open) forest.weights[first + leaf] = weight * (2 * random() - 1);
}

/**
 * Converts the forest to the flat lists of ONNX-ML, for a regressor (`target`) or a classifier
 * (`class`).
 *
 * @param {Forest} forest @param {'target' | 'class'} kind
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
 * @param {Forest} one @param {Forest} other @returns {Forest}
 */
export function sideBySide(one, other) {
  const shift = /** @type {number} */ (one.trees.at(-1)) + 1;
  /** @template {Int32Array | Float32Array} T @param {T} a @param {T} b */
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
