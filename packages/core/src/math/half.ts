/** Converts the bits of IEEE 754 half floats to float32, exactly. */
export function fromFloat16(bits: Uint16Array): Float32Array<ArrayBuffer> {
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

/** Converts the bits of bfloat16 to float32, exactly. They are the upper half of a float32. */
export function fromBfloat16(bits: Uint16Array): Float32Array<ArrayBuffer> {
  const wide = Uint32Array.from(bits, (value) => value << 16);
  return new Float32Array(wide.buffer);
}

/**
 * Converts float32 values to the bits of half floats. The caller must pass only values that a half
 * float represents exactly.
 */
export function toFloat16(values: Float32Array): Uint16Array<ArrayBuffer> {
  return Uint16Array.from(values, halfBits);
}

function halfBits(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (size === Number.POSITIVE_INFINITY) return sign | 0x7c00;
  if (size < 2 ** -14) return sign | (size * 2 ** 24);
  const exponent = Math.floor(Math.log2(size));
  return sign | ((exponent + 15) << 10) | (size * 2 ** (10 - exponent) - 1024);
}

/**
 * Converts float32 values to the bits of bfloat16. The caller must pass only values that a bfloat16
 * represents exactly.
 */
export function toBfloat16(values: Float32Array): Uint16Array {
  return Uint16Array.from(new Uint32Array(new Float32Array(values).buffer), (bits) => bits >>> 16);
}
