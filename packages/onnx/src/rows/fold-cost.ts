import type { TensorValue } from '@brezel/core';
import { operatorWork } from '@brezel/flour';
import type { TensorAttributes } from '@brezel/tensors';
import { DataType } from '../proto/schema.js';

/** How many steps of an import a constant node takes, in addition to its lists. */
export interface FoldCost {
  /** The steps before the operator runs: for its inputs, and for multiplications. */
  readonly steps: number;
  /** The steps for each element that the operator computes. */
  readonly perElement: number;
}

/**
 * Operators that copy elements, or convert each element in a few nanoseconds. Files contain weights
 * that such operators prepare: transposed, quantized or with shorter floats.
 */
const cheap: ReadonlySet<string> = new Set(
  'Identity Reshape Flatten Squeeze Unsqueeze Transpose Concat Slice Split Gather Expand Tile Cast CastLike DequantizeLinear Shape Size ConstantOfShape Dropout'.split(
    ' ',
  ),
);

/** A cheap operator takes 10 to 20 ns for an element. */
const CHEAP_STEPS = 6;

/** The reference implementation of an operator takes 50 to 150 ns for an element. */
const STEPS = 24;

/** Operators that sort elements. */
const sorting: ReadonlySet<string> = new Set(['TopK', 'Unique', 'NonMaxSuppression']);

const SORTING_STEPS = 64;

/** Formatting a number or parsing a text takes up to 6 µs. */
const TEXT_STEPS = 1024;

/** Multiplying one row by a matrix takes about 1 µs in addition to its multiplications. */
const ROW_STEPS = 256;

/** Returns what running an operator on constants costs. */
export function foldCost(
  operator: string,
  options: TensorAttributes,
  inputs: readonly (TensorValue | undefined)[],
): FoldCost {
  const perElement = stepsPerElement(operator, options, inputs);
  const read = inputs.reduce((sum, input) => sum + sizeOf(input), 0);
  const work = operatorWork({ operator, options }, inputs) + ROW_STEPS * rowsOf(operator, inputs);
  return { steps: perElement * read + work, perElement };
}

/** Returns how many rows a product of matrices has on its left. Returns 0 for other operators. */
function rowsOf(operator: string, [left]: readonly (TensorValue | undefined)[]): number {
  if (!/MatMul|Gemm/.test(operator) || left === undefined || left.element === 'sequence') return 0;
  return left.data.length / Math.max(1, left.shape.at(-1) ?? 1);
}

function stepsPerElement(...node: Parameters<typeof isTextCast>): number {
  const [operator] = node;
  if (isTextCast(...node)) return TEXT_STEPS;
  if (cheap.has(operator)) return CHEAP_STEPS;
  return sorting.has(operator) ? SORTING_STEPS : STEPS;
}

/** Returns whether a node converts numbers to texts, or texts to numbers. */
function isTextCast(operator: string, { to }: TensorAttributes, inputs: readonly (TensorValue | undefined)[]): boolean {
  if (operator !== 'Cast' && operator !== 'CastLike') return false;
  return to === DataType.STRING || to === 'STRING' || inputs.some((input) => input?.element === 'string');
}

/** Returns the number of elements of an input. A text counts its characters, too. */
function sizeOf(input: TensorValue | undefined): number {
  if (input === undefined || input.element === 'sequence') return 1;
  if (input.element !== 'string') return input.data.length;
  return input.data.reduce((sum, text) => sum + 1 + text.length, 0);
}
