import { exp } from '@brezel/core';
import type { NumberData } from '../inputs.js';

/** Returns the dot product of two vectors of `size` numbers. Adds the products in order. */
export function dot(a: NumberData, aFrom: number, b: NumberData, bFrom: number, size: number): number {
  let sum = 0;
  for (let at = 0; at < size; at++) sum += a[aFrom + at]! * b[bFrom + at]!;
  return sum;
}

/** Returns weights with sum 1, or zeros if every score is -Infinity. */
export function softmax(scores: Float64Array): Float64Array {
  const most = scores.reduce((so, score) => Math.max(so, score), Number.NEGATIVE_INFINITY);
  if (most === Number.NEGATIVE_INFINITY) return new Float64Array(scores.length);
  const powers = scores.map((score) => exp(score - most));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}
