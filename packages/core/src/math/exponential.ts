// Exponential and logarithm in float64. Brezel uses these functions instead of `Math.exp` and the
// like, so that every engine and machine returns the same bits.
//
// The C++ twin (`native/primitives/math.hpp`) runs the same operations in the same order, without
// fused multiply-add. The relative error is below 1e-14. The result is usually rounded to float32,
// which has a much larger error.

const LOG2E = 1.4426950408889634;
const LN2_HI = 0.6931471803691238; // upper bits of ln 2: k * LN2_HI is exact for |k| < 2^11
const LN2_LO = 1.9082149292705877e-10;
const SQRT1_2 = 0.7071067811865476;

const scratch = new Float64Array(1);
const words = new Uint32Array(scratch.buffer); // little endian: words[1] holds sign and exponent

/** Returns 2^k exactly, for an integer k in [-1022, 1023]. */
function powerOfTwo(k: number): number {
  words[0] = 0;
  words[1] = (k + 1023) << 20;
  return scratch[0]!;
}

/** Returns e^r for |r| <= 0.35, by the Taylor series of degree 13 in Horner form. */
function expNearZero(r: number): number {
  let p = 1 / 6227020800;
  p = p * r + 1 / 479001600;
  p = p * r + 1 / 39916800;
  p = p * r + 1 / 3628800;
  p = p * r + 1 / 362880;
  p = p * r + 1 / 40320;
  p = p * r + 1 / 5040;
  p = p * r + 1 / 720;
  p = p * r + 1 / 120;
  p = p * r + 1 / 24;
  p = p * r + 1 / 6;
  p = p * r + 0.5;
  p = p * r + 1;
  return p * r + 1;
}

/** Returns e^(x + rest) for |x| < 800, where `rest` is the small part that x lost by rounding. */
export function expOfSum(x: number, rest: number): number {
  const k = Math.floor(x * LOG2E + 0.5);
  const p = expNearZero(x - k * LN2_HI - k * LN2_LO + rest);
  const half = k >> 1; // two factors, so that neither leaves the normal range
  return p * powerOfTwo(half) * powerOfTwo(k - half);
}

/** Returns e^x. Overflow gives Infinity, underflow gives 0, NaN stays NaN. */
export function exp(x: number): number {
  if (Number.isNaN(x)) return x;
  if (x > 709.78) return Number.POSITIVE_INFINITY;
  if (x < -745.13) return 0;
  return expOfSum(x, 0);
}

/**
 * Splits a finite x > 0 into m * 2^e, where m is in [sqrt(1/2), sqrt(2)). Returns e and stores m in
 * `mantissa`.
 */
function split(x: number): number {
  let e = 0;
  let v = x;
  if (v < 2.2250738585072014e-308) {
    v = v * 18014398509481984; // 2^54 moves subnormals into the normal range
    e = -54;
  }
  scratch[0] = v;
  e += (words[1]! >>> 20) - 1022; // v = m * 2^e with m in [0.5, 1)
  words[1] = (words[1]! & 0x000fffff) | 0x3fe00000;
  mantissa = scratch[0]!;
  if (mantissa < SQRT1_2) {
    mantissa = mantissa * 2;
    e = e - 1;
  }
  return e;
}
let mantissa = 1;

/**
 * Returns 1 + z/3 + z^2/5 + ... With z = s^2, the result times 2 s is log((1 + s) / (1 - s)). Valid
 * for |s| < 0.172.
 */
function logSeries(z: number): number {
  return logTail(z) * z + 1;
}

/** Returns 1/3 + z/5 + z^2/7 + ... + z^9/21. */
function logTail(z: number): number {
  let p = 1 / 21;
  p = p * z + 1 / 19;
  p = p * z + 1 / 17;
  p = p * z + 1 / 15;
  p = p * z + 1 / 13;
  p = p * z + 1 / 11;
  p = p * z + 1 / 9;
  p = p * z + 1 / 7;
  p = p * z + 1 / 5;
  return p * z + 1 / 3;
}

/** Returns the natural logarithm. log(0) is -Infinity; the log of a negative number is NaN. */
export function log(x: number): number {
  if (Number.isNaN(x) || x < 0) return Number.NaN;
  if (x === 0) return Number.NEGATIVE_INFINITY;
  if (x === Number.POSITIVE_INFINITY) return x;
  const e = split(x);
  const s = (mantissa - 1) / (mantissa + 1);
  return e * LN2_HI + (2 * s * logSeries(s * s) + e * LN2_LO);
}

/**
 * Returns the high part of the natural logarithm of a finite x > 0, and stores the low part in
 * `logLow`.
 *
 * Both parts together have about 65 significant bits. `power` needs this precision, because it
 * multiplies the logarithm and therefore also its error.
 */
export function logHigh(x: number): number {
  const e = split(x);
  const [above, below] = [mantissa - 1, mantissa + 1]; // the first difference is exact
  const lost = mantissa - (below - 1); // the bits that rounding removed from `below`
  const s = above / below;
  const product = s * below;
  const rest = (above - product - productError(s, below, product) - s * lost) / below;
  const z = s * s;
  const base = e * LN2_HI; // exact
  const high = base + 2 * s;
  const error = 2 * s - (high - base); // exact, because |base| > |2 s| or base = 0
  const tail = error + (2 * rest + 2 * s * z * logTail(z) + e * LN2_LO);
  const sum = high + tail;
  logLow = tail - (sum - high);
  return sum;
}
export let logLow = 0;

/** Returns a * b - product exactly, where `product` is a * b rounded (Dekker, 1971). */
export function productError(a: number, b: number, product: number): number {
  const aHigh = upperHalf(a);
  const bHigh = upperHalf(b);
  const [aLow, bLow] = [a - aHigh, b - bHigh];
  return aHigh * bHigh - product + aHigh * bLow + aLow * bHigh + aLow * bLow;
}

function upperHalf(x: number): number {
  const shifted = x * 134217729; // 2^27 + 1
  return shifted - (shifted - x);
}

/** Returns 1 / (1 + e^-x). */
export function sigmoid(x: number): number {
  return 1 / (1 + exp(-x));
}

/**
 * Returns the hyperbolic tangent. Below 1e-4 it uses the series, because the quotient would cancel
 * digits.
 */
export function tanh(x: number): number {
  if (Number.isNaN(x)) return x;
  const a = Math.abs(x);
  if (a < 1e-4) return x - (x * x * x) / 3;
  const e = exp(-2 * a);
  const t = (1 - e) / (1 + e);
  return x < 0 ? -t : t;
}
