import { type IntegerElement, integerFormat, isFloat, saturated } from './elements.js';
import type { NumericElement } from './tensor.js';

/** a^b in float64 as C defines it: 1 to any power is 1, and so is -1 to an infinite one. */
export function floatPower(a: number, b: number): number {
  if (a === 1 || (a === -1 && Math.abs(b) === Number.POSITIVE_INFINITY)) return 1;
  return a ** b;
}

/** a^b in the low bits of the type, b >= 0, by squaring. */
function wholePower(a: bigint, b: bigint, bits: number): bigint {
  let power = 1n;
  let square = a;
  for (let rest = b; rest > 0n; rest >>= 1n) {
    if (rest & 1n) power = BigInt.asIntN(bits, power * square);
    square = BigInt.asIntN(bits, square * square);
  }
  return power;
}

/**
 * How elements of type `base` are raised to powers of type `exponent`; the result has the type of the base. Whole powers of integers wrap around;
 * others go through float64 and are truncated, as Cast does it.
 */
export function powerOf(base: NumericElement, exponent: NumericElement) {
  if (isFloat(base)) return (a: number | bigint, b: number | bigint) => floatPower(Number(a), Number(b));
  const { bits } = integerFormat[base as IntegerElement];
  return (a: number | bigint, b: number | bigint): bigint => {
    if (!isFloat(exponent) && b >= 0) return wholePower(BigInt(a), BigInt(b), bits);
    return saturated(floatPower(Number(a), Number(b)), base as IntegerElement);
  };
}
