import { nonFiniteChoices, type ParameterValue } from '@brezel/core';
import type { NumberFunctions } from '@brezel/object-store';
import { shown } from './custom/row-values.js';
import { flourError } from './errors.js';

/**
 * The valid numbers of a learned parameter. `finite`: finite numbers only, because an infinite
 * weight times zero is NaN. `number`: any number except NaN, for example an infinite bias or
 * threshold.
 */
export type LearnedNumbers = 'finite' | 'number';

/** The fields of an operator definition that `checkLearned` reads. */
interface LearningOperator {
  readonly name: string;
  readonly learned?: Readonly<Record<string, LearnedNumbers>>;
}

/**
 * Checks the value of the option `nonFinite`.
 *
 * @throws ERR_FLOUR_PARAM for an unknown choice.
 */
export function checkNonFinite(choice: string): void {
  if ((nonFiniteChoices as readonly string[]).includes(choice)) return;
  throw flourError('ERR_FLOUR_PARAM', {
    expected: nonFiniteChoices.join(' or '),
    received: shown(choice),
    at: 'nonFinite',
  });
}

/**
 * Checks the learned parameters that a program passes to an operator. `native`: the addon's
 * functions, if it is loaded. Cost: about 1 ms per million numbers.
 *
 * @throws ERR_FLOUR_WEIGHT, with the parameter and the index of the first invalid number.
 */
export function checkLearned(
  { name: operator, learned }: LearningOperator,
  parameters: Iterable<readonly [name: string, value: ParameterValue]>,
  native?: NumberFunctions,
): void {
  if (learned === undefined) return;
  for (const [name, value] of parameters) {
    const wanted = learned[name.replace(/\d+$/, '#')] ?? learned[name];
    if (wanted !== undefined && value.dtype !== 'string') checkNumbers(operator, name, value.data, wanted, native);
  }
}

/**
 * Checks the numbers of one parameter.
 *
 * @throws ERR_FLOUR_WEIGHT, with the first invalid number.
 */
export function checkNumbers(
  operator: string,
  name: string,
  values: ArrayLike<number | bigint>,
  wanted: LearnedNumbers,
  native?: NumberFunctions,
): void {
  const at = firstMeaningless(values, wanted, native);
  if (at < 0) return;
  throw flourError('ERR_FLOUR_WEIGHT', {
    expected: wanted === 'finite' ? `finite ${name}` : `${name} without NaN`,
    received: `${values[at]}`,
    at: `${operator}, ${name}[${at}]`,
  });
}

/**
 * Returns the index of the first invalid number, or -1. Before the loop, a fast function recognizes
 * the common case that all numbers are finite.
 */
function firstMeaningless(
  values: ArrayLike<number | bigint>,
  wanted: LearnedNumbers,
  native: NumberFunctions | undefined,
): number {
  if (values instanceof Float32Array || values instanceof Float64Array) {
    if (native?.areFinite(values) ?? isFiniteArray(values)) return -1;
  }
  const means = wanted === 'finite' ? Number.isFinite : (value: number) => !Number.isNaN(value);
  for (let at = 0; at < values.length; at++) if (!means(Number(values[at]))) return at;
  return -1;
}

/**
 * Returns whether all numbers are finite. It calls `includes`, which is native code. A loop would
 * be slow when a process starts, because V8 has not compiled the loop yet.
 */
const isFiniteArray = (values: Float32Array | Float64Array): boolean =>
  !values.includes(Number.NaN) && !values.includes(Infinity) && !values.includes(-Infinity);
