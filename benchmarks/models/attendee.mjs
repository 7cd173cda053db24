import { growForest } from './forests.mjs';
import { assignVersions, integer, normal, randomOf } from './random.mjs';

// Generates the 250 attendee-count (AC) pipelines of the paper. PCA, k-means, a tree featurizer and
// a multi-class forest read the same 40 numbers, and a final forest reads their outputs. Each part
// has five versions that pipelines share. Every pipeline has a separate final forest. Pipelines
// with the same version of a part reference the same parameters.

export const FEATURES = 40;
/** Approximate bytes of a tree node in an ONNX file. */
export const BYTES_A_NODE = 32;
export const CLASSES = 4;

/**
 * The size of a forest: its number of trees, and the number of leaves of each tree.
 *
 * @typedef {{ trees: number, leaves: number }} TreesShape
 */
/**
 * @typedef {{ name: string, components?: number, clusters?: number, featurizer?: number,
 * classifier?: number, final: TreesShape, seed: number }} AcMember
 *   The versions of the pipeline's parts. Undefined means that the pipeline does not have the part.
 */

/**
 * The number of PCA components in each version of the PCA part. In the paper, a model has 10 KB to
 * 20 MB, 9 MB on average (Table 1), but all 250 models take 164 MB in PRETZEL's object store
 * (Figure 8). Pipelines therefore share nearly all parameters. The paper does not list the
 * versions, so we chose these numbers.
 */
export const COMPONENT_VERSIONS = [8, 10, 6, 12, 16];
export const CLUSTER_VERSIONS = [12, 8, 16, 5, 20];
/** Versions of the tree featurizer at full size. */
export const FEATURIZER_VERSIONS = [
  { trees: 100, leaves: 1024 },
  { trees: 140, leaves: 1024 },
  { trees: 100, leaves: 256 },
  { trees: 50, leaves: 64 },
  { trees: 160, leaves: 512 },
];
/** Versions of the classifier at full size. The number of trees is a multiple of CLASSES. */
export const CLASSIFIER_VERSIONS = [
  { trees: 100, leaves: 1024 },
  { trees: 150, leaves: 1024 },
  { trees: 100, leaves: 64 },
  { trees: 40, leaves: 16 },
  { trees: 200, leaves: 512 },
];
const SHARES = [0.4, 0.25, 0.15, 0.12, 0.08];

/** For each combination of parts, the fraction of pipelines that have it. */
const SHAPES = [
  { share: 0.6, parts: ['components', 'clusters', 'featurizer', 'classifier'] },
  { share: 0.15, parts: ['components', 'featurizer', 'classifier'] },
  { share: 0.15, parts: ['clusters', 'featurizer'] },
  { share: 0.1, parts: ['components'] },
];

/**
 * Describes a fleet of AC pipelines. `partsMaker` generates their parameters, and
 * `attendee-onnx.mjs` writes their ONNX files.
 *
 * @param {{ pipelines?: number, share?: number, seed?: number, shared?: boolean }} [options]
 *   `share` is the fraction of the tree nodes that the fleet has at full size. With `shared:
 *   false`, pipelines have no common parameter.
 */
export function acFleet({ pipelines = 250, share = 1, seed = 1, shared = true } = {}) {
  const random = randomOf(seed * 104_729);
  const shapes = assignVersions(
    random,
    pipelines,
    SHAPES.map((shape) => shape.share),
  );
  const drawn = {
    components: assignVersions(random, pipelines, SHARES),
    clusters: assignVersions(random, pipelines, SHARES),
    featurizer: assignVersions(random, pipelines, SHARES),
    classifier: assignVersions(random, pipelines, SHARES),
  };
  const members = shapes.map((shape, index) => {
    const parts = Object.fromEntries(
      /** @type {(keyof typeof drawn)[]} */ (SHAPES[shape].parts).map((part) => [part, drawn[part][index]]),
    );
    const final = { trees: 20 + integer(random, 81), leaves: 8 + integer(random, 57) };
    return /** @type {AcMember} */ ({
      name: `ac-${String(index).padStart(3, '0')}`,
      ...parts,
      final,
      seed: seed * 1000 + index,
    });
  });
  return { members, share, seed, shared };
}

/**
 * Returns the shape of a smaller forest: reduces first the number of leaves, then the number of
 * trees.
 *
 * @param {TreesShape} shape
 * @param {number} share of the nodes
 * @returns {TreesShape}
 */
export function smaller({ trees, leaves }, share) {
  const fewer = Math.max(4, Math.round(leaves * share));
  const rest = Math.min(1, (share * leaves) / fewer);
  return { trees: Math.max(CLASSES, Math.round((trees * rest) / CLASSES) * CLASSES), leaves: fewer };
}

/**
 * Returns the approximate bytes of a pipeline's ONNX file.
 *
 * @param {AcMember} member
 * @param {number} share
 */
export function expectedBytes({ components, clusters, featurizer, classifier, final }, share) {
  const nodes = ({ trees, leaves } = { trees: 0, leaves: 0 }) => trees * (2 * leaves - 1);
  const parts = [
    featurizer === undefined ? undefined : smaller(FEATURIZER_VERSIONS[featurizer], share),
    classifier === undefined ? undefined : smaller(CLASSIFIER_VERSIONS[classifier], share),
    final,
  ];
  const matrices = (COMPONENT_VERSIONS[components ?? -1] ?? 0) + (CLUSTER_VERSIONS[clusters ?? -1] ?? 0);
  return matrices * FEATURES * 4 + parts.reduce((sum, part) => sum + nodes(part) * BYTES_A_NODE, 0);
}

/**
 * Generates rows (row-major). Their features are fractions, counts with long tails, and z-scores.
 *
 * @param {number} rows
 * @param {number} [seed]
 */
export function acRows(rows, seed = 1) {
  const random = randomOf(seed * 31_337);
  return Float32Array.from({ length: rows * FEATURES }, (_, index) => {
    const kind = index % 3;
    if (kind === 0) return random();
    return kind === 1 ? Math.min(1, -Math.log(1 - random()) / 4) : 0.5 + 0.2 * normal(random);
  });
}

/**
 * Returns the number of trees that one row of a pipeline walks.
 *
 * @param {AcMember} member
 * @param {number} share of the tree nodes at full size
 */
export function treesOf({ featurizer, classifier, final }, share) {
  const trees = (/** @type {TreesShape | undefined} */ shape) =>
    shape === undefined ? 0 : smaller(shape, share).trees;
  return trees(FEATURIZER_VERSIONS[featurizer ?? -1]) + trees(CLASSIFIER_VERSIONS[classifier ?? -1]) + final.trees;
}

/**
 * Returns the number of trees per row, as the mean over pipelines.
 *
 * @param {readonly AcMember[]} members
 * @param {number} share
 */
export const meanTrees = (members, share) =>
  members.reduce((sum, member) => sum + treesOf(member, share), 0) / members.length;

/**
 * Returns the indices of the pipelines without featurizer and classifier: they have a projection
 * and the final forest.
 *
 * @param {readonly AcMember[]} members
 */
export const withoutLargeForests = (members) =>
  [...members.keys()].filter(
    (index) => members[index].featurizer === undefined && members[index].classifier === undefined,
  );

/** @typedef {import('./forests.mjs').Forest} Forest */
/**
 * @typedef {{ outputs: number, mean: Float32Array, components: Float32Array }} Projection
 *   The shape of `components` is [features, outputs].
 */
/**
 * @typedef {{ count: number, centers: Float32Array, norms: Float32Array }} Clusters
 *   `centers` is row-major.
 */
/**
 * @typedef {{ projection?: Projection, clusters?: Clusters, featurizer?: Forest, classifier?:
 * Forest, final: Forest }} AcParts
 *   The parameters of an AC pipeline. The forest `final` reads the outputs of the other parts.
 */
/**
 * The least and the greatest value of a feature.
 *
 * @typedef {readonly [number, number]} Range
 */

const UNIT = /** @type {Range[]} */ (Array.from({ length: FEATURES }, () => [0, 1]));
/** The largest weight in a leaf of a featurizer or classifier. */
const LEAF = 0.5;
const SCORE = 0.2;

/**
 * Returns a function that generates the parameters of a pipeline.
 *
 * @param {{ share: number, seed: number, shared: boolean }} fleet
 */
export function partsMaker({ share, seed, shared }) {
  /** @type {Map<string, any>} */
  const made = new Map();
  /**
   * Returns a part of a pipeline, or undefined if the pipeline does not have the part.
   *
   * @template T
   * @param {(typeof kinds)[number]} kind
   * @param {AcMember} member
   * @param {(seed: number, version: number) => T} make
   * @returns {T | undefined}
   */
  const part = (kind, member, make) => {
    const version = member[kind];
    if (version === undefined) return undefined;
    const own = shared ? 0 : (member.seed % 1000) + 1;
    const name = `${kind} ${version} ${own}`;
    if (shared && made.has(name)) return made.get(name);
    const one = make(((seed * 1009 + own) * 101 + version) * 11 + kinds.indexOf(kind), version);
    if (shared) made.set(name, one);
    return one;
  };
  return (/** @type {AcMember} */ member) => {
    const before = {
      projection: part('components', member, (from, version) => makeProjection(from, COMPONENT_VERSIONS[version])),
      clusters: part('clusters', member, (from, version) => makeClusters(from, CLUSTER_VERSIONS[version])),
      featurizer: part('featurizer', member, (from, version) => makeFeaturizer(from, version, share)),
      classifier: part('classifier', member, (from, version) => makeClassifier(from, version, share)),
    };
    const final = growForest({
      seed: member.seed,
      ...member.final,
      ranges: finalRanges(before),
      targets: 1,
      weight: 1 / member.final.trees,
    });
    return /** @type {AcParts} */ ({ ...before, final });
  };
}

const kinds = /** @type {const} */ (['components', 'clusters', 'featurizer', 'classifier']);

/**
 * Generates the parameters of a PCA with `outputs` components.
 *
 * @param {number} seed
 * @param {number} outputs
 * @returns {Projection}
 */
function makeProjection(seed, outputs) {
  const random = randomOf(seed);
  const length = FEATURES ** -0.5;
  return {
    outputs,
    mean: Float32Array.from({ length: FEATURES }, () => 0.5 + 0.1 * normal(random)),
    components: Float32Array.from({ length: FEATURES * outputs }, () => length * normal(random)),
  };
}

/**
 * Generates the parameters of a k-means model with `count` centers.
 *
 * @param {number} seed
 * @param {number} count
 * @returns {Clusters}
 */
function makeClusters(seed, count) {
  const random = randomOf(seed);
  const centers = Float32Array.from({ length: count * FEATURES }, random);
  const norms = Float32Array.from({ length: count }, (_, index) =>
    centers.subarray(index * FEATURES, (index + 1) * FEATURES).reduce((sum, value) => sum + value * value, 0),
  );
  return { count, centers, norms };
}

/**
 * Generates a featurizer, which has one target for each tree.
 *
 * @param {number} seed
 * @param {number} version
 * @param {number} share
 */
function makeFeaturizer(seed, version, share) {
  const shape = smaller(FEATURIZER_VERSIONS[version], share);
  return growForest({ seed, ...shape, ranges: UNIT, targets: shape.trees, weight: LEAF });
}

/**
 * Generates a classifier, in which each tree scores one class.
 *
 * @param {number} seed
 * @param {number} version
 * @param {number} share
 */
function makeClassifier(seed, version, share) {
  const shape = smaller(CLASSIFIER_VERSIONS[version], share);
  return growForest({ seed, ...shape, ranges: UNIT, targets: CLASSES, weight: SCORE });
}

/**
 * Returns the range of each input of the final forest. The inputs are, in order, projections,
 * distances, featurizer values and probabilities.
 *
 * @param {Omit<AcParts, 'final'>} parts
 * @returns {Range[]}
 */
function finalRanges({ projection, clusters, featurizer, classifier }) {
  const repeated = (/** @type {number} */ count, /** @type {Range} */ range) => new Array(count).fill(range);
  return [
    ...repeated(projection?.outputs ?? 0, [-0.6, 0.6]),
    ...repeated(clusters?.count ?? 0, [1.5, 3]),
    ...repeated(featurizer?.targets ?? 0, [-LEAF, LEAF]),
    ...repeated(classifier?.targets ?? 0, [0, 0.6]),
  ];
}
