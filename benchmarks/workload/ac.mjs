import { integer, normal, randomOf } from '../lib/random.mjs';
import { assignVersions } from './versions.mjs';

// 250 attendee-count pipelines (AC) over 40 numbers: PCA, k-means, a tree featurizer and a multi-class forest side by side, and a forest over all of
// them. Parts come in a handful of versions that pipelines combine; the final forest is each one's own.

export const FEATURES = 40;
/** Nodes of ONNX's lists take about so many bytes of a file. */
export const BYTES_A_NODE = 32;
export const CLASSES = 4;

/** @typedef {{ trees: number, leaves: number }} TreesShape */
/** @typedef {{ name: string, components?: number, clusters?: number, featurizer?: number, classifier?: number, final: TreesShape, seed: number }} AcMember versions of its parts; one that is undefined is no part of it */

/**
 * Versions of the parts. Models of Table 1 take 10 KB to 20 MB, 9 MB on average, and yet all 250 together take 164 MB in the paper's object store
 * (Figure 8): nearly all parameters are shared, though the combinations differ. The text does not say how; versions are ours.
 */
export const COMPONENT_VERSIONS = [8, 10, 6, 12, 16];
export const CLUSTER_VERSIONS = [12, 8, 16, 5, 20];
/** Trees and leaves of the featurizers at full size. */
export const FEATURIZER_VERSIONS = [
  { trees: 100, leaves: 1024 },
  { trees: 140, leaves: 1024 },
  { trees: 100, leaves: 256 },
  { trees: 50, leaves: 64 },
  { trees: 160, leaves: 512 },
];
/** Trees (a multiple of the classes) and leaves of the classifiers at full size. */
export const CLASSIFIER_VERSIONS = [
  { trees: 100, leaves: 1024 },
  { trees: 150, leaves: 1024 },
  { trees: 100, leaves: 64 },
  { trees: 40, leaves: 16 },
  { trees: 200, leaves: 512 },
];
const SHARES = [0.4, 0.25, 0.15, 0.12, 0.08];

/** How many pipelines have which parts: the most complex have all, the simplest a single one. */
const SHAPES = [
  { share: 0.6, parts: ['components', 'clusters', 'featurizer', 'classifier'] },
  { share: 0.15, parts: ['components', 'featurizer', 'classifier'] },
  { share: 0.15, parts: ['clusters', 'featurizer'] },
  { share: 0.1, parts: ['components'] },
];

/**
 * A fleet of AC pipelines as plain descriptions; `ac-parts.mjs` makes their parameters, `ac-onnx.mjs` their files.
 *
 * @param {{ pipelines?: number, share?: number, seed?: number, shared?: boolean }} [options] share: of the nodes of shared parts at full size; shared false: no two
 *   pipelines have a parameter in common
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
  const members = shapes.map((shape, at) => {
    const parts = Object.fromEntries(
      /** @type {(keyof typeof drawn)[]} */ (SHAPES[shape].parts).map((part) => [part, drawn[part][at]]),
    );
    const final = { trees: 20 + integer(random, 81), leaves: 8 + integer(random, 57) };
    return /** @type {AcMember} */ ({
      name: `ac-${String(at).padStart(3, '0')}`,
      ...parts,
      final,
      seed: seed * 1000 + at,
    });
  });
  return { members, share, seed, shared };
}

/** @param {TreesShape} shape @param {number} share of the nodes: first leaves become fewer, then trees @returns {TreesShape} */
export function smaller({ trees, leaves }, share) {
  const fewer = Math.max(4, Math.round(leaves * share));
  const rest = Math.min(1, (share * leaves) / fewer);
  return { trees: Math.max(CLASSES, Math.round((trees * rest) / CLASSES) * CLASSES), leaves: fewer };
}

/** What the file of a pipeline will take, about. @param {AcMember} member @param {number} share */
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

/** Rows as events have them: shares, counts (long tails) and z-scores; row-major. @param {number} rows @param {number} [seed] */
export function acRows(rows, seed = 1) {
  const random = randomOf(seed * 31_337);
  return Float32Array.from({ length: rows * FEATURES }, (_, at) => {
    const kind = at % 3;
    if (kind === 0) return random();
    return kind === 1 ? Math.min(1, -Math.log(1 - random()) / 4) : 0.5 + 0.2 * normal(random);
  });
}
