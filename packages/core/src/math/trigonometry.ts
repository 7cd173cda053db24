// Trigonometric functions and their inverses in float64. `exponential.ts` states their accuracy;
// the C++ twin is `native/primitives/trigonometry.hpp`.

const TWO_OVER_PI = 0.6366197723675814;
// pi / 2 in three parts. k times each of the first two is exact for |k| < 2^20.
const HALF_PI_HIGH = 1.5707963267341256;
const HALF_PI_MIDDLE = 6.077100506303966e-11;
const HALF_PI_LOW = 2.0222662487959506e-21;
const HALF_PI = 1.5707963267948966;
const SIXTH_PI = 0.5235987755982989;
const SQRT3 = 1.7320508075688772;
const TAN_TWELFTH_PI = 0.2679491924311227;

/**
 * Below this |x|, `reduced` subtracts pi / 2 in three parts. For larger x, three parts are not
 * accurate enough.
 */
const NEAR = 2 ** 20;

/** The first 1280 bits of 2 / pi. */
const TWO_OVER_PI_BITS = BigInt(
  '0xa2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea09d1921cfe1deb1cb129a73ee88235f52ebb4484' +
    'e99c7026b45f7e413991d639835339f49c845f8bbdf9283b1ff897ffde05980fef2f118b5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d7527bac7ebe5f17b3d' +
    '0739f78a5292ea6bfb5fb11f8d5d0856033046fc7b6babf0cfbc209af4361d',
);

let quadrant = 0;

/**
 * Subtracts the nearest multiple of pi / 2 from a finite x: returns x - k * pi / 2, and stores the
 * last two bits of k in `quadrant`.
 */
function reduced(x: number): number {
  if (Math.abs(x) >= NEAR) return reducedFar(x);
  const k = Math.floor(x * TWO_OVER_PI + 0.5);
  quadrant = k & 3;
  return x - k * HALF_PI_HIGH - k * HALF_PI_MIDDLE - k * HALF_PI_LOW;
}

const scratch = new Float64Array(1);
const bits = new BigUint64Array(scratch.buffer);
const low = (count: bigint) => (1n << count) - 1n;

/**
 * Computes `reduced` for any x by exact multiplication (Payne and Hanek, 1983). It computes only
 * the bits of x * 2 / pi that it needs: the last two bits before the binary point and 192 bits
 * after it.
 */
function reducedFar(x: number): number {
  scratch[0] = x;
  const exponent = ((bits[0]! >> 52n) & 0x7ffn) - 1075n; // |x| = mantissa * 2^exponent
  const mantissa = (bits[0]! & low(52n)) | (1n << 52n);
  const turns = (mantissa * TWO_OVER_PI_BITS) >> (1280n - exponent - 192n);
  let k = Number((turns >> 192n) & 3n);
  let fraction = turns & low(192n);
  const isAbove = fraction >> 191n === 1n;
  if (isAbove) {
    fraction = (1n << 192n) - fraction;
    k += 1;
  }
  let sum = 0;
  for (
    let part = 3;
    part >= 0;
    part-- // pieces of 48 bits, least significant first
  )
    sum += Number((fraction >> BigInt(144 - 48 * part)) & low(48n)) * 2 ** (-48 * (part + 1));
  const rest = (isAbove ? -sum : sum) * HALF_PI;
  quadrant = (x < 0 ? -k : k) & 3;
  return x < 0 ? -rest : rest;
}

/** Returns the sine of r for |r| <= pi / 4. */
function sinNearZero(r: number): number {
  const z = r * r;
  let p = 1 / 355687428096000;
  p = p * z - 1 / 1307674368000;
  p = p * z + 1 / 6227020800;
  p = p * z - 1 / 39916800;
  p = p * z + 1 / 362880;
  p = p * z - 1 / 5040;
  p = p * z + 1 / 120;
  p = p * z - 1 / 6;
  p = p * z + 1;
  return r * p;
}

/** Returns the cosine of r for |r| <= pi / 4. */
function cosNearZero(r: number): number {
  const z = r * r;
  let p = -1 / 6402373705728000;
  p = p * z + 1 / 20922789888000;
  p = p * z - 1 / 87178291200;
  p = p * z + 1 / 479001600;
  p = p * z - 1 / 3628800;
  p = p * z + 1 / 40320;
  p = p * z - 1 / 720;
  p = p * z + 1 / 24;
  p = p * z - 0.5;
  return p * z + 1;
}

/** Returns the sine of r + k * pi / 2. */
function sinInQuadrant(r: number, k: number): number {
  const value = k & 1 ? cosNearZero(r) : sinNearZero(r);
  return k & 2 ? -value : value;
}

/** Returns the sine of an angle of any size, in radians. */
export function sin(x: number): number {
  if (!Number.isFinite(x)) return Number.NaN;
  const r = reduced(x);
  return sinInQuadrant(r, quadrant);
}

/** Returns the cosine of an angle of any size, in radians. */
export function cos(x: number): number {
  if (!Number.isFinite(x)) return Number.NaN;
  const r = reduced(x);
  return sinInQuadrant(r, quadrant + 1);
}

/** Returns the tangent of an angle of any size, in radians. */
export function tan(x: number): number {
  if (!Number.isFinite(x)) return Number.NaN;
  const r = reduced(x);
  const [sine, cosine] = [sinNearZero(r), cosNearZero(r)];
  return quadrant & 1 ? -cosine / sine : sine / cosine;
}

/** Returns x - x^3 / 3 + x^5 / 5 - ... for |x| <= tan(pi / 12). */
function atanNearZero(x: number): number {
  const z = x * x;
  let p = -1 / 31;
  for (let odd = 29; odd >= 1; odd -= 2) p = p * z + (odd % 4 === 1 ? 1 : -1) / odd;
  return x * p;
}

/**
 * Returns the inverse tangent of 0 <= x <= 1. If x is greater than tan(pi / 12), the result is pi /
 * 6 plus the inverse tangent of a smaller number, for which the series is accurate.
 */
const atanOfUnit = (x: number): number =>
  x <= TAN_TWELFTH_PI ? atanNearZero(x) : SIXTH_PI + atanNearZero((SQRT3 * x - 1) / (SQRT3 + x));

/** Returns the inverse tangent, in [-pi / 2, pi / 2]. */
export function atan(x: number): number {
  const a = Math.abs(x);
  if (!(a > TAN_TWELFTH_PI)) return atanNearZero(x);
  const angle = a <= 1 ? atanOfUnit(a) : HALF_PI - atanOfUnit(1 / a);
  return x < 0 ? -angle : angle;
}

/** Returns the inverse sine, in [-pi / 2, pi / 2]; NaN beyond [-1, 1]. */
export const asin = (x: number): number => atan(x / Math.sqrt((1 - x) * (1 + x)));

/** Returns the inverse cosine, in [0, pi]; NaN beyond [-1, 1]. */
export const acos = (x: number): number => 2 * atan(Math.sqrt((1 - x) / (1 + x)));
