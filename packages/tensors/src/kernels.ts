import type { KernelData, TensorKernelName } from '@brezel/core';
import { chargeIndexMap } from './broadcast.js';
import type { TensorCall } from './define.js';
import { type Numeric, newData, tensorOf } from './inputs.js';
import { broadcastShape, broadcastStrides, type Shape } from './shapes.js';
import type { Tensor } from './tensor.js';
import type { Windows } from './windows.js';

// An operator with a kernel tries the kernel first. The kernel returns the same bits as the
// reference implementation, and it takes the same number of elements from the budget.

/**
 * Kernels support tensors of at most this many axes. For a tensor with more axes, the reference
 * implementation of the operator runs.
 */
const MOST_AXES = 16;
/** Kernels support arrays of at most this many elements, and no argument above this number. */
export const MOST_ELEMENTS = 2 ** 31;

/**
 * Runs a kernel if one exists for these tensors.
 *
 * @param tensors outputs, then inputs.
 * @returns whether the kernel ran. If not, the caller runs the reference implementation.
 */
export function runKernel(
  call: TensorCall,
  kernel: TensorKernelName,
  tensors: readonly (object | undefined)[],
  numbers: readonly number[],
): boolean {
  if (call.kernels === undefined || call.onlyShapes) return false;
  const data = tensors as readonly (KernelData | undefined)[];
  if (data.some((one) => one !== undefined && one.length > MOST_ELEMENTS)) return false;
  if (data[0]!.length === 0) return true; // other sizes may be huge
  call.kernels.run(kernel, data, numbers);
  return true;
}

/**
 * Returns whether kernels are available and support tensors with `axes` axes and the arguments
 * `numbers`.
 */
export const canRun = (call: TensorCall, axes: number, numbers: readonly number[] = []): boolean =>
  call.kernels !== undefined &&
  !call.onlyShapes &&
  axes <= MOST_AXES &&
  numbers.every((number) => number <= MOST_ELEMENTS);

/** The functions of the kernel `map`. The kernel receives the index of a function. */
export const kernelFunctions = [
  'relu',
  'leakyRelu',
  'sigmoid',
  'tanh',
  'exp',
  'erf',
  'sqrt',
  'gelu',
  'geluTanh',
  'hardSigmoid',
  'hardSwish',
  'swish',
  'clip',
  'reciprocal',
] as const;

/** A function of the kernel `map`, with up to two numbers. */
export type KernelFunction = readonly [name: (typeof kernelFunctions)[number], alpha?: number, beta?: number];

/**
 * Applies a function to a float32 tensor with a kernel. Returns undefined without a suitable
 * kernel.
 */
export function mappedByKernel(
  call: TensorCall,
  input: Numeric,
  apply: KernelFunction | undefined,
): Tensor | undefined {
  if (apply === undefined || input.element !== 'float32' || !canRun(call, 0)) return undefined;
  const [name, alpha = 0, beta = 0] = apply;
  const out = newData(call, 'float32', input.shape);
  if (!runKernel(call, 'map', [out, input.data], [kernelFunctions.indexOf(name), alpha, beta])) return undefined;
  return tensorOf('float32', input.shape, out);
}

/** The operations of the kernel `pair`. The kernel receives the index of an operation. */
export const kernelOperations = ['add', 'subtract', 'multiply', 'divide'] as const;
export type KernelOperation = (typeof kernelOperations)[number];

/** Combines two tensors with a kernel. Returns undefined without a suitable kernel. */
export function combinedByKernel(
  call: TensorCall,
  first: Numeric,
  second: Numeric,
  operation: KernelOperation | undefined,
): Tensor | undefined {
  const { element } = first;
  if (operation === undefined || (element !== 'float32' && element !== 'float64') || call.opset < 7) return undefined;
  if (!canRun(call, Math.max(first.shape.length, second.shape.length))) return undefined;
  const shapes = [first.shape, second.shape];
  const shape = broadcastShape(shapes, call);
  for (const from of shapes) chargeIndexMap(from, shape, call);
  const out = newData(call, element, shape);
  const steps = shapes.flatMap((from) => broadcastStrides(from, shape));
  if (
    !runKernel(
      call,
      'pair',
      [out, first.data, second.data],
      [kernelOperations.indexOf(operation), shape.length, ...shape, ...steps],
    )
  )
    return undefined;
  return tensorOf(element, shape, out);
}

/**
 * Copies the elements of a view with the given sizes and strides to `out` with a kernel. Returns
 * false without a suitable kernel.
 */
export function stridedByKernel(call: TensorCall, out: object, data: object, sizes: Shape, steps: Shape): boolean {
  const isKnown = movable.some((array) => data instanceof array);
  if (!isKnown || !canRun(call, sizes.length, steps)) return false;
  return runKernel(call, 'strided', [out, data], [sizes.length, ...sizes, ...steps]);
}

const movable = [Float32Array, Float64Array, Int32Array, BigInt64Array];

/** Returns windows in the form that kernels read: six numbers per axis. */
export const windowNumbers = ({ from, to, kernel, steps, dilations, before }: Windows): number[] =>
  from.flatMap((size, axis) => [size, to[axis]!, kernel[axis]!, steps[axis]!, dilations[axis]!, before[axis]!]);
