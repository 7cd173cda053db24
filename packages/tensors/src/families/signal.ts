import { flagAttribute, intAttribute } from '../attributes.js';
import { conversion, type Element } from '../convert.js';
import { elementOf } from '../data-types.js';
import { type TensorCall, type TensorOperator, tensorOperators } from '../define.js';
import { floats, numbers } from '../elements.js';
import { onlyElement, tensorInput } from '../inputs.js';
import { allocate, finished, type NewTensor } from '../moving.js';
import type { Tensor } from '../tensor.js';

const { cos, PI } = Math;

/** Returns the function of a window that is a sum of cosines: a0 - a1 cos(x) + a2 cos(2x). */
const cosines =
  (...weights: readonly number[]) =>
  (turn: number) =>
    weights.reduce((sum, weight, order) => sum + (order % 2 === 0 ? weight : -weight) * cos(2 * PI * order * turn), 0);

const windows = {
  HannWindow: cosines(0.5, 0.5),
  HammingWindow: cosines(25 / 46, 21 / 46),
  BlackmanWindow: cosines(0.42, 0.5, 0.08),
};

/** Operators that create window functions and filters of spectra. */
export const signal = tensorOperators(
  ...Object.entries(windows).map(
    ([operator, shape]): TensorOperator => ({
      domain: '',
      operator,
      versions: [17, 25],
      run: (call) => [windowOf(call, shape)],
    }),
  ),
  { domain: '', operator: 'MelWeightMatrix', versions: [17, 25], run: (call) => [melWeights(call)] },
);

/**
 * Returns a function that allocates a result of the requested type, and the conversion of a float64
 * to this type.
 */
function target(call: TensorCall): { allocate(shape: readonly number[]): NewTensor; convert(value: number): Element } {
  const element = elementOf(call, intAttribute(call, 'output_datatype', 1));
  if (!(numbers as readonly string[]).includes(element))
    throw call.fault(`output_datatype ${element}`, `output_datatype as one of ${numbers.join(', ')}`);
  const convert = conversion('float64', element, call);
  return { allocate: (shape) => allocate(call, element, shape), convert };
}

const integer = (call: TensorCall, index: number, what: string): number =>
  Number(onlyElement(call, tensorInput(call, index, ['int64', 'int32']), what));

/**
 * Computes a window. `shape` receives the position of each entry in the window as a fraction of a
 * full turn. In a periodic window, the entry after the last one would be at 1. In a symmetric
 * window, the last entry is at 1. A symmetric window of one entry is 1.
 */
function windowOf(call: TensorCall, shape: (turn: number) => number): Tensor {
  const size = integer(call, 0, 'the size');
  const { allocate, convert } = target(call);
  const made = allocate([size]);
  const turns = flagAttribute(call, 'periodic', true) ? size : size - 1;
  for (let at = 0; at < size; at++) made.data[at] = convert(turns === 0 ? 1 : shape(at / turns));
  return finished(made);
}

const toMel = (hertz: number) => 2595 * Math.log10(1 + hertz / 700);
const toHertz = (mel: number) => 700 * (10 ** (mel / 2595) - 1);

/**
 * Returns triangular filters over the entries of a spectrum, with peaks of 1. Each triangle extends
 * from the center of the previous triangle to the center of the next one. The centers are equally
 * spaced on the mel scale.
 */
function melWeights(call: TensorCall): Tensor {
  const [bands, length, rate] = ['num_mel_bins', 'dft_length', 'sample_rate'].map((what, index) =>
    integer(call, index, what),
  ) as [number, number, number];
  const [lowest, highest] = [3, 4].map((index) =>
    toMel(Number(onlyElement(call, tensorInput(call, index, floats), 'an edge'))),
  );
  const { allocate, convert } = target(call);
  const entries = Math.floor(length / 2) + 1;
  const made = allocate([entries, bands]);
  const step = (highest! - lowest!) / (bands + 2);
  const edge = (band: number) => Math.floor(((length + 1) * toHertz(lowest! + band * step)) / rate);
  for (let band = 0; band < bands; band++) {
    const [left, center, right] = [edge(band), edge(band + 1), edge(band + 2)];
    if (!(left >= 0 && left <= center && center < entries && center <= right && right <= entries))
      throw call.fault(
        `band ${band} from entry ${left} over ${center} to ${right} of ${entries}`,
        'band edges between 0 and half of the sample rate',
      );
    for (let entry = left; entry <= center; entry++)
      made.data[entry * bands + band] = convert(left === center ? 1 : (entry - left) / (center - left));
    for (let entry = center; entry < right; entry++)
      made.data[entry * bands + band] = convert((right - entry) / (right - center));
  }
  return finished(made);
}
