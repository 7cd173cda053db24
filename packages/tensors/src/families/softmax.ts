import { exp, log } from '@brezel/core';
import { intAttribute } from '../attributes.js';
import { type OperatorSteps, type TensorCall, type TensorOperator, tensorOperators } from '../define.js';
import { floats } from '../elements.js';
import { transformed } from '../groups.js';
import { type Floats, newData, tensorInput, tensorOf } from '../inputs.js';
import { canRun, KERNEL_BLOCK, MOST_ELEMENTS, runKernel } from '../kernels.js';
import { inBlocks, interruptible } from '../pauses.js';
import { normalizeAxis } from '../shapes.js';
import { elementCount, type Tensor } from '../tensor.js';

const greatest = (values: Float64Array) =>
  values.reduce((most, value) => (value > most ? value : most), values[0] ?? 0);
const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0);

/**
 * Computes e^(x - max) divided by the sum of these powers, in float64, as in the row operator
 * `softmax`.
 */
function softmax(values: Float64Array): Float64Array {
  const most = greatest(values);
  const powers = values.map((value) => exp(value - most));
  const total = sum(powers);
  return powers.map((power) => power / total);
}

/** Computes x - max - log of the sum of e^(x - max). */
export function logSoftmax(values: Float64Array): Float64Array {
  const most = greatest(values);
  const total = log(sum(values.map((value) => exp(value - most))));
  return values.map((value) => value - most - total);
}

/** Returns 1 for the first greatest element, otherwise 0. NaN is never greater. */
function hardmax(values: Float64Array): Float64Array {
  let best = 0;
  for (let at = 1; at < values.length; at++) if (values[at]! > values[best]!) best = at;
  return values.map((_, at) => (at === best ? 1 : 0));
}

/**
 * Returns the axes of a softmax: `axis` since version 13; `axis` and all later axes in older
 * versions.
 */
function softmaxAxes(call: TensorCall, { shape }: Floats): number[] {
  const axes = shape.map((_, axis) => axis);
  if (call.opset >= 13) return [normalizeAxis(intAttribute(call, 'axis', -1), shape.length, call)];
  const axis = intAttribute(call, 'axis', 1);
  // `axis` may be one after the last axis. Each element is then a group.
  return axis === shape.length ? [] : axes.slice(normalizeAxis(axis, shape.length, call));
}

/**
 * Runs the kernel `softmax`, or returns undefined if it cannot run. The axes are adjacent, so the
 * tensor has the shape [before, axes, after]. Pauses between entries of the first axis.
 */
function* softmaxByKernel(
  call: TensorCall,
  input: Floats,
  axes: readonly number[],
  kind: number,
): OperatorSteps<Tensor | undefined> {
  const { element, shape, data } = input;
  if (element !== 'float32' || !canRun(call, 0)) return undefined;
  const first = axes[0] ?? shape.length;
  const sizes = [shape.slice(0, first), shape.slice(first, first + axes.length), shape.slice(first + axes.length)];
  const [outer, size, inner] = sizes.map(elementCount) as [number, number, number];
  call.budget.take(outer * inner + 2 * size);
  const out = newData(call, element, shape) as Float32Array;
  if (data.length > MOST_ELEMENTS) return undefined;
  if (data.length === 0) return tensorOf(element, shape, out); // other sizes may be huge
  const [line, from] = [size * inner, data as Float32Array];
  const some = (start: number, end: number) =>
    runKernel(
      call,
      'softmax',
      [out.subarray(start * line, end * line), from.subarray(start * line, end * line)],
      [kind, end - start, size, inner],
    );
  yield* inBlocks(call, outer, some, Math.ceil(KERNEL_BLOCK / (line + 1)));
  return tensorOf(element, shape, out);
}

/** The operators that the kernel computes. The kernel receives the index of an operator. */
const kinds: readonly string[] = ['Softmax', 'LogSoftmax'];

const operator = (name: string, transform: (values: Float64Array) => Float64Array): TensorOperator =>
  interruptible({
    domain: '',
    operator: name,
    versions: [1, 25],
    *steps(call) {
      const input = tensorInput(call, 0, floats);
      const axes = softmaxAxes(call, input);
      const fast = kinds.includes(name) ? yield* softmaxByKernel(call, input, axes, kinds.indexOf(name)) : undefined;
      return [fast ?? (yield* transformed(call, input, axes, transform))];
    },
  });

/** Softmax operators along some axes. */
export const softmaxes = tensorOperators(
  operator('Softmax', softmax),
  operator('LogSoftmax', logSoftmax),
  operator('Hardmax', hardmax),
);
