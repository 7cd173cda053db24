/**
 * Our own transcendental functions, in float64, so that every engine gives the same bits: the C++ twin
 * (`native/primitives/math.hpp`) repeats these operations one by one, in this order, without contraction.
 * Errors stay below 1e-14 relative, far under the float32 rounding that follows.
 */
const LOG2E = 1.4426950408889634;
const LN2_HI = 0.6931471803691238; // upper bits of ln 2: k * LN2_HI is exact for |k| < 2^11
const LN2_LO = 1.9082149292705877e-10;
const SQRT1_2 = 0.7071067811865476;

const scratch = new Float64Array(1);
const words = new Uint32Array(scratch.buffer); // little endian: words[1] holds sign and exponent

/** 2^k for an integer k in [-1022, 1023], exact. */
function powerOfTwo(k: number): number {
  words[0] = 0;
  words[1] = (k + 1023) << 20;
  return scratch[0]!;
}

/** e^x. Overflow gives Infinity, underflow 0, NaN stays NaN. */
export function exp(x: number): number {
  if (Number.isNaN(x)) return x;
  if (x > 709.78) return Number.POSITIVE_INFINITY;
  if (x < -745.13) return 0;
  const k = Math.floor(x * LOG2E + 0.5);
  const r = x - k * LN2_HI - k * LN2_LO;
  let p = 1 / 6227020800; // Taylor series of degree 13, Horner
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
  p = p * r + 1;
  const half = k >> 1; // in two steps, so that neither factor leaves the normal range
  return p * powerOfTwo(half) * powerOfTwo(k - half);
}

/** Natural logarithm. log(0) = -Infinity, log of a negative number = NaN. */
export function log(x: number): number {
  if (Number.isNaN(x) || x < 0) return Number.NaN;
  if (x === 0) return Number.NEGATIVE_INFINITY;
  if (x === Number.POSITIVE_INFINITY) return x;
  let e = 0;
  let v = x;
  if (v < 2.2250738585072014e-308) {
    v = v * 18014398509481984; // 2^54 brings subnormals into the normal range
    e = -54;
  }
  scratch[0] = v;
  e += (words[1]! >>> 20) - 1022; // v = m * 2^e with m in [0.5, 1)
  words[1] = (words[1]! & 0x000fffff) | 0x3fe00000;
  let m = scratch[0]!;
  if (m < SQRT1_2) {
    m = m * 2;
    e = e - 1;
  }
  const s = (m - 1) / (m + 1); // |s| < 0.172: log m = 2 (s + s^3/3 + ...)
  const z = s * s;
  let p = 1 / 21;
  p = p * z + 1 / 19;
  p = p * z + 1 / 17;
  p = p * z + 1 / 15;
  p = p * z + 1 / 13;
  p = p * z + 1 / 11;
  p = p * z + 1 / 9;
  p = p * z + 1 / 7;
  p = p * z + 1 / 5;
  p = p * z + 1 / 3;
  p = p * z + 1;
  return e * LN2_HI + (2 * s * p + e * LN2_LO);
}

/** 1 / (1 + e^-x). */
export function sigmoid(x: number): number {
  return 1 / (1 + exp(-x));
}

/** Hyperbolic tangent; below 1e-4 its series, where the quotient would cancel. */
export function tanh(x: number): number {
  if (Number.isNaN(x)) return x;
  const a = Math.abs(x);
  if (a < 1e-4) return x - (x * x * x) / 3;
  const e = exp(-2 * a);
  const t = (1 - e) / (1 + e);
  return x < 0 ? -t : t;
}
