/** Below it every integer is a float64. */
const EXACT = 2n ** 53n;
const STICKY = 11n; // bits below the 53 of a float64, for integers of 64

/**
 * A 64-bit integer as a float64 that rounds to a shorter float as the integer itself does. Number(value) would round twice: it may fall on the middle
 * between two floats that the integer is not on. Here the last bit tells that something was cut off.
 */
export function forShorterFloat(value: bigint): number {
  if (value > -EXACT && value < EXACT) return Number(value);
  const cut = BigInt.asUintN(Number(STICKY), value) === 0n ? 0n : 1n;
  return Number((value >> STICKY) | cut) * 2 ** Number(STICKY);
}
