import { power } from '@brezel/core';
import { flagAttribute, floatAttribute, intAttribute, intsAttribute } from '../attributes.js';
import { convolutionOf, convolutionPlan, convolvedInLanes } from '../convolution.js';
import { convolutionKernelSteps } from '../convolution-kernel.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { floats, rounding } from '../elements.js';
import { addUp, imageInput, sumOf, takeWork } from '../images.js';
import { computedSteps, type Floats, newData, optionalInput, tensorInput, tensorOf } from '../inputs.js';
import { bytes } from '../integer-products.js';
import { canRun, KERNEL_BLOCK, MOST_ELEMENTS, runKernel, windowNumbers } from '../kernels.js';
import { allocate, countOf, finished } from '../moving.js';
import { blockOf, inBlocks, interruptible } from '../pauses.js';
import { greatestPosition } from '../pooling.js';
import { type Shape, shown } from '../shapes.js';
import { type ElementType, elementCount, type NumericElement, type Tensor } from '../tensor.js';
import { type Covered, coveredBy, takeWindows, type Windows, windowsOf } from '../windows.js';

/** Convolutions and poolings over any number of spatial axes. */
export const neural = tensorOperators(
  interruptible({ domain: '', operator: 'Conv', versions: [1, 25], steps: convolve }),
  interruptible({ domain: '', operator: 'MaxPool', versions: [1, 25], steps: maxPool }),
  interruptible({ domain: '', operator: 'AveragePool', versions: [1, 25], steps: averagePool }),
  interruptible({ domain: '', operator: 'LpPool', versions: [1, 25], steps: lpPool }),
  interruptible({
    domain: '',
    operator: 'GlobalMaxPool',
    versions: [1, 25],
    steps: (call) => globalPool(call, greatest),
  }),
  interruptible({
    domain: '',
    operator: 'GlobalAveragePool',
    versions: [1, 25],
    *steps(call) {
      const fast = yield* globalMean(call);
      return fast === undefined ? yield* globalPool(call, mean) : [fast];
    },
  }),
  interruptible({
    domain: '',
    operator: 'GlobalLpPool',
    versions: [1, 25],
    steps: (call) => globalPool(call, lengthOf(call)),
  }),
);

function* convolve(call: TensorCall): OperatorSteps {
  const { image } = imageInput(call, floats);
  const { element } = image;
  const weights = tensorInput(call, 1, [element]);
  const bias = optionalInput(call, 2, [element]);
  if (canRun(call, image.shape.length)) {
    const fast = yield* convolvedByKernel(call, image, weights, bias);
    if (fast !== undefined) return [fast];
  }
  const convolution = convolutionOf(call, image.shape, weights.shape, bias?.shape);
  const { shape, positions, outputs, depth, entries, visit } = convolution;
  const block = blockOf(depth * entries);
  if (image.element === 'float32' && !call.onlyShapes) {
    const out = newData(call, 'float32', shape) as Float32Array;
    const [pixels, factors, added] = [image.data, weights.data, bias?.data] as [
      Float32Array,
      Float32Array,
      Float32Array?,
    ];
    const run = (from: number, to: number) => convolvedInLanes(convolution, pixels, factors, added, out, from, to);
    yield* inBlocks(call, out.length, run, block);
    return [tensorOf('float32', shape, out)];
  }
  const add = addUp(element);
  const sumAt = (at: number) => {
    const sum = add((term) => visit(at, (from, by) => term(image.data[from]! * weights.data[by]!)));
    return bias === undefined ? sum : sum + bias.data[Math.floor(at / positions) % outputs]!;
  };
  return [yield* computedSteps(call, element, shape, sumAt, block)];
}

/**
 * Computes a convolution with the kernel `conv`. Returns undefined if the kernel cannot compute it.
 * 16-bit floats are stored as float32; their sums are rounded once, after the bias is added.
 */
function* convolvedByKernel(
  call: TensorCall,
  image: Floats,
  weights: Floats,
  bias: Floats | undefined,
): OperatorSteps<Tensor | undefined> {
  const { element, shape: from } = image;
  const plan = convolutionPlan(call, from, weights.shape, bias?.shape);
  const { shape, numbers } = plan;
  if (!canRun(call, from.length, numbers)) return undefined;
  const out = newData(call, element, shape) as Float32Array;
  const isWhole = element === 'float32' || element === 'float64';
  const data = { out, image: image.data, weights: weights.data, bias: isWhole ? bias?.data : undefined };
  if (!(yield* convolutionKernelSteps(call, plan, data))) return undefined;
  if (isWhole) return tensorOf(element, shape, out);
  const round = rounding(element);
  const positions = elementCount(shape.slice(2));
  for (let at = 0; at < out.length; at++)
    out[at] = round(
      bias === undefined ? out[at]! : out[at]! + bias.data[Math.floor(at / positions) % bias.data.length]!,
    );
  return tensorOf(element, shape, out);
}

/** Returns the image, the windows of the pooling, and the shape of the result. */
function poolsOf<E extends ElementType>(call: TensorCall, elements: readonly E[]) {
  const { image, batch, channels, spatial } = imageInput(call, elements);
  const windows = windowsOf(call, spatial, intsAttribute(call, 'kernel_shape'));
  const shape = [batch, channels, ...windows.to];
  countOf(call, shape);
  takePools(call, shape, windows);
  const pools = coveredBy(call, windows);
  const count = pools.starts.length - 1;
  const isPadding = (_: unknown, pool: number) =>
    pools.positions.subarray(pools.starts[pool], pools.starts[pool + 1]).every((index) => index < 0);
  if (Array.from({ length: count }).some(isPadding)) throw paddingOnly(call, windows);
  const block = blockOf(ENTRY_PRODUCTS * elementCount(windows.kernel));
  return { image, spatial, shape, size: elementCount(spatial), pools, count, block };
}

/**
 * Reading an entry of a window takes about as long as this many multiplications. The number
 * determines the cost against the budget, and the pauses.
 */
const ENTRY_PRODUCTS = 16;

/** Takes the entries of all windows of all channels from the budget. */
const takePools = (call: TensorCall, shape: Shape, { kernel }: Windows): void =>
  takeWork(call, ENTRY_PRODUCTS * elementCount(shape) * elementCount(kernel));

/** The reductions of the kernel `pool`. The kernel receives the index of a reduction. */
const poolKinds = ['greatest', 'mean'] as const;

/**
 * Runs the kernel `pool` on a float32 image. Returns undefined if the kernel cannot run. If
 * `counted` is true, the divisor of a mean includes padding.
 */
function* poolByKernel(
  call: TensorCall,
  kind: (typeof poolKinds)[number],
  counted: boolean,
): OperatorSteps<Tensor[] | undefined> {
  const { image, batch, channels, spatial } = imageInput(call, [...floats, ...bytes]);
  if (image.element !== 'float32' || !canRun(call, image.shape.length)) return undefined;
  const windows = windowsOf(call, spatial, intsAttribute(call, 'kernel_shape'));
  const behind = counted ? windows.after : spatial.map(() => -1);
  const numbers = [poolKinds.indexOf(kind), batch * channels, spatial.length, ...windowNumbers(windows), ...behind];
  if (!canRun(call, image.shape.length, numbers)) return undefined;
  const shape = [batch, channels, ...windows.to];
  countOf(call, shape);
  takePools(call, shape, windows);
  takeWindows(call, windows);
  if (spatial.some((_, axis) => hasWindowOutside(windows, axis))) throw paddingOnly(call, windows);
  const values = allocate(call, 'float32', shape);
  const positions = kind === 'greatest' && call.outputs > 1 ? allocate(call, 'int64', shape) : undefined;
  if (positions !== undefined || values.data.length === 0) {
    // positions count from the first image, so one call computes all images
    if (!runKernel(call, 'pool', [values.data, image.data, positions?.data], numbers)) return undefined;
    return [values, ...(positions === undefined ? [] : [positions])].map(finished);
  }
  const [size, count] = [elementCount(spatial), elementCount(windows.to)];
  if (Math.max(values.data.length, image.data.length) > MOST_ELEMENTS) return undefined;
  const pool = (from: number, to: number) => {
    const out = (values.data as unknown as Float32Array).subarray(from * count, to * count);
    const images = image.data.subarray(from * size, to * size);
    runKernel(call, 'pool', [out, images, undefined], [numbers[0]!, to - from, ...numbers.slice(2)]);
  };
  yield* inBlocks(call, batch * channels, pool, Math.ceil(blockOf(elementCount(windows.kernel)) / count));
  return [finished(values)];
}

/**
 * Returns whether a window is completely outside the image on an axis. Such a window has no
 * entries.
 */
function hasWindowOutside({ from, to, kernel, steps, dilations, before }: Windows, axis: number): boolean {
  const [size, dilation] = [from[axis]!, dilations[axis]!];
  for (let window = 0; window < to[axis]!; window++) {
    const start = window * steps[axis]! - before[axis]!;
    const first = start >= 0 ? 0 : Math.ceil(-start / dilation);
    if (first >= kernel[axis]! || start + first * dilation >= size) return true;
  }
  return false;
}

const paddingOnly = (call: TensorCall, { from, before, after }: Windows) =>
  call.fault(`pads [${before}] and [${after}] of ${shown(from)}`, 'at least one input element in each window');

/**
 * Returns the greatest entry of each window and its index in the whole tensor. A NaN counts as the
 * greatest entry.
 */
function* maxPool(call: TensorCall): OperatorSteps {
  const asked = call.outputs > 1 && intAttribute(call, 'storage_order', 0) !== 0;
  const fast = asked ? undefined : yield* poolByKernel(call, 'greatest', false);
  if (fast !== undefined) return fast;
  const { image, spatial, shape, size, pools, count, block } = poolsOf(call, [...floats, ...bytes]);
  const isColumnMajor = intAttribute(call, 'storage_order', 0) !== 0;
  const [values, indices] = [allocate(call, image.element, shape), allocate(call, 'int64', shape)];
  const findGreatest = (at: number) => {
    const [base, pool] = [Math.floor(at / count) * size, at % count];
    const best = greatestPosition(image.data, base, pools, pool);
    values.data[at] = image.data[base + best];
    indices.data[at] = BigInt(base + (isColumnMajor ? columnMajor(best, spatial) : best));
  };
  const findAll = (from: number, until: number) => {
    for (let at = from; at < until; at++) findGreatest(at);
  };
  yield* inBlocks(call, call.onlyShapes ? 0 : values.data.length, findAll, block);
  return [finished(values), finished(indices)];
}

/** Converts a row-major index to a column-major one, in which the first axis runs fastest. */
function columnMajor(index: number, shape: Shape): number {
  let [rest, result] = [index, 0];
  const sizes = [...shape];
  for (let size = sizes.pop(); size !== undefined; size = sizes.pop()) {
    result += (rest % size) * elementCount(sizes);
    rest = Math.floor(rest / size);
  }
  return result;
}

function* averagePool(call: TensorCall): OperatorSteps {
  const countsPadding = flagAttribute(call, 'count_include_pad', false);
  const fast = yield* poolByKernel(call, 'mean', countsPadding);
  if (fast !== undefined) return fast;
  const { image, shape, size, pools, count, block } = poolsOf(call, floats);
  const meanAt = (at: number) => {
    const pool = at % count;
    const inside = insideOf(image.data, Math.floor(at / count) * size, pools, pool);
    const all = pools.starts[pool + 1]! - pools.starts[pool]!;
    return sumOf(image.element, inside) / (countsPadding ? all : inside.length);
  };
  return [yield* computedSteps(call, image.element, shape, meanAt, block)];
}

/** Returns the entries of a window in the channel that starts at `base`, without padding. */
function insideOf(data: ArrayLike<number>, base: number, { starts, positions }: Covered, pool: number): number[] {
  const inside: number[] = [];
  for (let next = starts[pool]!; next < starts[pool + 1]!; next++)
    if (positions[next]! >= 0) inside.push(data[base + positions[next]!]!);
  return inside;
}

/** Returns the norm of each window: (|a|^p + |b|^p + ...)^(1/p). */
function* lpPool(call: TensorCall): OperatorSteps {
  const { image, shape, size, pools, count, block } = poolsOf(call, floats);
  const length = lengthOf(call);
  const lengthAt = (at: number) =>
    length(image.element, insideOf(image.data, Math.floor(at / count) * size, pools, at % count));
  return [yield* computedSteps(call, image.element, shape, lengthAt, block)];
}

/** Returns the norm that the attribute `p` selects, by default L2. */
function lengthOf(call: TensorCall): Reduction {
  const p = floatAttribute(call, 'p', 2);
  if (!(p > 0)) throw call.fault(`p = ${p}`, 'p greater than 0');
  const raised = (value: number) => (p === 2 ? value * value : power(Math.abs(value), p));
  return (element, values) => {
    const sum = sumOf(element, values.map(raised));
    return p === 2 ? Math.sqrt(sum) : power(sum, 1 / p);
  };
}

/** Reading an entry of a global pooling takes about as long as this many multiplications. */
const POOL_PRODUCTS = 8;

type Reduction = (element: NumericElement, values: readonly number[]) => number;
const greatest: Reduction = (_, values) =>
  values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
const mean: Reduction = (element, values) => sumOf(element, values) / values.length;

/**
 * Computes the mean of each channel with the kernel `pool`, as if the channel were one window.
 * Returns undefined if the kernel cannot run.
 */
function* globalMean(call: TensorCall): OperatorSteps<Tensor | undefined> {
  const { image, batch, channels, spatial } = imageInput(call, floats);
  const images = batch * channels;
  const ones = spatial.map(() => 1);
  const axes = spatial.flatMap((size) => [size, 1, size, 1, 1, 0]);
  const numbers = [poolKinds.indexOf('mean'), images, spatial.length, ...axes, ...spatial.map(() => -1)];
  if (image.element !== 'float32' || spatial.includes(0) || !canRun(call, image.shape.length, numbers))
    return undefined;
  const shape = [batch, channels, ...ones];
  call.budget.take(image.data.length);
  const [out, data] = [newData(call, 'float32', shape) as Float32Array, image.data as Float32Array];
  if (data.length > MOST_ELEMENTS) return undefined;
  if (out.length === 0) return tensorOf('float32', shape, out);
  const size = elementCount(spatial);
  const pool = (from: number, to: number) => {
    const tensors = [out.subarray(from, to), data.subarray(from * size, to * size)];
    runKernel(call, 'pool', tensors, [numbers[0]!, to - from, ...numbers.slice(2)]);
  };
  yield* inBlocks(call, images, pool, Math.ceil(KERNEL_BLOCK / size));
  return tensorOf('float32', shape, out);
}

function* globalPool(call: TensorCall, reduce: Reduction): OperatorSteps {
  const { image, batch, channels, spatial } = imageInput(call, floats);
  if (!call.onlyShapes) call.budget.take(image.data.length);
  const size = elementCount(spatial);
  const round = rounding(image.element);
  const valueAt = (at: number) =>
    round(reduce(image.element, Array.from(image.data.subarray(at * size, (at + 1) * size))));
  const shape = [batch, channels, ...spatial.map(() => 1)];
  return [yield* computedSteps(call, image.element, shape, valueAt, blockOf(POOL_PRODUCTS * size))];
}
