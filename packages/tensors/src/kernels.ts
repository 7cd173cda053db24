import type { KernelData, TensorKernelName } from '@brezel/core';
import { type AxisBlock, inAxisBlocks, startOfBlock } from './axis-blocks.js';
import { chargeIndexMap } from './broadcast.js';
import type { OperatorSteps, TensorCall } from './define.js';
import { type Numeric, newData, tensorOf } from './inputs.js';
import { inBlocks } from './pauses.js';
import { broadcastShape, broadcastStrides, type Shape, strides } from './shapes.js';
import { elementCount, type Tensor } from './tensor.js';
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
 * The number of elements that a kernel copies or computes before the operator may pause. They take
 * 0.05 to 0.5 ms.
 */
export const KERNEL_BLOCK = 2 ** 16;

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
 * kernel. Pauses between calls of the kernel.
 */
export function* mappedByKernel(
  call: TensorCall,
  input: Numeric,
  apply: KernelFunction | undefined,
): OperatorSteps<Tensor | undefined> {
  if (apply === undefined || input.element !== 'float32' || !canRun(call, 0)) return undefined;
  const [name, alpha = 0, beta = 0] = apply;
  const [out, data] = [newData(call, 'float32', input.shape) as Float32Array, input.data as Float32Array];
  if (data.length > MOST_ELEMENTS) return undefined;
  const map = (from: number, to: number) =>
    runKernel(
      call,
      'map',
      [out.subarray(from, to), data.subarray(from, to)],
      [kernelFunctions.indexOf(name), alpha, beta],
    );
  yield* inBlocks(call, out.length, map, KERNEL_BLOCK);
  return tensorOf('float32', input.shape, out);
}

/** The operations of the kernel `pair`. The kernel receives the index of an operation. */
export const kernelOperations = ['add', 'subtract', 'multiply', 'divide'] as const;
export type KernelOperation = (typeof kernelOperations)[number];

/**
 * Combines two tensors with a kernel. Returns undefined without a suitable kernel. Pauses between
 * calls of the kernel.
 */
export function* combinedByKernel(
  call: TensorCall,
  first: Numeric,
  second: Numeric,
  operation: KernelOperation | undefined,
): OperatorSteps<Tensor | undefined> {
  const { element } = first;
  if (operation === undefined || (element !== 'float32' && element !== 'float64') || call.opset < 7) return undefined;
  if (!canRun(call, Math.max(first.shape.length, second.shape.length))) return undefined;
  const shapes = [first.shape, second.shape];
  const shape = broadcastShape(shapes, call);
  for (const from of shapes) chargeIndexMap(from, shape, call);
  const out = newData(call, element, shape) as Float32Array;
  const [left, right] = [first.data, second.data] as [Float32Array, Float32Array];
  if (Math.max(out.length, left.length, right.length) > MOST_ELEMENTS) return undefined;
  const kind = kernelOperations.indexOf(operation);
  if (call.isOver === undefined || out.length <= KERNEL_BLOCK) {
    const steps = shapes.flatMap((from) => broadcastStrides(from, shape));
    runKernel(call, 'pair', [out, left, right], [kind, shape.length, ...shape, ...steps]);
    return tensorOf(element, shape, out);
  }
  // Without repeated elements, the tensors are lists, which can have blocks of any length.
  const sizes = shapes.every((from) => elementCount(from) === out.length) ? [out.length] : shape;
  const [own, ...steps] = [shape, ...shapes].map((from) => (sizes === shape ? broadcastStrides(from, shape) : [1]));
  const combine = (block: AxisBlock) => {
    const axis = block.outer.length;
    const some = [block.to - block.from, ...sizes.slice(axis + 1)];
    const at = startOfBlock(block, own!);
    const [a, b] = steps.map((step) => startOfBlock(block, step)) as [number, number];
    const target = out.subarray(at, at + elementCount(some));
    const sizesAndSteps = [...some, ...steps.flatMap((step) => step.slice(axis))];
    runKernel(call, 'pair', [target, left.subarray(a), right.subarray(b)], [kind, some.length, ...sizesAndSteps]);
  };
  yield* inAxisBlocks(call, sizes, combine, KERNEL_BLOCK);
  return tensorOf(element, shape, out);
}

/**
 * Copies the elements of a view with the given sizes and strides to `out` with a kernel. Returns
 * false without a suitable kernel. Pauses between calls of the kernel.
 */
export function* stridedByKernel(
  call: TensorCall,
  out: object,
  data: object,
  sizes: Shape,
  steps: Shape,
): OperatorSteps<boolean> {
  const isKnown = movable.some((array) => data instanceof array);
  if (!isKnown || !canRun(call, sizes.length, steps)) return false;
  const copy = (to: object, from: object, some: Shape, by: Shape) =>
    runKernel(call, 'strided', [to, from], [some.length, ...some, ...by]);
  if (call.isOver === undefined || elementCount(sizes) <= KERNEL_BLOCK) return copy(out, data, sizes, steps);
  const [target, source] = [out, data] as [Float32Array, Float32Array];
  if (Math.max(target.length, source.length) > MOST_ELEMENTS) return false;
  const targetSteps = strides(sizes);
  yield* inAxisBlocks(
    call,
    sizes,
    (block) => {
      const axis = block.outer.length;
      const some = [block.to - block.from, ...sizes.slice(axis + 1)];
      const at = startOfBlock(block, targetSteps);
      const to = target.subarray(at, at + elementCount(some));
      copy(to, source.subarray(startOfBlock(block, steps)), some, steps.slice(axis));
    },
    KERNEL_BLOCK,
  );
  return true;
}

const movable = [Float32Array, Float64Array, Int32Array, BigInt64Array];

/** Returns windows in the form that kernels read: six numbers per axis. */
export const windowNumbers = ({ from, to, kernel, steps, dilations, before }: Windows): number[] =>
  from.flatMap((size, axis) => [size, to[axis]!, kernel[axis]!, steps[axis]!, dilations[axis]!, before[axis]!]);
