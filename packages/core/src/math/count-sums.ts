import type { SparseBlock } from '../blocks.js';

/**
 * The largest count of one entry. Float32 numbers hold every integer up to 2^24, so larger counts
 * are not exact.
 */
export const MOST_COUNT = 2 ** 24;
/** The largest absolute value of an integer weight. */
export const MOST_INTEGER_WEIGHT = 2 ** 30;

/**
 * Returns the count that a float32 number stands for: its integer part, at least 0 and at most
 * 2^24. NaN stands for 0.
 */
export function countOf(value: number): number {
  return value > 0 ? Math.trunc(Math.min(value, MOST_COUNT)) : 0;
}

/**
 * Returns the exact sum of `count * weight` over the entries of one sparse row and one output.
 *
 * @param each if true, each entry counts as 1, and its value is ignored.
 */
export function countSum(
  { offsets, ids, values }: SparseBlock,
  row: number,
  weights: Int32Array,
  outputs: number,
  output: number,
  each: boolean,
): bigint {
  let sum = 0n;
  for (let entry = offsets[row]!; entry < offsets[row + 1]!; entry++) {
    const count = each ? 1 : countOf(values[entry]!);
    sum += BigInt(count) * BigInt(weights[ids[entry]! * outputs + output]!);
  }
  return sum;
}

/** Returns 2 to the power of an integer, exactly. */
export function powerOfTwo(exponent: number): number {
  let power = 1;
  for (let step = 0; step < Math.abs(exponent); step++) power = exponent < 0 ? power / 2 : power * 2;
  return power;
}
