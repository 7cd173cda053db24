import {
  CLASSES,
  CLASSIFIER_VERSIONS,
  CLUSTER_VERSIONS,
  COMPONENT_VERSIONS,
  FEATURES,
  FEATURIZER_VERSIONS,
  smaller,
} from './attendee-fleet.mjs';
import { normal, randomOf } from './random.mjs';
import { growForest } from './trees.mjs';

// Generates the parameters of AC pipelines. Pipelines with the same version of a part reference the
// same parameters.

/** @typedef {import('./attendee-fleet.mjs').AcMember} AcMember */
/** @typedef {import('./trees.mjs').Forest} Forest */
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
 */
/** @typedef {readonly [number, number]} Range */

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
   * @template T
   * @param {string} kind
   * @param {number | undefined} version
   * @param {AcMember} member
   * @param {(seed: number) => T} make
   * @returns {T | undefined}
   */
  const part = (kind, version, member, make) => {
    if (version === undefined) return undefined;
    const own = shared ? 0 : (member.seed % 1000) + 1;
    const name = `${kind} ${version} ${own}`;
    if (shared && made.has(name)) return made.get(name);
    const one = make(((seed * 1009 + own) * 101 + version) * 11 + kinds.indexOf(kind));
    if (shared) made.set(name, one);
    return one;
  };
  return (/** @type {AcMember} */ member) => {
    const { components, clusters, featurizer, classifier } = member;
    const before = {
      projection: part('components', components, member, (from) =>
        makeProjection(from, COMPONENT_VERSIONS[components]),
      ),
      clusters: part('clusters', clusters, member, (from) => makeClusters(from, CLUSTER_VERSIONS[clusters])),
      featurizer: part('featurizer', featurizer, member, (from) => makeFeaturizer(from, featurizer, share)),
      classifier: part('classifier', classifier, member, (from) => makeClassifier(from, classifier, share)),
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

const kinds = ['components', 'clusters', 'featurizer', 'classifier'];

/** @param {number} seed @param {number} outputs @returns {Projection} */
function makeProjection(seed, outputs) {
  const random = randomOf(seed);
  const length = FEATURES ** -0.5;
  return {
    outputs,
    mean: Float32Array.from({ length: FEATURES }, () => 0.5 + 0.1 * normal(random)),
    components: Float32Array.from({ length: FEATURES * outputs }, () => length * normal(random)),
  };
}

/** @param {number} seed @param {number} count @returns {Clusters} */
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
 * Returns the ranges of the final forest's inputs in order: projections, distances, featurizer
 * values, probabilities.
 *
 * @param {Omit<AcParts, 'final'>} parts @returns {Range[]}
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
