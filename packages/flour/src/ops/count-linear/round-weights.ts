import { MOST_INTEGER_WEIGHT, powerOfTwo } from '@brezel/core';

/** Weights as integers: the weight of a feature is its integer times `scale`, a power of two. */
export interface RoundedWeights {
  readonly scale: number;
  readonly weights: readonly Int32Array[];
}

/**
 * Weights are rounded to multiples of 2^-30 of the largest weight. A weight that is smaller than
 * this part of the largest weight can therefore lose more than a millionth of its value.
 */
const SMALL = 1e6 / 2 ** 31;
/** At most one in this many weights may be smaller than `SMALL` times the largest weight. */
const SMALL_ONE_IN = 16;

/**
 * Added to a float64 number below 2^51 and subtracted again, it rounds the number to an integer.
 * Halves become even, so that the weights of mirrored classes stay mirrored.
 */
const ROUNDER = 3 * 2 ** 51;

const exponentBits = new DataView(new ArrayBuffer(8));

/** Returns the smallest integer e with `value < 2^e`, for a positive float32 number. */
function exponentAbove(value: number): number {
  exponentBits.setFloat64(0, value);
  return (exponentBits.getUint16(0) >> 4) - 1022;
}

/**
 * Rounds the weights of a linear model to multiples of a power of two, the same for all inputs: the
 * largest weight has 30 bits. Returns undefined for a weight that is not finite. Also returns
 * undefined if more than one in 16 of the nonzero weights could lose more than a millionth of their
 * value. Such weights are much smaller than the largest weight.
 *
 * Cost: about 10 ms per million weights.
 */
export function roundWeights(given: readonly Float32Array[]): RoundedWeights | undefined {
  let most = 0;
  for (const weights of given) {
    for (let at = 0; at < weights.length; at++) {
      const size = Math.abs(weights[at]!);
      if (size <= most) continue;
      if (!Number.isFinite(size)) return undefined;
      most = size;
    }
  }
  if (most === 0) return { scale: 1, weights: given.map((weights) => new Int32Array(weights.length)) };
  if (losesDigits(given, most * SMALL)) return undefined;
  const bits = Math.log2(MOST_INTEGER_WEIGHT) - exponentAbove(most);
  return { scale: powerOfTwo(-bits), weights: given.map((weights) => rounded(weights, powerOfTwo(bits))) };
}

function losesDigits(given: readonly Float32Array[], limit: number): boolean {
  let present = 0;
  let small = 0;
  for (const weights of given) {
    for (let at = 0; at < weights.length; at++) {
      const size = Math.abs(weights[at]!);
      present += size > 0 ? 1 : 0;
      small += size > 0 && size < limit ? 1 : 0;
    }
  }
  return small * SMALL_ONE_IN > present;
}

function rounded(weights: Float32Array, scale: number): Int32Array {
  const integers = new Int32Array(weights.length);
  for (let at = 0; at < integers.length; at++) integers[at] = weights[at]! * scale + ROUNDER - ROUNDER;
  return integers;
}
