import { type MissingCall, sizeOf } from '@brezel/core';
import { findOperator } from './custom/registry.js';
import { type MissingUse, numbersOf } from './define-op.js';

// Finds the values of a row that may be missing, which means NaN. An operator may define the answer
// for NaN (an imputer, a tree with learned branches for NaN), or pass the NaN on to the next
// operator.

/**
 * Returns 1 for every element of the input, because each of them may be NaN. Operators that define
 * their result for NaN use this function.
 */
export const handlesMissing = ({ inputs, input }: Pick<MissingUse, 'inputs' | 'input'>): Uint8Array =>
  new Uint8Array(sizeOf(inputs[input]!)).fill(1);

/**
 * For an operator that maps NaN to NaN element by element, returns 1 for each input element that
 * may be NaN. An input element may be NaN if the same element of the result may be NaN, because a
 * later operator handles NaN. If the sizes differ, as for one broadcast element, all input elements
 * may be NaN if any element of the result may be NaN.
 */
export function passesMissing({ inputs, input, after }: MissingUse): Uint8Array {
  const size = sizeOf(inputs[input]!);
  return size === after.length ? after : new Uint8Array(size).fill(after.includes(1) ? 1 : 0);
}

/**
 * Returns which elements of the input of a tree operator may be NaN. If NaN takes the true branch
 * of at least one node, the model defines its answer for NaN, so all elements may be NaN.
 * Otherwise, no element may be NaN.
 */
export const learnsMissing = (use: MissingUse): Uint8Array =>
  numbersOf(use.parameter('missingTrue')).some((isTrue) => Number(isTrue) !== 0)
    ? handlesMissing(use)
    : new Uint8Array(sizeOf(use.inputs[use.input]!));

/**
 * Returns which elements of an operator's input may be NaN. Returns undefined if no element may be
 * NaN.
 */
export function missingElements({ step, inputTypes, input, after, parameter }: MissingCall): Uint8Array | undefined {
  const { operator, version, attributes, inputs, type } = step;
  return findOperator(operator, version)?.missing?.({
    inputs: inputTypes,
    attributes,
    type,
    parameter,
    input,
    isOneValue: inputs.every((slot) => slot === inputs[0]),
    after,
  });
}
