import type { ParameterValue } from '@brezel/core';
import { flourError } from './errors.js';

/**
 * What numbers of a parameter that training gives can mean: `finite` ones only (an infinite weight times a zero is no number), or any `number` but
 * NaN (an infinite bias, a threshold that everything is below).
 */
export type LearnedNumbers = 'finite' | 'number';

/** An operator with parameters that training gives; `weights#` stands for `weights0`, `weights1`, ... */
interface LearningOperator {
  readonly name: string;
  readonly learned?: Readonly<Record<string, LearnedNumbers>>;
}

/** What becomes of learned parameters that hold other numbers. */
export const nonFiniteChoices = ['refuse', 'allow'] as const;
export type NonFiniteChoice = (typeof nonFiniteChoices)[number];

/** @throws ERR_FLOUR_PARAM for another choice. */
export function checkNonFinite(choice: string): void {
  if ((nonFiniteChoices as readonly string[]).includes(choice)) return;
  throw flourError('ERR_FLOUR_PARAM', {
    expected: nonFiniteChoices.join(' or '),
    received: String(choice),
    at: 'nonFinite',
  });
}

/**
 * Looks through the learned parameters of a use. Cost: about 1 ms a million numbers.
 *
 * @throws ERR_FLOUR_WEIGHT, with the name of the parameter and the index of the first number that means nothing.
 */
export function checkLearned(
  { name: operator, learned }: LearningOperator,
  parameters: Iterable<readonly [name: string, value: ParameterValue]>,
): void {
  if (learned === undefined) return;
  for (const [name, value] of parameters) {
    const wanted = learned[name.replace(/\d+$/, '#')] ?? learned[name];
    if (wanted !== undefined && value.dtype !== 'string') checkNumbers(operator, name, value.data, wanted);
  }
}

/** @throws ERR_FLOUR_WEIGHT, naming the first number that is not what is wanted. */
export function checkNumbers(
  operator: string,
  name: string,
  values: ArrayLike<number | bigint>,
  wanted: LearnedNumbers,
): void {
  const at = firstMeaningless(values, wanted);
  if (at < 0) return;
  throw flourError('ERR_FLOUR_WEIGHT', {
    expected: wanted === 'finite' ? `finite ${name}` : `${name} without NaN`,
    received: `${values[at]}`,
    at: `${operator}, ${name}[${at}]`,
  });
}

/** The first index, or -1. Most parameters hold finite numbers alone: those are told by the fast loops. */
function firstMeaningless(values: ArrayLike<number | bigint>, wanted: LearnedNumbers): number {
  if (values instanceof Float32Array && firstInfinite32(values) < 0) return -1;
  if (values instanceof Float64Array && firstInfinite64(values) < 0) return -1;
  const means = wanted === 'finite' ? Number.isFinite : (value: number) => !Number.isNaN(value);
  for (let at = 0; at < values.length; at++) if (!means(Number(values[at]))) return at;
  return -1;
}

// A loop for each class of array: one that sees several is some times slower.

function firstInfinite32(values: Float32Array): number {
  for (let at = 0; at < values.length; at++) if (!(values[at]! - values[at]! === 0)) return at;
  return -1;
}

function firstInfinite64(values: Float64Array): number {
  for (let at = 0; at < values.length; at++) if (!(values[at]! - values[at]! === 0)) return at;
  return -1;
}
