import { exp } from './exponential.js';

const TWO_OVER_SQRT_PI = 1.1283791670955126;

/** For x of at least this size, erf(x) rounds to 1 in float64. */
const SATURATED = 6;

/**
 * Returns the error function in float64: 2 / sqrt(pi) * e^(-x^2) * (x + 2 x^3 / 3 + 4 x^5 / 15 +
 * ...). All terms have one sign, so no digits cancel.
 *
 * @see Source: Abramowitz and Stegun, 7.1.6.
 */
export function erf(x: number): number {
  if (Number.isNaN(x)) return x;
  if (Math.abs(x) >= SATURATED) return Math.sign(x);
  const square = x * x;
  let term = x;
  let sum = x;
  for (let odd = 3; Math.abs(term) > Math.abs(sum) * 1e-17; odd += 2) {
    term *= (2 * square) / odd;
    sum += term;
  }
  // Clamped, because with an error of about 1e-15 the value could exceed 1.
  const value = TWO_OVER_SQRT_PI * exp(-square) * sum;
  return Math.abs(value) > 1 ? Math.sign(value) : value;
}
