/** Returns the remainder of floats with the sign of the divisor, also for 0. */
export function floorModulo(a: number, b: number): number {
  const rest = a % b;
  if (rest === 0) return b < 0 ? -0 : 0;
  return rest < 0 !== b < 0 ? rest + b : rest;
}

/**
 * Returns the low bits of a^b for a signed integer of `bits` bits, by squaring. A negative power is
 * a fraction, which is truncated to 0 unless a is 1 or -1. For a = 0 and a negative power, the
 * result is the greatest integer.
 */
export function integerPower(a: bigint, b: bigint, bits: number): bigint {
  if (b < 0n) {
    if (a === 0n) return 2n ** BigInt(bits - 1) - 1n;
    return a === 1n || a === -1n ? a ** (b & 1n) : 0n;
  }
  let result = 1n;
  let square = a;
  for (let rest = b; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = BigInt.asIntN(bits, result * square);
    square = BigInt.asIntN(bits, square * square);
  }
  return result;
}
