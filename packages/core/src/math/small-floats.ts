/** Layout of a float of at most 8 bits: an optional sign, the exponent, the fraction. */
interface SmallFloatFormat {
  /** Total number of bits. */
  readonly bits: 4 | 8;
  readonly fractionBits: number;
  readonly bias: number;
  /**
   * Which bit patterns are not finite numbers:
   * - `none`: no pattern.
   * - `nan`: a pattern whose bits after the sign are all set is NaN.
   * - `infinity`: the patterns with the largest exponent are infinite or NaN, as in IEEE 754.
   * - `unsigned-zero`: the pattern of minus zero is NaN.
   * - `scale`: the pattern with all bits set is NaN. The other patterns are powers of two, without
   *   a sign.
   */
  readonly special: 'none' | 'nan' | 'infinity' | 'unsigned-zero' | 'scale';
}

/**
 * The 8-bit and 4-bit floats of ONNX. `FN`: finite, with a NaN in place of infinities. `UZ`: the
 * bits of minus zero are the only NaN. `E8M0`: a power of two without sign or zero.
 */
const formats = {
  float8e4m3fn: { bits: 8, fractionBits: 3, bias: 7, special: 'nan' },
  float8e4m3fnuz: { bits: 8, fractionBits: 3, bias: 8, special: 'unsigned-zero' },
  float8e5m2: { bits: 8, fractionBits: 2, bias: 15, special: 'infinity' },
  float8e5m2fnuz: { bits: 8, fractionBits: 2, bias: 16, special: 'unsigned-zero' },
  float8e8m0: { bits: 8, fractionBits: 0, bias: 127, special: 'scale' },
  float4e2m1: { bits: 4, fractionBits: 1, bias: 1, special: 'none' },
} as const satisfies Record<string, SmallFloatFormat>;

export type SmallFloat = keyof typeof formats;

export const smallFloats = Object.keys(formats) as readonly SmallFloat[];

export const isSmallFloat = (element: string): element is SmallFloat => Object.hasOwn(formats, element);

// Both tables are filled at first use, because most processes never use these formats.
const tables: Partial<Record<SmallFloat, Float32Array<ArrayBuffer>>> = {};
const patterns: Partial<Record<SmallFloat, Map<number | '-0', number>>> = {};

/** Returns a table with the number for each bit pattern. */
function valuesOf(element: SmallFloat): Float32Array<ArrayBuffer> {
  const format = formats[element];
  tables[element] ??= Float32Array.from({ length: 2 ** format.bits }, (_, pattern) => valueOfPattern(format, pattern));
  return tables[element];
}

function valueOfPattern({ bits, fractionBits, bias, special }: SmallFloatFormat, pattern: number): number {
  if (special === 'scale') return pattern === 0xff ? Number.NaN : 2 ** (pattern - bias);
  const signBit = 1 << (bits - 1);
  const size = pattern & (signBit - 1);
  const [exponent, fraction] = [size >> fractionBits, size & ((1 << fractionBits) - 1)];
  const isLast = exponent === (signBit - 1) >> fractionBits;
  if (special === 'unsigned-zero' && pattern === signBit) return Number.NaN;
  if (special === 'nan' && size === signBit - 1) return Number.NaN;
  const sign = pattern & signBit ? -1 : 1;
  if (special === 'infinity' && isLast) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  const unit = 2 ** (1 - bias - fractionBits);
  return sign * (exponent === 0 ? fraction * unit : ((1 << fractionBits) + fraction) * 2 ** (exponent - 1) * unit);
}

/**
 * Returns the bit pattern of each value. If several patterns are NaN, the map contains the first
 * one. The key of minus zero is `-0` as a text, because a map does not distinguish 0 and -0.
 */
function patternsOf(element: SmallFloat): ReadonlyMap<number | '-0', number> {
  const known = patterns[element];
  if (known !== undefined) return known;
  const created = new Map<number | '-0', number>();
  valuesOf(element).forEach((value, pattern) => {
    const key = Object.is(value, -0) ? '-0' : value;
    if (!created.has(key)) created.set(key, pattern);
  });
  patterns[element] = created;
  return created;
}

/** Converts 8-bit or 4-bit floats (one pattern per byte) to float32, exactly. */
export function fromSmallFloat(element: SmallFloat, bits: Uint8Array): Float32Array<ArrayBuffer> {
  const known = valuesOf(element);
  return Float32Array.from(bits, (pattern) => known[pattern]!);
}

/**
 * Converts float32 values to 8-bit or 4-bit floats, one pattern per byte. The caller must pass only
 * values that the format represents exactly.
 */
export function toSmallFloat(element: SmallFloat, data: Float32Array): Uint8Array<ArrayBuffer> {
  const known = patternsOf(element);
  return Uint8Array.from(data, (value) => known.get(Object.is(value, -0) ? '-0' : value) ?? known.get(0)!);
}

/**
 * Unpacks elements of 4 or 2 bits into one element per byte. The first element is in the lowest
 * bits. `signed` means two's complement.
 */
export function unpackBits(packed: Uint8Array, bits: 2 | 4, count: number, signed: boolean): Uint8Array<ArrayBuffer> {
  const each = 8 / bits;
  const unpacked = new Uint8Array(count);
  for (let at = 0; at < count; at++) {
    const low = (packed[Math.floor(at / each)]! >> ((at % each) * bits)) & (2 ** bits - 1);
    unpacked[at] = signed && low >= 2 ** (bits - 1) ? low - 2 ** bits : low;
  }
  return unpacked;
}

/**
 * Packs elements of 4 or 2 bits, the first in the lowest bits. Unused bits of the last byte are
 * zero.
 */
export function packBits(elements: ArrayLike<number>, bits: 2 | 4): Uint8Array<ArrayBuffer> {
  const each = 8 / bits;
  const packed = new Uint8Array(Math.ceil(elements.length / each));
  for (let at = 0; at < elements.length; at++)
    packed[Math.floor(at / each)]! |= (elements[at]! & (2 ** bits - 1)) << ((at % each) * bits);
  return packed;
}
