import { power } from '@brezel/core';
import { type IntegerElement, integerFormat, integerRange, isFloat, saturated } from './elements.js';
import { integerPower } from './shared/division.js';
import type { NumericElement } from './tensor.js';

/**
 * Returns the power function of two element types. The result has the base's type. If both types
 * are integers, the power wraps around, and 0 to a negative power is the greatest integer of the
 * type. Other powers are computed in float64. For an integer base, they are then truncated and
 * saturate.
 */
export function powerOf(base: NumericElement, exponent: NumericElement) {
  if (isFloat(base)) return (a: number | bigint, b: number | bigint) => power(Number(a), Number(b));
  const { bits } = integerFormat[base as IntegerElement];
  const [, greatest] = integerRange(base as IntegerElement);
  return (a: number | bigint, b: number | bigint): bigint => {
    if (isFloat(exponent)) return saturated(power(Number(a), Number(b)), base as IntegerElement);
    return b < 0 && Number(a) === 0 ? greatest : integerPower(BigInt(a), BigInt(b), bits);
  };
}
