// IEEE 754 half precision. Node 20 has no Float16Array.

const EXPONENT_BIAS = 15;
const FRACTION = 2 ** 10;
const SMALLEST_STEP = 2 ** -24;
const EXPONENT_MASK = 0x1f;
const INFINITE = 0x7c00;
const NOT_A_NUMBER = 0x7e00;

/** Returns the number that a half-precision float represents, from its 16 bits. */
export function numberOfHalf(bits: number): number {
  const sign = bits >> 15 === 0 ? 1 : -1;
  const exponent = (bits >> 10) & EXPONENT_MASK;
  const fraction = bits & (FRACTION - 1);
  if (exponent === EXPONENT_MASK) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * fraction * SMALLEST_STEP;
  return sign * (1 + fraction / FRACTION) * 2 ** (exponent - EXPONENT_BIAS);
}

/**
 * Returns the 16 bits of the half-precision float that is nearest to a number. If two are equally
 * near, returns the even one.
 */
export function halfOf(number: number): number {
  if (Number.isNaN(number)) return NOT_A_NUMBER;
  const sign = number < 0 || Object.is(number, -0) ? 0x8000 : 0;
  const size = Math.abs(number);
  if (size >= 65_520) return sign | INFINITE; // halfway between the greatest half float and 2^16
  const exponent = Math.max(Math.floor(Math.log2(size)), 1 - EXPONENT_BIAS);
  const step = 2 ** exponent / FRACTION;
  const steps = roundedToEven(size / step); // may reach the next power of two, which carries over
  if (size < 2 ** (1 - EXPONENT_BIAS)) return sign | steps;
  return sign | (((exponent + EXPONENT_BIAS) << 10) + steps - FRACTION);
}

function roundedToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}
