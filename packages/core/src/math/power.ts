import { expOfSum, logHigh, logLow, productError } from './exponential.js';

/**
 * Powers with integer exponents up to this number are computed by repeated products. The result is
 * then exact if float64 can represent it.
 */
const MOST_FACTORS = 64;
const LEAST_NORMAL = 2.2250738585072014e-308;

/**
 * Returns a^b in float64 with the special cases of C: 1 to any power is 1, any number to the power
 * 0 is 1, and -1 to an infinite power is 1.
 *
 * The relative error is below 1e-14. Powers with small integer exponents are exact if float64 can
 * represent them. The C++ twin is `native/primitives/power.hpp`.
 */
export function power(a: number, b: number): number {
  if (b === 0 || a === 1) return 1;
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.NaN;
  const size = Math.abs(a);
  if (Math.abs(b) === Number.POSITIVE_INFINITY) {
    if (size === 1) return 1;
    return size > 1 === b > 0 ? Number.POSITIVE_INFINITY : 0;
  }
  const isWhole = Math.floor(b) === b;
  const isOdd = isWhole && Math.floor(b / 2) * 2 !== b;
  if (a < 0 && !isWhole && size !== Number.POSITIVE_INFINITY) return Number.NaN;
  const result = ofSize(size, b);
  return isOdd && (a < 0 || 1 / a < 0) ? -result : result;
}

/** Returns a^b for a >= 0 and a finite b. */
function ofSize(a: number, b: number): number {
  if (a === 0 || a === Number.POSITIVE_INFINITY) return (a === 0) === b < 0 ? Number.POSITIVE_INFINITY : 0;
  if (a === 1) return 1;
  if (b === 0.5) return Math.sqrt(a);
  const count = Math.abs(b);
  if (count <= MOST_FACTORS && Math.floor(count) === count) {
    const product = wholePower(a, count);
    if (product >= LEAST_NORMAL && product !== Number.POSITIVE_INFINITY) return b < 0 ? 1 / product : product;
  }
  const high = logHigh(a);
  const low = logLow;
  const exponent = b * high;
  if (exponent > 800) return Number.POSITIVE_INFINITY;
  if (exponent < -800) return 0;
  return expOfSum(exponent, productError(b, high, exponent) + b * low);
}

/** Returns a^count by repeated squaring. */
function wholePower(a: number, count: number): number {
  let product = 1;
  let square = a;
  for (let rest = count; ; square = square * square) {
    const half = Math.floor(rest / 2);
    if (half * 2 !== rest) product = product * square;
    if (half === 0) return product;
    rest = half;
  }
}
