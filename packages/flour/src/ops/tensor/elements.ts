import type { ElementType, NumericElement } from './tensor.js';

export const floats = ['float32', 'float64', 'float16', 'bfloat16'] as const;
export const signedIntegers = ['int8', 'int16', 'int32', 'int64'] as const;
export const unsignedIntegers = ['uint8', 'uint16', 'uint32', 'uint64'] as const;
export const integers = [...signedIntegers, ...unsignedIntegers] as const;
/** All but bools and strings. */
export const numbers = [...floats, ...integers] as const;
export const everyElement = [...numbers, 'bool', 'string'] as const;

/** Whether the type's elements are bigints in memory. */
export const isBig = (element: ElementType): element is 'int64' | 'uint64' =>
  element === 'int64' || element === 'uint64';

export const isFloat = (element: ElementType): element is (typeof floats)[number] =>
  (floats as readonly ElementType[]).includes(element);

/** Bits, and whether the first is a sign. */
export const integerFormat = {
  int8: { bits: 8, signed: true },
  int16: { bits: 16, signed: true },
  int32: { bits: 32, signed: true },
  int64: { bits: 64, signed: true },
  uint8: { bits: 8, signed: false },
  uint16: { bits: 16, signed: false },
  uint32: { bits: 32, signed: false },
  uint64: { bits: 64, signed: false },
} as const satisfies Partial<Record<NumericElement, { bits: number; signed: boolean }>>;

export type IntegerElement = keyof typeof integerFormat;

/** The least and greatest value of an integer type. */
export function integerRange(element: IntegerElement): readonly [least: bigint, most: bigint] {
  const { bits, signed } = integerFormat[element];
  return signed ? [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n] : [0n, 2n ** BigInt(bits) - 1n];
}

/** A float64 as an integer of the type: truncated, NaN as 0, at most the range. */
export function saturated(value: number, element: IntegerElement): bigint {
  const [least, most] = integerRange(element);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 0n : value > 0 ? most : least;
  const whole = BigInt(Math.trunc(value));
  return whole < least ? least : whole > most ? most : whole;
}

/** Binary formats shorter than float32: bits of the significand with the hidden one, exponent of the least normal number, greatest number. */
const shortFloats = {
  float16: { precision: 11, leastExponent: -14, greatest: 65504 },
  bfloat16: { precision: 8, leastExponent: -126, greatest: 2 ** 127 * (2 - 2 ** -7) },
} as const;

const scratch = new Float64Array(1);
const words = new Uint32Array(scratch.buffer); // little endian: words[1] holds sign and exponent

/** The nearest value of a 16-bit float type, halves to even; what is too large becomes infinite. */
export function roundShort(element: 'float16' | 'bfloat16', value: number): number {
  if (value === 0 || !Number.isFinite(value)) return value;
  const { precision, leastExponent, greatest } = shortFloats[element];
  scratch[0] = value;
  const exponent = Math.max(((words[1]! >>> 20) & 0x7ff) - 1023, leastExponent);
  // Above 2^52 units of the last place, float64 has no bits left for less than one of them: the sum rounds to even.
  const shift = 1.5 * 2 ** (52 + exponent - precision + 1);
  const rounded = value + shift - shift;
  if (Math.abs(rounded) > greatest) return value < 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return rounded === 0 && value < 0 ? -0 : rounded;
}

/** How a float64 becomes a value of the float type. */
export function rounding(element: ElementType): (value: number) => number {
  if (element === 'float16' || element === 'bfloat16') return (value) => roundShort(element, value);
  return element === 'float32' ? Math.fround : (value) => value;
}

/** Rounds data that was just made to values of its element type, in place: 16-bit floats lie in float32. */
export function roundTo<A extends { [at: number]: number; readonly length: number }>(element: ElementType, data: A): A {
  if (element !== 'float16' && element !== 'bfloat16') return data;
  for (let at = 0; at < data.length; at++) (data as Record<number, number>)[at] = roundShort(element, data[at]!);
  return data;
}
