/** Bits of IEEE 754 half floats as float32; exact. */
export function fromFloat16(bits: Uint16Array): Float32Array {
  return Float32Array.from(bits, half);
}

function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Bits of bfloat16, which are the upper half of a float32's; exact. */
export function fromBfloat16(bits: Uint16Array): Float32Array {
  const wide = Uint32Array.from(bits, (value) => value << 16);
  return new Float32Array(wide.buffer);
}
