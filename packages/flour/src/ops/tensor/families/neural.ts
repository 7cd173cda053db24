import { LaneSum } from '@brezel/core';
import { flagAttribute, hasAttribute, intAttribute, intsAttribute } from '../attributes.js';
import { type TensorCall, tensorOperators } from '../define.js';
import { floats, rounding } from '../elements.js';
import { computed, optionalInput, tensorInput } from '../inputs.js';
import { allocate, countOf, finished } from '../moving.js';
import { type Shape, shown } from '../shapes.js';
import { elementCount, type NumericElement, type Tensor } from '../tensor.js';
import { type Covered, coveredPlaces, windowsOf } from '../windows.js';

/** Convolutions and pools over any number of spatial axes: the smallest set that image models begin with. */
export const neural = tensorOperators(
  { domain: '', operator: 'Conv', versions: [1, 25], run: convolve },
  { domain: '', operator: 'MaxPool', versions: [1, 25], run: maxPool },
  { domain: '', operator: 'AveragePool', versions: [1, 25], run: averagePool },
  { domain: '', operator: 'GlobalMaxPool', versions: [1, 25], run: (call) => [globalPool(call, greatest)] },
  { domain: '', operator: 'GlobalAveragePool', versions: [1, 25], run: (call) => [globalPool(call, mean)] },
);

/** A tensor `[batch, channels, ...spatial]` of floats. */
function imageInput(call: TensorCall) {
  const image = tensorInput(call, 0, floats);
  const [batch, channels, ...spatial] = image.shape;
  if (batch === undefined || channels === undefined || spatial.length === 0)
    throw call.fault(`shape ${shown(image.shape)}`, 'it takes [batch, channels, ...spatial axes]');
  return { image, batch, channels, spatial };
}

/** A sum in float64 for doubles, in order; in 16 float32 lanes for all others, as every lone sum here. */
function sumOf(element: NumericElement, terms: Iterable<number>): number {
  if (element === 'float64') {
    let sum = 0;
    for (const term of terms) sum += term;
    return sum;
  }
  const sum = new LaneSum(1);
  for (const term of terms) sum.add(Math.fround(term));
  return sum.finish()[0]!;
}

function convolve(call: TensorCall) {
  const { image, batch, channels, spatial } = imageInput(call);
  const { element } = image;
  const weights = tensorInput(call, 1, [element]);
  const bias = optionalInput(call, 2, [element]);
  const [outputs, depth, ...kernel] = weights.shape;
  const groups = intAttribute(call, 'group', 1);
  const told = hasAttribute(call, 'kernel_shape') ? intsAttribute(call, 'kernel_shape') : kernel;
  const fits = groups >= 1 && depth! * groups === channels && outputs! % groups === 0 && shown(told) === shown(kernel);
  if (!fits || (bias !== undefined && shown(bias.shape) !== shown([outputs!])))
    throw call.fault(
      `weights ${shown(weights.shape)}, bias ${shown(bias?.shape ?? [])}, ${groups} groups for ${shown(image.shape)}`,
      'weights are [outputs, channels / groups, ...kernel], and there is one bias an output',
    );
  const windows = windowsOf(call, spatial, kernel);
  const inside = coveredPlaces(call, windows).map((window) => window.filter(({ place }) => place >= 0));
  const [size, places, entries] = [elementCount(spatial), inside.length, elementCount(kernel)];
  function* products(at: number) {
    const output = Math.floor(at / places) % outputs!;
    const first = Math.floor(at / places / outputs!) * channels + Math.floor(output / (outputs! / groups)) * depth!;
    for (let channel = 0; channel < depth!; channel++)
      for (const { kernel: entry, place } of inside[at % places]!)
        yield image.data[(first + channel) * size + place]! *
          weights.data[(output * depth! + channel) * entries + entry]!;
  }
  const shape = [batch, outputs!, ...windows.to];
  countOf(call, shape);
  return [
    computed(call, element, shape, (at) => {
      const sum = sumOf(element, products(at));
      return bias === undefined ? sum : sum + bias.data[Math.floor(at / places) % outputs!]!;
    }),
  ];
}

/** An image, the windows of its pools and the shape of what they give. */
function poolsOf(call: TensorCall) {
  const { image, batch, channels, spatial } = imageInput(call);
  const windows = windowsOf(call, spatial, intsAttribute(call, 'kernel_shape'));
  const shape = [batch, channels, ...windows.to];
  countOf(call, shape);
  const pools = coveredPlaces(call, windows);
  if (pools.some((pool) => pool.every(({ place }) => place < 0)))
    throw call.fault(
      `pads [${windows.before}] and [${windows.after}] of ${shown(spatial)}`,
      'a window holds padding only',
    );
  return { image, spatial, shape, size: elementCount(spatial), pools };
}

/** The greatest entry of each window, a NaN where there is one, and its place in the whole tensor. */
function maxPool(call: TensorCall) {
  const { image, spatial, shape, size, pools } = poolsOf(call);
  const isColumnMajor = intAttribute(call, 'storage_order', 0) !== 0;
  const [values, indices] = [allocate(call, image.element, shape), allocate(call, 'int64', shape)];
  for (let at = 0; at < values.data.length; at++) {
    const base = Math.floor(at / pools.length) * size;
    let best = -1;
    for (const { place } of pools[at % pools.length]!)
      if (place >= 0 && (best < 0 || isAbove(image.data[base + place]!, image.data[base + best]!))) best = place;
    values.data[at] = image.data[base + best];
    indices.data[at] = BigInt(base + (isColumnMajor ? columnMajor(best, spatial) : best));
  }
  return [finished(values), finished(indices)];
}

const isAbove = (value: number, other: number) => value > other || (Number.isNaN(value) && !Number.isNaN(other));

/** A place counted with the first axis running fastest. */
function columnMajor(place: number, shape: Shape): number {
  let [rest, result] = [place, 0];
  const sizes = [...shape];
  for (let size = sizes.pop(); size !== undefined; size = sizes.pop()) {
    result += (rest % size) * elementCount(sizes);
    rest = Math.floor(rest / size);
  }
  return result;
}

function averagePool(call: TensorCall) {
  const { image, shape, size, pools } = poolsOf(call);
  const countsPadding = flagAttribute(call, 'count_include_pad', false);
  const averageOf = (base: number, pool: readonly Covered[]) => {
    const inside = pool.filter(({ place }) => place >= 0).map(({ place }) => image.data[base + place]!);
    return sumOf(image.element, inside) / (countsPadding ? pool.length : inside.length);
  };
  return [
    computed(call, image.element, shape, (at) =>
      averageOf(Math.floor(at / pools.length) * size, pools[at % pools.length]!),
    ),
  ];
}

type Reduction = (element: NumericElement, values: readonly number[]) => number;
const greatest: Reduction = (_, values) =>
  values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
const mean: Reduction = (element, values) => sumOf(element, values) / values.length;

function globalPool(call: TensorCall, reduce: Reduction): Tensor {
  const { image, batch, channels, spatial } = imageInput(call);
  const size = elementCount(spatial);
  const round = rounding(image.element);
  return computed(call, image.element, [batch, channels, ...spatial.map(() => 1)], (at) =>
    round(reduce(image.element, Array.from(image.data.subarray(at * size, (at + 1) * size)))),
  );
}
