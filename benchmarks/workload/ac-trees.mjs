import { acFleet, CLASSIFIER_VERSIONS, FEATURIZER_VERSIONS, smaller } from './ac.mjs';
import { scaled } from './scale.mjs';

// How much of a pipeline of AC is trees.

/** Trees that a row of a pipeline walks. @param {import('./ac.mjs').AcMember} member @param {number} share of the nodes at full size */
export function treesOf({ featurizer, classifier, final }, share) {
  const trees = (/** @type {import('./ac.mjs').TreesShape | undefined} */ shape) =>
    shape === undefined ? 0 : smaller(shape, share).trees;
  return trees(FEATURIZER_VERSIONS[featurizer ?? -1]) + trees(CLASSIFIER_VERSIONS[classifier ?? -1]) + final.trees;
}

/** Trees of a row, the mean of all pipelines. */
export function treesOfARow() {
  const { pipelines, share } = scaled();
  const { members } = acFleet({ pipelines, share });
  return members.reduce((sum, member) => sum + treesOf(member, share), 0) / members.length;
}

/** Pipelines without a forest of their parts, by number: a projection and the final trees, the simplest that there are. */
export function simplest() {
  const { members } = acFleet({ pipelines: scaled().pipelines });
  return [...members.keys()].filter(
    (at) => members[at].featurizer === undefined && members[at].classifier === undefined,
  );
}
