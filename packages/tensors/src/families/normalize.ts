import { LaneSum } from '@brezel/core';
import { floatAttribute, intAttribute, intsAttribute } from '../attributes.js';
import { chargeIndexMap, indexMapOf } from '../broadcast.js';
import { type OperatorSteps, type TensorCall, type TensorOperator, tensorOperators } from '../define.js';
import { floats, roundTo } from '../elements.js';
import { eachGroup, groupsOf, reducedShape, transformed } from '../groups.js';
import {
  computedSteps,
  type Floats,
  type NumberData,
  newData,
  optionalInput,
  tensorInput,
  tensorOf,
} from '../inputs.js';
import { canRun, KERNEL_BLOCK, MOST_ELEMENTS, runKernel } from '../kernels.js';
import { inBlocks, interruptible } from '../pauses.js';
import { checkBroadcast, normalizeAxes, normalizeAxis, shown } from '../shapes.js';
import { elementCount, type Tensor } from '../tensor.js';

const { fround } = Math;

/** Returns the mean. Adds the values in order, in float64. */
const meanOf = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length;
const meanSquare = (values: Float64Array) => meanOf(values.map((value) => value * value));

/**
 * Returns the norm of a group. A float32 sum has several partial sums (lanes), as in the row
 * operator `normalize`. A float64 sum adds the values in order. `sum` is scratch memory that all
 * groups of a tensor share.
 */
function norm(values: Float64Array, p: number, { element }: Floats, sum: LaneSum): number {
  if (element === 'float64') {
    const total = values.reduce((before, value) => before + (p === 1 ? Math.abs(value) : value * value), 0);
    return p === 1 ? total : Math.sqrt(total);
  }
  sum.clear();
  for (const value of values) sum.add(p === 1 ? Math.abs(value) : fround(value * value));
  const total = sum.finish()[0]!;
  return p === 1 ? total : fround(Math.sqrt(total));
}

/** Divides groups by their norm. A group of norm 0 stays unchanged. */
function* lpNormalization(call: TensorCall): OperatorSteps {
  const input = tensorInput(call, 0, floats);
  const axis = normalizeAxis(intAttribute(call, 'axis', -1), input.shape.length, call);
  const p = intAttribute(call, 'p', 2);
  if (p !== 1 && p !== 2) throw call.fault(`p = ${p}`, 'p 1 or 2');
  const sum = new LaneSum(1);
  const divide = (values: Float64Array) => {
    const length = norm(values, p, input, sum);
    if (length !== 0) for (let at = 0; at < values.length; at++) values[at] = values[at]! / length;
    return values;
  };
  return [yield* transformed(call, input, [axis], divide)];
}

/** Returns the numbers minus their mean, and their standard deviation. */
export function meanAndDeviation(values: Float64Array): { readonly away: Float64Array; readonly deviation: number } {
  const mean = meanOf(values);
  const away = values.map((value) => value - mean);
  return { away, deviation: Math.sqrt(meanSquare(away)) };
}

/** Computes (x - mean) / (deviation + 1e-9) along the axes. */
function* meanVarianceNormalization(call: TensorCall): OperatorSteps {
  const input = tensorInput(call, 0, floats);
  const axes = normalizeAxes(intsAttribute(call, 'axes', [0, 2, 3]), input.shape.length, call);
  const center = (values: Float64Array) => {
    const { away, deviation } = meanAndDeviation(values);
    return away.map((value) => value / (deviation + 1e-9));
  };
  return [yield* transformed(call, input, axes, center)];
}

/**
 * Normalizes groups of elements, then scales and shifts the elements. Layer and RMS normalization
 * share this function.
 */
function* scaled(
  call: TensorCall,
  input: Floats,
  axes: readonly number[],
  form: (values: Float64Array, group: number) => Float64Array,
): OperatorSteps<Tensor> {
  const { element, shape } = input;
  const [scale, bias] = [tensorInput(call, 1, floats), optionalInput(call, 2, floats)];
  for (const tensor of [scale, bias]) if (tensor !== undefined) checkBroadcast(tensor.shape, shape, call);
  const scaleAt = indexMapOf(scale.shape, shape, call);
  const biasAt = indexMapOf(bias?.shape ?? [], shape, call);
  const groups = yield* groupsOf(shape, axes, call);
  const out = newData(call, element, shape) as NumberData;
  yield* eachGroup(call, input.data, groups, (values, group) => {
    const formed = form(values, group);
    for (let at = 0; at < formed.length; at++) {
      const index = groups.starts[group]! + groups.steps[at]!;
      const product = formed[at]! * scale.data[scaleAt(index)]!;
      out[index] = bias === undefined ? product : product + bias.data[biasAt(index)]!;
    }
  });
  return tensorOf(element, shape, roundTo(element, out));
}

/**
 * Runs the kernel if all tensors are float32, each group is contiguous, and all groups have the
 * same scale and bias. Otherwise returns undefined.
 */
function* scaledByKernel(
  call: TensorCall,
  { element, shape, data }: Floats,
  axes: readonly number[],
  epsilon: number,
  kind: 'layer' | 'rms',
  statistics: readonly Float64Array[] = [],
): OperatorSteps<Tensor | undefined> {
  const [scale, bias] = [tensorInput(call, 1, floats), optionalInput(call, 2, floats)];
  const given = bias === undefined ? [scale] : [scale, bias];
  const group = shape.slice(shape.length - axes.length);
  const size = elementCount(group);
  const fits = (tensor: Floats) =>
    tensor.element === 'float32' &&
    tensor.shape.length <= shape.length &&
    shown(tensor.shape.slice(-group.length)) === shown(group) &&
    elementCount(tensor.shape) === size;
  if (element !== 'float32' || size === 0 || !given.every(fits) || !canRun(call, 0)) return undefined;
  for (const tensor of given) chargeIndexMap(tensor.shape, shape, call);
  const groups = elementCount(shape.slice(0, shape.length - axes.length));
  call.budget.take(groups + 2 * size);
  const out = newData(call, element, shape) as Float32Array;
  if (data.length > MOST_ELEMENTS) return undefined;
  const some = (from: number, to: number) => {
    const part = (list: Float32Array) => list.subarray(from * size, to * size);
    const tensors = [part(out), part(data as Float32Array), scale.data, bias?.data];
    const own = statistics.map((list) => list.subarray(from, to));
    runKernel(call, 'layer_norm', [...tensors, ...own], [to - from, size, epsilon, kind === 'layer' ? 0 : 1]);
  };
  yield* inBlocks(call, groups, some, Math.ceil(KERNEL_BLOCK / (size + 1)));
  return tensorOf(element, shape, out);
}

/** Returns `axis` and all later axes. */
function lastAxes(call: TensorCall, { shape }: Floats): number[] {
  const first = normalizeAxis(intAttribute(call, 'axis', -1), shape.length, call);
  return shape.map((_, axis) => axis).slice(first);
}

const epsilonOf = (call: TensorCall) => floatAttribute(call, 'epsilon', fround(1e-5));

/** The element type of the returned means for each value of the attribute `stash_type`. */
const stashTypes = new Map([
  [1, 'float32'],
  [16, 'bfloat16'],
] as const);

/**
 * Computes (x - mean) / sqrt(variance + epsilon) * scale + bias. Also returns the means and the
 * inverse deviations.
 */
export function* layerNormalization(call: TensorCall): OperatorSteps<Tensor[]> {
  const input = tensorInput(call, 0, floats);
  const axes = lastAxes(call, input);
  const epsilon = epsilonOf(call);
  const stash = stashTypes.get(intAttribute(call, 'stash_type', 1) as 1);
  if (stash === undefined)
    throw call.fault(`stash_type ${call.attributes.stash_type}`, 'stash_type 1 (float32) or 16 (bfloat16)');
  const shape = reducedShape(input.shape, axes, true);
  const statisticsOf = function* (lists: readonly ArrayLike<number>[]): OperatorSteps<Tensor[]> {
    const tensors: Tensor[] = [];
    for (const list of lists) tensors.push(yield* computedSteps(call, stash, shape, (at) => list[at]!));
    return tensors;
  };
  const count = Math.max(call.outputs, 1);
  // An empty tensor may declare more groups than memory can hold, so its groups are not allocated.
  const groups = input.data.length === 0 ? 0 : elementCount(shape);
  const made = count > 1 ? [0, 1].map(() => new Float64Array(groups)) : [];
  const fast = yield* scaledByKernel(call, input, axes, epsilon, 'layer', made);
  if (fast !== undefined) return [fast, ...(yield* statisticsOf(made))].slice(0, count);
  const [means, inverses]: [number[], number[]] = [[], []];
  const result = yield* scaled(call, input, axes, (values, group) => {
    const mean = meanOf(values);
    const away = values.map((value) => value - mean);
    const inverse = 1 / Math.sqrt(meanSquare(away) + epsilon);
    means[group] = mean;
    inverses[group] = inverse;
    return away.map((value) => value * inverse);
  });
  return [result, ...(yield* statisticsOf([means, inverses]))].slice(0, count);
}

/** Computes x / sqrt(mean of the squares + epsilon) * scale. */
export function* rmsNormalization(call: TensorCall): OperatorSteps<Tensor[]> {
  const input = tensorInput(call, 0, floats);
  const epsilon = epsilonOf(call);
  const axes = lastAxes(call, input);
  const fast = yield* scaledByKernel(call, input, axes, epsilon, 'rms');
  if (fast !== undefined) return [fast];
  const result = yield* scaled(call, input, axes, (values) => {
    const length = Math.sqrt(meanSquare(values) + epsilon);
    return values.map((value) => value / length);
  });
  return [result];
}

const operator = (name: string, since: number, steps: NonNullable<TensorOperator['steps']>): TensorOperator =>
  interruptible({ domain: '', operator: name, versions: [since, 25], steps });

/**
 * Operators that normalize groups of elements. They divide by the norm or by the root mean square,
 * or subtract the mean and divide by the standard deviation.
 */
export const normalizations = tensorOperators(
  operator('LpNormalization', 1, lpNormalization),
  operator('MeanVarianceNormalization', 9, meanVarianceNormalization),
  operator('LayerNormalization', 17, layerNormalization),
  operator('RMSNormalization', 23, rmsNormalization),
);
