/** Every integer with a smaller absolute value is exact in float64. */
const EXACT = 2n ** 53n;
const STICKY = 11n; // a 64-bit integer has 11 bits more than the 53 bits of a float64

/**
 * Converts a 64-bit integer to a float64 number that can be rounded once more. Rounding it to a
 * shorter float such as float32 gives the same result as rounding the integer itself.
 *
 * `Number(value)` would round twice: its result can be exactly halfway between two short floats
 * when the integer is not. This function sets the last bit of the float64 if it cut off nonzero
 * bits, so the second rounding has the right direction.
 */
export function forShorterFloat(value: bigint): number {
  if (value > -EXACT && value < EXACT) return Number(value);
  const cut = BigInt.asUintN(Number(STICKY), value) === 0n ? 0n : 1n;
  return Number((value >> STICKY) | cut) * 2 ** Number(STICKY);
}

const GREATEST_INT64 = 2n ** 63n - 1n;

/**
 * Converts an integer of an answer to an int64. An answer may contain 2^63, because rounding to
 * float64 changes the largest int64, 2^63 - 1, to 2^63. This function returns 2^63 - 1 for it.
 */
export function int64Of(value: number | bigint): bigint {
  const integer = BigInt(value);
  return integer > GREATEST_INT64 ? GREATEST_INT64 : integer;
}
