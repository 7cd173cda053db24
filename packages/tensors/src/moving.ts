import type { TensorCall } from './define.js';
import { everyElement } from './elements.js';
import { intsInput, tensorInput } from './inputs.js';
import { shown } from './shapes.js';
import { type ElementType, elementArray, type NumericElement, type Tensor } from './tensor.js';

/** Elements of any type, as code sees them that moves elements without looking at them. */
export interface Elements {
  readonly length: number;
  [place: number]: unknown;
}

/** A tensor that is being made: its elements may still be written. */
export interface NewTensor {
  readonly element: ElementType;
  readonly shape: readonly number[];
  readonly data: Elements;
}

/** Axes a tensor may have. Numpy stops at 64 too; walks over axes are recursive. */
const MAX_RANK = 64;

const tooManyAxes = (call: TensorCall, shape: readonly number[]) =>
  call.fault(`a shape of ${shape.length} axes`, `${MAX_RANK} is the limit`);

/** Elements of a shape that an operator is about to make. Sizes may come from anywhere. @throws a fault when it is no shape. */
export function countOf(call: TensorCall, shape: readonly number[]): number {
  if (shape.length > MAX_RANK) throw tooManyAxes(call, shape);
  const wrong = shape.find((size) => !Number.isSafeInteger(size) || size < 0);
  if (wrong !== undefined) throw call.fault(`the shape ${shown(shape)}`, 'a size is a whole number, 0 or greater');
  if (shape.includes(0)) return 0;
  const count = shape.reduce((product, size) => product * size, 1);
  if (!Number.isSafeInteger(count))
    throw call.fault(`the shape ${shown(shape)}`, 'no machine holds that many elements');
  return count;
}

/** A tensor of zeros, false or empty strings, counted against the budget before it is made. */
export function allocate(call: TensorCall, element: ElementType, shape: readonly number[]): NewTensor {
  const count = countOf(call, shape);
  call.budget.take(count);
  const data =
    element === 'string' ? new Array<string>(count).fill('') : elementArray(element as NumericElement, count);
  return { element, shape: [...shape], data: data as Elements };
}

/** The tensor once its elements are written. Nobody writes into it from here on. */
export const finished = (tensor: NewTensor): Tensor => tensor as Tensor;

/** The same elements in the same order under another shape. Nothing is copied. */
export const reshaped = (tensor: Tensor, shape: readonly number[]): Tensor => ({ ...tensor, shape: [...shape] });

/** A copy to write into. */
export function copied(call: TensorCall, tensor: Tensor): NewTensor {
  call.budget.take(tensor.data.length);
  return { ...tensor, data: tensor.data.slice() as unknown as Elements };
}

/** Input `index`, whatever its elements are. */
export function anyInput(call: TensorCall, index: number): Tensor {
  const tensor = tensorInput(call, index, everyElement) as Tensor;
  if (tensor.shape.length > MAX_RANK) throw tooManyAxes(call, tensor.shape);
  return tensor;
}

/** The integers of input `index`, which must be there. */
export function requiredInts(call: TensorCall, index: number): number[] {
  const ints = intsInput(call, index);
  if (ints !== undefined) return ints;
  throw call.fault(`no input ${index}`);
}

/** An int64 tensor of numbers: shapes, indices, counts. */
export function int64(call: TensorCall, shape: readonly number[], values: readonly number[]): Tensor {
  const made = allocate(call, 'int64', shape);
  values.forEach((value, place) => {
    made.data[place] = BigInt(value);
  });
  return finished(made);
}
