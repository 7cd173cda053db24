import type { TensorCall } from './define.js';
import { everyElement } from './elements.js';
import { intsInput, tensorInput } from './inputs.js';
import { shown } from './shapes.js';
import { type ElementType, elementArray, type NumericElement, type Tensor } from './tensor.js';

/** The data of a tensor of any element type, for code that only moves elements. */
export interface Elements {
  readonly length: number;
  [index: number]: unknown;
}

/** A new tensor whose elements may still be written. */
export interface NewTensor {
  readonly element: ElementType;
  readonly shape: readonly number[];
  readonly data: Elements;
}

/**
 * The largest number of axes of a tensor, as in numpy. Loops over axes are recursive, so the number
 * needs a limit.
 */
const MAX_RANK = 64;

const tooManyAxes = (call: TensorCall, shape: readonly number[]) =>
  call.fault(`a shape of ${shape.length} axes`, `at most ${MAX_RANK} axes`);

/**
 * Counts the elements of a new shape, whose sizes are untrusted.
 *
 * @throws a fault for an invalid shape.
 */
export function countOf(call: TensorCall, shape: readonly number[]): number {
  if (shape.length > MAX_RANK) throw tooManyAxes(call, shape);
  const wrong = shape.find((size) => !Number.isSafeInteger(size) || size < 0);
  if (wrong !== undefined) throw call.fault(`the shape ${shown(shape)}`, 'sizes that are integers, 0 or greater');
  if (shape.includes(0)) return 0;
  const count = shape.reduce((product, size) => product * size, 1);
  if (!Number.isSafeInteger(count))
    throw call.fault(`the shape ${shown(shape)}`, 'a number of elements that memory can hold');
  return count;
}

/**
 * Takes the elements of a tensor from the budget, and allocates the tensor with zeros, false or
 * empty strings.
 */
export function allocate(call: TensorCall, element: ElementType, shape: readonly number[]): NewTensor {
  const count = countOf(call, shape);
  call.budget.take(count);
  const data =
    element === 'string' ? new Array<string>(count).fill('') : elementArray(element as NumericElement, count);
  return { element, shape: [...shape], data: data as Elements };
}

/** Returns the finished tensor. Its elements must not change afterwards. */
export const finished = (tensor: NewTensor): Tensor => tensor as Tensor;

/** Returns the same elements under another shape, without a copy. */
export const reshaped = (tensor: Tensor, shape: readonly number[]): Tensor => ({ ...tensor, shape: [...shape] });

/** Returns a writable copy of a tensor. */
export function copied(call: TensorCall, tensor: Tensor): NewTensor {
  call.budget.take(tensor.data.length);
  return { ...tensor, data: tensor.data.slice() as unknown as Elements };
}

/** Returns input `index`, a tensor of any element type. */
export function anyInput(call: TensorCall, index: number): Tensor {
  const tensor = tensorInput(call, index, everyElement) as Tensor;
  if (tensor.shape.length > MAX_RANK) throw tooManyAxes(call, tensor.shape);
  return tensor;
}

/** Returns the integers of a required input. */
export function requiredInts(call: TensorCall, index: number): number[] {
  const ints = intsInput(call, index);
  if (ints !== undefined) return ints;
  throw call.fault(`no input ${index}`, `a list of integers as input ${index}`);
}

/** Returns an int64 tensor of numbers: shapes, indices, counts. */
export function int64(call: TensorCall, shape: readonly number[], values: readonly number[]): Tensor {
  const made = allocate(call, 'int64', shape);
  values.forEach((value, index) => {
    made.data[index] = BigInt(value);
  });
  return finished(made);
}
