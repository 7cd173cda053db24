import { exp, log } from './exponential.js';

// Hyperbolic functions and their inverses in float64. `exponential.ts` states their accuracy; the
// C++ twin is `native/primitives/hyperbolic.hpp`.

const LN2 = 0.6931471805599453;
/** For x of at least this size, x^2 + 1 rounds to x^2. */
const LARGE = 2 ** 28;
/** For |x| below this size, x + x^3 rounds to x. */
const SMALL = 2 ** -28;

/** Returns e^x - 1 without losing digits near 0. */
export function expm1(x: number): number {
  if (!(Math.abs(x) < 0.35)) return exp(x) - 1;
  let p = 1 / 6227020800;
  p = p * x + 1 / 479001600;
  p = p * x + 1 / 39916800;
  p = p * x + 1 / 3628800;
  p = p * x + 1 / 362880;
  p = p * x + 1 / 40320;
  p = p * x + 1 / 5040;
  p = p * x + 1 / 720;
  p = p * x + 1 / 120;
  p = p * x + 1 / 24;
  p = p * x + 1 / 6;
  p = p * x + 0.5;
  p = p * x + 1;
  return x * p;
}

/**
 * Returns log(1 + x) without losing digits near 0. The factor x / (u - 1) corrects the rounding of
 * u = 1 + x.
 */
export function log1p(x: number): number {
  const u = 1 + x;
  if (u === 1 || u === Number.POSITIVE_INFINITY) return x;
  return log(u) * (x / (u - 1));
}

/** Returns (e^x - e^-x) / 2. */
export function sinh(x: number): number {
  const a = Math.abs(x);
  if (!(a >= SMALL)) return x;
  const value = a > 700 ? halfExp(a) : sinhOfModerate(a);
  return x < 0 ? -value : value;
}

function sinhOfModerate(a: number): number {
  const e = expm1(a);
  return (e + e / (e + 1)) / 2;
}

/** Returns e^a / 2, which can be finite where e^a overflows. */
function halfExp(a: number): number {
  const root = exp(a / 2);
  return (root / 2) * root;
}

/** Returns (e^x + e^-x) / 2. */
export function cosh(x: number): number {
  const a = Math.abs(x);
  if (a > 700) return halfExp(a);
  const e = exp(a);
  return (e + 1 / e) / 2;
}

/** Returns the inverse of `sinh`. */
export function asinh(x: number): number {
  const a = Math.abs(x);
  if (!(a >= SMALL)) return x;
  const value = a > LARGE ? log(a) + LN2 : log1p(a + (a * a) / (1 + Math.sqrt(a * a + 1)));
  return x < 0 ? -value : value;
}

/** Returns the inverse of `cosh`; NaN below 1. */
export function acosh(x: number): number {
  if (!(x >= 1)) return Number.NaN;
  if (x > LARGE) return log(x) + LN2;
  const t = x - 1;
  return log1p(t + Math.sqrt(2 * t + t * t));
}

/** Returns the inverse of `tanh`; infinite at -1 and 1, NaN beyond them. */
export function atanh(x: number): number {
  const a = Math.abs(x);
  if (!(a >= SMALL)) return x;
  const value = 0.5 * log1p((2 * a) / (1 - a));
  return x < 0 ? -value : value;
}
