import type { KernelData, TensorKernelName } from '@brezel/core';
import { takePlaces } from './broadcast.js';
import type { TensorCall } from './define.js';
import { type Numeric, newData, tensorOf } from './inputs.js';
import { broadcastShape, broadcastStrides, type Shape } from './shapes.js';
import type { Tensor } from './tensor.js';
import type { Windows } from './windows.js';

// Operators whose definition has a kernel try it first. A kernel gives the definition's bits, and takes the same from the budget.

/** Beyond these the definition runs. */
const MOST_AXES = 16;
const MOST = 2 ** 31;

/**
 * Runs a kernel, if there is one for such tensors.
 *
 * @param tensors what it writes, then what it reads.
 * @returns whether it ran; if not, the definition has to.
 */
export function runKernel(
  call: TensorCall,
  kernel: TensorKernelName,
  tensors: readonly (object | undefined)[],
  numbers: readonly number[],
): boolean {
  if (call.kernels === undefined || call.onlyShapes) return false;
  const data = tensors as readonly (KernelData | undefined)[];
  if (data.some((one) => one !== undefined && one.length > MOST)) return false;
  if (data[0]!.length === 0) return true; // other sizes may be huge
  call.kernels.run(kernel, data, numbers);
  return true;
}

/** Whether a kernel can be asked for, and its numbers are in the range of kernels. */
export const canRun = (call: TensorCall, axes: number, numbers: readonly number[] = []): boolean =>
  call.kernels !== undefined && !call.onlyShapes && axes <= MOST_AXES && numbers.every((number) => number <= MOST);

/** Functions of one element that the kernel `map` has, in its order. */
const functions = [
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

/** A function of one element as the kernel `map` knows it, with up to two numbers. */
export type KernelFunction = readonly [name: (typeof functions)[number], alpha?: number, beta?: number];

/** A float32 tensor through a function, element by element; undefined where no kernel does it. */
export function mappedByKernel(
  call: TensorCall,
  input: Numeric,
  apply: KernelFunction | undefined,
): Tensor | undefined {
  if (apply === undefined || input.element !== 'float32' || !canRun(call, 0)) return undefined;
  const [name, alpha = 0, beta = 0] = apply;
  const out = newData(call, 'float32', input.shape);
  if (!runKernel(call, 'map', [out, input.data], [functions.indexOf(name), alpha, beta])) return undefined;
  return tensorOf('float32', input.shape, out);
}

/** Operations of two elements that the kernel `pair` has, in its order. */
const operations = ['add', 'subtract', 'multiply', 'divide'] as const;
export type KernelOperation = (typeof operations)[number];

/** Two tensors repeated against each other through an operation; undefined where no kernel does it. */
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
  for (const from of shapes) takePlaces(from, shape, call);
  const out = newData(call, element, shape);
  const steps = shapes.flatMap((from) => broadcastStrides(from, shape));
  if (
    !runKernel(
      call,
      'pair',
      [out, first.data, second.data],
      [operations.indexOf(operation), shape.length, ...shape, ...steps],
    )
  )
    return undefined;
  return tensorOf(element, shape, out);
}

/** Elements of a tensor read with these sizes and strides into `out`; false where no kernel does it. */
export function stridedByKernel(call: TensorCall, out: object, data: object, sizes: Shape, steps: Shape): boolean {
  const isKnown = movable.some((array) => data instanceof array);
  if (!isKnown || !canRun(call, sizes.length, steps)) return false;
  return runKernel(call, 'strided', [out, data], [sizes.length, ...sizes, ...steps]);
}

const movable = [Float32Array, Float64Array, Int32Array, BigInt64Array];

/** Windows as kernels read them: six numbers an axis. */
export const windowNumbers = ({ from, to, kernel, steps, dilations, before }: Windows): number[] =>
  from.flatMap((size, axis) => [size, to[axis]!, kernel[axis]!, steps[axis]!, dilations[axis]!, before[axis]!]);
