import type { TensorValue } from '@brezel/core';
import { operatorWork } from '@brezel/flour';
import type { TensorAttributes } from '@brezel/tensors';
import { DataType } from '../proto/schema.js';

/**
 * The steps that an import counts for a node whose inputs are constants. The steps for the lists
 * that the import builds are counted separately.
 */
export interface FoldCost {
  /**
   * The steps that are counted before the operator runs: for the elements of its inputs, and for
   * multiplications.
   */
  readonly steps: number;
  /** The steps for each element that the operator computes. */
  readonly perElement: number;
}

/** Operators that copy elements, or compute each element with few instructions. */
const cheap: ReadonlySet<string> = new Set([
  ...['Identity', 'Reshape', 'Flatten', 'Squeeze', 'Unsqueeze', 'Transpose', 'Concat', 'Slice', 'Gather'],
  ...['Expand', 'Tile', 'Trilu', 'ConstantOfShape', 'Shape', 'Size', 'Dropout'],
  ...['Cast', 'CastLike', 'DequantizeLinear', 'QuantizeLinear'],
]);

/** Arithmetic, which is cheap for all types of elements except integers of 64 bits. */
const arithmetic: ReadonlySet<string> = new Set([
  ...['Add', 'Sub', 'Mul', 'Div', 'Neg', 'Abs', 'Relu', 'Sqrt', 'Sin', 'Cos'],
  ...['ReduceSum', 'ReduceMean', 'ReduceL1', 'ReduceL2', 'ReduceSumSquare', 'ReduceMax', 'ReduceMin'],
]);

/** Operators that read only the shape of their first input, or only the elements that they copy. */
const readsParts: ReadonlySet<string> = new Set(['Slice', 'Gather', 'Shape', 'Size']);

/**
 * The steps for each input element, and for each output element, of a cheap operator. Reading one
 * element and computing one element takes 10 to 45 ns together, or 100 ns in a cast of small
 * integers.
 */
const CHEAP_STEPS = 8;

/**
 * The steps for each input element, and for each output element, of other operators. Their
 * reference implementation takes 50 to 150 ns to read one element and compute one element.
 */
const STEPS = 36;

/** Operators that sort elements. */
const sorting: ReadonlySet<string> = new Set(['TopK', 'Unique', 'NonMaxSuppression']);

const SORTING_STEPS = 64;

/**
 * The steps for each counted element of a cast from or to texts. The operator counts 16 elements
 * for each conversion between a number and a text. A conversion therefore counts 1024 steps, and
 * takes up to 6 µs. The characters of a text that becomes a number count as elements of a cheap
 * operator.
 */
const TEXT_STEPS = 64;

/** The steps for each row of a matrix product, in addition to its multiplications: 0.5 to 1 µs. */
const ROW_STEPS = 576;

/** In products of matrices, this many multiplications count as one step. */
const PRODUCTS_PER_STEP = 2;

/** Returns the steps for running an operator on constants. */
export function foldCost(
  operator: string,
  options: TensorAttributes,
  inputs: readonly (TensorValue | undefined)[],
): FoldCost {
  const perElement = stepsPerElement(operator, options, inputs);
  const perInput = isTextCast(operator, options, inputs) ? CHEAP_STEPS : perElement;
  const read = (readsParts.has(operator) ? inputs.slice(1) : inputs).reduce((sum, input) => sum + sizeOf(input), 0);
  return { steps: perInput * read + workOf(operator, options, inputs), perElement };
}

/** Returns the steps for the multiplications of an operator. */
function workOf(operator: string, options: TensorAttributes, inputs: readonly (TensorValue | undefined)[]): number {
  const work = operatorWork({ operator, options }, inputs);
  if (!/MatMul|Gemm/.test(operator)) return work;
  return Math.ceil(work / PRODUCTS_PER_STEP) + ROW_STEPS * rowsOf(inputs[0]);
}

/** Returns the number of rows of a matrix. */
function rowsOf(left: TensorValue | undefined): number {
  if (left === undefined || left.element === 'sequence') return 0;
  return left.data.length / Math.max(1, left.shape.at(-1) ?? 1);
}

function stepsPerElement(...node: Parameters<typeof isTextCast>): number {
  const [operator, , inputs] = node;
  if (isTextCast(...node)) return TEXT_STEPS;
  if (cheap.has(operator) || (arithmetic.has(operator) && !inputs.some(isLong))) return CHEAP_STEPS;
  return sorting.has(operator) ? SORTING_STEPS : STEPS;
}

/** Returns whether an input contains integers of 64 bits, which JavaScript computes as BigInt. */
const isLong = (input: TensorValue | undefined): boolean => input?.element === 'int64' || input?.element === 'uint64';

/** Returns whether a node converts numbers to texts, or texts to numbers. */
function isTextCast(operator: string, { to }: TensorAttributes, inputs: readonly (TensorValue | undefined)[]): boolean {
  if (operator !== 'Cast' && operator !== 'CastLike') return false;
  return to === DataType.STRING || to === 'STRING' || inputs.some((input) => input?.element === 'string');
}

/** Returns the number of elements of an input. For texts, adds the number of their characters. */
function sizeOf(input: TensorValue | undefined): number {
  if (input === undefined || input.element === 'sequence') return 1;
  if (input.element !== 'string') return input.data.length;
  return input.data.reduce((sum, text) => sum + 1 + text.length, 0);
}
