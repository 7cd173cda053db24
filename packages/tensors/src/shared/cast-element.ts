import { forShorterFloat, type NumericDType } from '@brezel/core';

/**
 * Casts one element, as the operator `cast` does. Importers also cast constants with this function.
 */
export function castElement(value: number | bigint, to: NumericDType): number | bigint {
  switch (to) {
    case 'bool':
      return Number(value) !== 0 ? 1 : 0;
    case 'int64':
      return typeof value === 'bigint' ? value : saturated(value, -(2n ** 63n), 2n ** 63n - 1n);
    case 'int32':
      // Integers keep their low bits, as ONNX defines.
      return typeof value === 'bigint'
        ? Number(BigInt.asIntN(32, value))
        : Number(saturated(value, -(2n ** 31n), 2n ** 31n - 1n));
    case 'float32':
      return typeof value === 'bigint' ? Math.fround(forShorterFloat(value)) : value;
    case 'float64':
      return Number(value);
  }
}

function saturated(value: number, least: bigint, most: bigint): bigint {
  if (!Number.isFinite(value)) return value === Number.POSITIVE_INFINITY ? most : least;
  const whole = BigInt(Math.trunc(value));
  return whole < least ? least : whole > most ? most : whole;
}
