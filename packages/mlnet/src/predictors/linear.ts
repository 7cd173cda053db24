import { indexBelow } from '@brezel/core';
import type { Flow } from '@brezel/flour';
import type { ModelPart } from '../model-part.js';
import { ofSize, type Predictor } from './predictor.js';

interface LinearModel {
  readonly bias: number;
  readonly weights: Float32Array;
}

/**
 * Reads the bias and the weights of a linear model. The file contains either all weights, or the
 * indices of the nonzero weights followed by these weights.
 */
export function readLinear(part: ModelPart): LinearModel {
  part.floatSize();
  const bias = part.float();
  const size = sizeOfWeights(part);
  const places = part.ints();
  const given = part.floats();
  if (given.length !== places.length && !(places.length === 0 && given.length === size))
    throw part.fail(`${places.length || size} weights`, `${given.length}`);
  part.end();
  return { bias: finite(part, [bias])[0]!, weights: spread(part, size, places, finite(part, given)) };
}

/**
 * The largest number of weights of a linear model; a larger model is rejected. A sparse model lists
 * only some of its weights, so the size of the file does not limit their number.
 */
const MAX_WEIGHTS = 2 ** 26;

function sizeOfWeights(part: ModelPart): number {
  const size = part.int();
  if (!(size > 0 && size <= MAX_WEIGHTS)) throw part.fail(`1 to ${MAX_WEIGHTS} weights`, `${size}`);
  return size;
}

function spread(part: ModelPart, size: number, places: Int32Array, values: readonly number[]): Float32Array {
  if (places.length === 0 && values.length > 0) return Float32Array.from(values);
  part.takeElements(size);
  const weights = new Float32Array(size);
  places.forEach((place, at) => {
    if (!(place > (places[at - 1] ?? -1) && place < size))
      throw part.fail(indexBelow('ascending indexes', size), `${place}`);
    weights[place] = values[at]!;
  });
  return weights;
}

function finite(part: ModelPart, values: Iterable<number>): readonly number[] {
  const list = [...values];
  const wrong = list.find((value) => !Number.isFinite(value));
  if (wrong !== undefined) throw part.fail('finite weights', `${wrong}`);
  return list;
}

/**
 * Reads a linear model. Its score is `link` of the weighted sum; by default, the weighted sum
 * itself.
 */
export function linear(part: ModelPart, link = (score: Flow<'vector'>) => score): Predictor {
  const { bias, weights } = readLinear(part);
  return {
    targets: 1,
    score: (features) => link(ofSize(features, weights.length, part.at).linear({ weights, bias: [bias] })),
  };
}

/**
 * Reads a linear model with weights and a bias for each class. With `isProbability`, the scores are
 * the softmax of the weighted sums.
 */
export function multiclassLinear(part: ModelPart, isProbability: boolean): Predictor {
  part.floatSize();
  const [features, classes] = [sizeOfWeights(part), sizeOfWeights(part)];
  if (features * classes > MAX_WEIGHTS) throw part.fail(`at most ${MAX_WEIGHTS} weights`, `${features * classes}`);
  const bias = Float32Array.from(finite(part, part.floats(classes)));
  const rows = readRows(part, features, classes);
  part.end();
  part.takeElements(features * classes);
  const weights = new Float32Array(features * classes);
  rows.forEach((row, at) => {
    row.forEach((weight, feature) => (weights[feature * classes + at] = weight));
  });
  return {
    targets: classes,
    score(given) {
      const scores = ofSize(given, features, part.at).linear({ weights, bias });
      return isProbability ? scores.softmax() : scores;
    },
  };
}

/**
 * Reads the weights of each class: either all weights, or the indices of the nonzero weights
 * followed by these weights.
 */
function readRows(part: ModelPart, features: number, classes: number): Float32Array[] {
  const starts = part.ints();
  if (starts.length === 0) {
    if (part.int() !== 0) throw part.fail('no places of dense weights', 'some');
    const all = Float32Array.from(finite(part, part.floats()));
    if (all.length !== features * classes) throw part.fail(`${features * classes} weights`, `${all.length}`);
    return Array.from({ length: classes }, (_, at) => all.subarray(at * features, (at + 1) * features));
  }
  if (starts.length !== classes + 1 || starts[0] !== 0 || starts.some((start, at) => start < (starts[at - 1] ?? 0)))
    throw part.fail(`${classes + 1} ascending starts`, `${starts.length}`);
  const places = part.ints();
  const values = part.floats();
  const all = starts.at(-1)!;
  if (places.length !== all || values.length !== all) throw part.fail(`${all} places and weights`, `${places.length}`);
  return Array.from({ length: classes }, (_, at) => {
    const [start, end] = [starts[at]!, starts[at + 1]!];
    const own = finite(part, values.subarray(start, end));
    return spread(part, features, places.subarray(start, end), own);
  });
}
