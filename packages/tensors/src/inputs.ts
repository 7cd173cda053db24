import type { OperatorSteps, TensorCall } from './define.js';
import { type floats, isBig, rounding } from './elements.js';
import { BLOCK, ended, inBlocks } from './pauses.js';
import { type Shape, shown } from './shapes.js';
import {
  type ElementType,
  elementArray,
  elementCount,
  type NumericElement,
  type StringTensor,
  type Tensor,
} from './tensor.js';

/** A tensor of numbers or bools of any type. */
export type Numeric = Exclude<Tensor, StringTensor>;

/** A tensor of floats of any type. */
export type Floats = Extract<Tensor, { element: (typeof floats)[number] }>;

/** The data of a tensor of numbers, without 64-bit integers. */
export interface NumberData {
  readonly length: number;
  [at: number]: number;
}
export interface BigIntData {
  readonly length: number;
  [at: number]: bigint;
}

/**
 * Returns input `index` as a tensor of one of the element types.
 *
 * @throws `call.fault` if it is missing, a sequence, or of another type.
 */
export function tensorInput<E extends ElementType>(
  call: TensorCall,
  index: number,
  elements: readonly E[],
): Extract<Tensor, { element: E }> {
  const tensor = optionalInput(call, index, elements);
  if (tensor !== undefined) return tensor;
  throw call.fault(`no input ${index}`, `a tensor as input ${index}`);
}

/** Returns the same as `tensorInput`, or undefined for a missing input. */
export function optionalInput<E extends ElementType>(
  call: TensorCall,
  index: number,
  elements: readonly E[],
): Extract<Tensor, { element: E }> | undefined {
  const value = call.inputs[index];
  if (value === undefined) return undefined;
  if ((elements as readonly string[]).includes(value.element)) return value as Extract<Tensor, { element: E }>;
  throw call.fault(`input ${index} of type ${value.element}`, `input ${index} as one of ${elements.join(', ')}`);
}

/**
 * Returns all inputs. There must be at least one, none may be missing, and all must have one
 * element type.
 */
export function sameInputs<E extends ElementType>(call: TensorCall, elements: readonly E[]) {
  const first = tensorInput(call, 0, elements);
  return call.inputs.map((_, index) => tensorInput(call, index, [first.element as E]));
}

/**
 * Returns the integers of an input with at most one axis, for example axes or sizes, as numbers.
 */
export function intsInput(call: TensorCall, index: number): number[] | undefined {
  const tensor = optionalInput(call, index, ['int64', 'int32']);
  if (tensor === undefined) return undefined;
  if (tensor.shape.length <= 1) return Array.from(tensor.data as ArrayLike<number | bigint>, Number);
  throw call.fault(
    `input ${index} of shape ${shown(tensor.shape)}`,
    `a list of integers with at most one axis as input ${index}`,
  );
}

/** Returns the only element of a tensor. */
export function onlyElement(call: TensorCall, tensor: Tensor, what: string): number | bigint | string {
  if (elementCount(tensor.shape) === 1) return tensor.data[0]!;
  throw call.fault(`${what} of shape ${shown(tensor.shape)}`, `one element as ${what}`);
}

/** Takes the elements of a result from the budget, and allocates an array of zeros for them. */
export function newData(call: TensorCall, element: NumericElement, shape: Shape): NumberData | BigIntData {
  const count = elementCount(shape);
  call.budget.take(count);
  return elementArray(element, count);
}

/** Wraps new data as a tensor. */
export const tensorOf = (element: ElementType, shape: Shape, data: object): Tensor =>
  ({ element, shape, data }) as unknown as Tensor;

/**
 * Builds a result element by element. Each element is computed in float64 and rounded once. Does
 * not support 64-bit integers.
 */
export function computed(
  call: TensorCall,
  element: NumericElement,
  shape: Shape,
  compute: (at: number) => number,
): Tensor {
  const data = newData(call, element, shape) as NumberData;
  fillNumbers(data, rounding(element), compute, 0, call.onlyShapes ? 0 : data.length);
  return tensorOf(element, shape, data);
}

/** Does the same as `computed`, with pauses after `block` elements. */
export function computedSteps(
  call: TensorCall,
  element: NumericElement,
  shape: Shape,
  compute: (at: number) => number,
  block = BLOCK,
): OperatorSteps<Tensor> {
  if (isOneBlock(call, shape, block)) return ended(computed(call, element, shape, compute));
  return computedInBlocks(call, element, shape, compute, block);
}

const isOneBlock = (call: TensorCall, shape: Shape, block: number): boolean =>
  call.isOver === undefined || call.onlyShapes === true || elementCount(shape) <= block;

function* computedInBlocks(
  call: TensorCall,
  element: NumericElement,
  shape: Shape,
  compute: (at: number) => number,
  block: number,
): OperatorSteps<Tensor> {
  const data = newData(call, element, shape) as NumberData;
  const round = rounding(element);
  yield* inBlocks(call, data.length, (from, to) => fillNumbers(data, round, compute, from, to), block);
  return tensorOf(element, shape, data);
}

function fillNumbers(
  data: NumberData,
  round: (value: number) => number,
  compute: (at: number) => number,
  from: number,
  to: number,
): void {
  for (let at = from; at < to; at++) data[at] = round(compute(at));
}

/** Builds a result of any numeric type element by element, with bigints for 64-bit integers. */
export function computedAs(
  call: TensorCall,
  element: NumericElement,
  shape: Shape,
  number: (at: number) => number,
  big: (at: number) => bigint,
): Tensor {
  if (!isBig(element)) return computed(call, element, shape, number);
  const data = newData(call, element, shape) as BigIntData;
  fillBigInts(data, big, 0, call.onlyShapes ? 0 : data.length);
  return tensorOf(element, shape, data);
}

/** Does the same as `computedAs`, with pauses after `block` elements. */
export function computedAsSteps(
  call: TensorCall,
  element: NumericElement,
  shape: Shape,
  number: (at: number) => number,
  big: (at: number) => bigint,
  block = BLOCK,
): OperatorSteps<Tensor> {
  if (isOneBlock(call, shape, block)) return ended(computedAs(call, element, shape, number, big));
  return isBig(element)
    ? bigIntsInBlocks(call, element, shape, big, block)
    : computedInBlocks(call, element, shape, number, block);
}

function* bigIntsInBlocks(
  call: TensorCall,
  element: NumericElement,
  shape: Shape,
  big: (at: number) => bigint,
  block: number,
): OperatorSteps<Tensor> {
  const data = newData(call, element, shape) as BigIntData;
  yield* inBlocks(call, data.length, (from, to) => fillBigInts(data, big, from, to), block);
  return tensorOf(element, shape, data);
}

function fillBigInts(data: BigIntData, big: (at: number) => bigint, from: number, to: number): void {
  for (let at = from; at < to; at++) data[at] = big(at);
}
