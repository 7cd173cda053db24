import { indexBelow } from '@brezel/core';
import type { ModelPart } from '../model-part.js';
import { ofSize, type Predictor } from './predictor.js';

const MOST_NUMBERS = 2 ** 26;

/**
 * Reads a k-means model. Its scores are the squared distances of a row `x` from the centers `c`,
 * computed as c c - 2 c x + x x, and at least 0.
 */
export function kMeans(part: ModelPart): Predictor {
  part.floatSize();
  const [clusters, features] = [part.int(), part.int()];
  if (!(clusters > 0 && features > 0 && clusters * features <= MOST_NUMBERS))
    throw part.fail(`centers of at most ${MOST_NUMBERS} numbers`, `${clusters} of ${features}`);
  part.takeElements(2 * clusters * features);
  const centers = Array.from({ length: clusters }, () => readCenter(part, features));
  part.end();
  const weights = new Float32Array(features * clusters);
  centers.forEach((center, cluster) => {
    center.forEach((value, feature) => (weights[feature * clusters + cluster] = -2 * value));
  });
  const bias = centers.map((center) => center.reduce((sum, value) => sum + value * value, 0));
  return {
    targets: clusters,
    score(given) {
      const row = ofSize(given, features, part.at).densify();
      const square = row.reduce('sumOfSquares', { parts: 1 });
      return row.linear({ weights, bias }).arithmetic('add', square).map('relu');
    },
  };
}

/**
 * Reads a center: either all its numbers, or the indices of its nonzero numbers followed by these
 * numbers.
 */
function readCenter(part: ModelPart, features: number): Float32Array {
  const count = part.version >= 0x00010002 ? part.int() : features;
  if (!(count >= 0 && count <= features)) throw part.fail(`at most ${features} numbers`, `${count}`);
  const places = count < features ? part.ints(count) : undefined;
  const values = part.floats(count);
  if (!values.every(Number.isFinite)) throw part.fail('finite numbers', 'NaN or an infinity');
  if (places === undefined) return values;
  const center = new Float32Array(features);
  places.forEach((place, at) => {
    if (!(place >= 0 && place < features)) throw part.fail(indexBelow('an index', features), `${place}`);
    center[place] = values[at]!;
  });
  return center;
}
