import { flagAttribute, floatAttribute, intAttribute, intsAttribute } from '../attributes.js';
import { convolutionOf, convolvedInLanes } from '../convolution.js';
import { type TensorCall, tensorOperators } from '../define.js';
import { floats, rounding } from '../elements.js';
import { addUp, imageInput, sumOf } from '../images.js';
import { computed, newData, optionalInput, tensorInput, tensorOf } from '../inputs.js';
import { bytes } from '../integer-products.js';
import { allocate, countOf, finished } from '../moving.js';
import { floatPower } from '../power.js';
import { type Shape, shown } from '../shapes.js';
import { type ElementType, elementCount, type NumericElement, type Tensor } from '../tensor.js';
import { type Covered, coveredPlaces, windowsOf } from '../windows.js';

/** Convolutions and pools over any number of spatial axes: the smallest set that image models begin with. */
export const neural = tensorOperators(
  { domain: '', operator: 'Conv', versions: [1, 25], run: convolve },
  { domain: '', operator: 'MaxPool', versions: [1, 25], run: maxPool },
  { domain: '', operator: 'AveragePool', versions: [1, 25], run: averagePool },
  { domain: '', operator: 'LpPool', versions: [1, 25], run: lpPool },
  { domain: '', operator: 'GlobalMaxPool', versions: [1, 25], run: (call) => [globalPool(call, greatest)] },
  { domain: '', operator: 'GlobalAveragePool', versions: [1, 25], run: (call) => [globalPool(call, mean)] },
  { domain: '', operator: 'GlobalLpPool', versions: [1, 25], run: (call) => [globalPool(call, lengthOf(call))] },
);

function convolve(call: TensorCall) {
  const { image } = imageInput(call, floats);
  const { element } = image;
  const weights = tensorInput(call, 1, [element]);
  const bias = optionalInput(call, 2, [element]);
  const convolution = convolutionOf(call, image.shape, weights.shape, bias?.shape);
  const { shape, places, outputs, visit } = convolution;
  if (image.element === 'float32' && !call.onlyShapes) {
    const out = newData(call, 'float32', shape) as Float32Array;
    convolvedInLanes(
      convolution,
      image.data,
      weights.data as Float32Array,
      bias?.data as Float32Array | undefined,
      out,
    );
    return [tensorOf('float32', shape, out)];
  }
  const add = addUp(element);
  return [
    computed(call, element, shape, (at) => {
      const sum = add((term) => visit(at, (from, by) => term(image.data[from]! * weights.data[by]!)));
      return bias === undefined ? sum : sum + bias.data[Math.floor(at / places) % outputs]!;
    }),
  ];
}

/** An image, the windows of its pools and the shape of what they give. */
function poolsOf<E extends ElementType>(call: TensorCall, elements: readonly E[]) {
  const { image, batch, channels, spatial } = imageInput(call, elements);
  const windows = windowsOf(call, spatial, intsAttribute(call, 'kernel_shape'));
  const shape = [batch, channels, ...windows.to];
  countOf(call, shape);
  const pools = coveredPlaces(call, windows);
  const count = pools.starts.length - 1;
  const isPadding = (_: unknown, pool: number) =>
    pools.places.subarray(pools.starts[pool], pools.starts[pool + 1]).every((place) => place < 0);
  if (Array.from({ length: count }).some(isPadding))
    throw call.fault(
      `pads [${windows.before}] and [${windows.after}] of ${shown(spatial)}`,
      'a window holds padding only',
    );
  return { image, spatial, shape, size: elementCount(spatial), pools, count };
}

/** The greatest entry of each window, a NaN where there is one, and its place in the whole tensor. */
function maxPool(call: TensorCall) {
  const { image, spatial, shape, size, pools, count } = poolsOf(call, [...floats, ...bytes]);
  const isColumnMajor = intAttribute(call, 'storage_order', 0) !== 0;
  const [values, indices] = [allocate(call, image.element, shape), allocate(call, 'int64', shape)];
  for (let at = 0; at < values.data.length; at++) {
    const [base, pool] = [Math.floor(at / count) * size, at % count];
    let best = -1;
    for (let next = pools.starts[pool]!; next < pools.starts[pool + 1]!; next++) {
      const place = pools.places[next]!;
      if (place >= 0 && (best < 0 || isAbove(image.data[base + place]!, image.data[base + best]!))) best = place;
    }
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
  const { image, shape, size, pools, count } = poolsOf(call, floats);
  const countsPadding = flagAttribute(call, 'count_include_pad', false);
  return [
    computed(call, image.element, shape, (at) => {
      const pool = at % count;
      const inside = insideOf(image.data, Math.floor(at / count) * size, pools, pool);
      const all = pools.starts[pool + 1]! - pools.starts[pool]!;
      return sumOf(image.element, inside) / (countsPadding ? all : inside.length);
    }),
  ];
}

/** What a window covers of a channel that begins at `base`, without the padding. */
function insideOf(data: ArrayLike<number>, base: number, { starts, places }: Covered, pool: number): number[] {
  const inside: number[] = [];
  for (let next = starts[pool]!; next < starts[pool + 1]!; next++)
    if (places[next]! >= 0) inside.push(data[base + places[next]!]!);
  return inside;
}

/** The length of what each window holds: (|a|^p + |b|^p + ...)^(1/p). */
function lpPool(call: TensorCall) {
  const { image, shape, size, pools, count } = poolsOf(call, floats);
  const length = lengthOf(call);
  return [
    computed(call, image.element, shape, (at) =>
      length(image.element, insideOf(image.data, Math.floor(at / count) * size, pools, at % count)),
    ),
  ];
}

/** Lengths of the norm that the node names, L2 where it names none. */
function lengthOf(call: TensorCall): Reduction {
  const p = floatAttribute(call, 'p', 2);
  if (!(p > 0)) throw call.fault(`p = ${p}`, 'it is greater than 0');
  const power = (value: number) => (p === 2 ? value * value : floatPower(Math.abs(value), p));
  return (element, values) => {
    const sum = sumOf(element, values.map(power));
    return p === 2 ? Math.sqrt(sum) : floatPower(sum, 1 / p);
  };
}

type Reduction = (element: NumericElement, values: readonly number[]) => number;
const greatest: Reduction = (_, values) =>
  values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
const mean: Reduction = (element, values) => sumOf(element, values) / values.length;

function globalPool(call: TensorCall, reduce: Reduction): Tensor {
  const { image, batch, channels, spatial } = imageInput(call, floats);
  const size = elementCount(spatial);
  const round = rounding(image.element);
  return computed(call, image.element, [batch, channels, ...spatial.map(() => 1)], (at) =>
    round(reduce(image.element, Array.from(image.data.subarray(at * size, (at + 1) * size)))),
  );
}
