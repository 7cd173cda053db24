import { isSmallFloat, type SmallFloat, smallFloats } from '@brezel/core';
import type { ElementType, NumericElement } from './tensor.js';

export const floats = ['float32', 'float64', 'float16', 'bfloat16'] as const;
export const signedIntegers = ['int8', 'int16', 'int32', 'int64'] as const;
export const unsignedIntegers = ['uint8', 'uint16', 'uint32', 'uint64'] as const;
export const integers = [...signedIntegers, ...unsignedIntegers] as const;
/** All element types except bools and strings. */
export const numbers = [...floats, ...integers] as const;
/**
 * Integers of less than a byte. Operators can move, cast and quantize them, but have no arithmetic
 * for them. The same is true for floats of 8 and 4 bits.
 */
export const smallIntegers = ['int4', 'uint4', 'int2', 'uint2'] as const;
export const everyElement = [...numbers, 'bool', 'string', ...smallIntegers, ...smallFloats] as const;

/** Returns whether elements of the type are bigints in memory. */
export const isBig = (element: ElementType): element is 'int64' | 'uint64' =>
  element === 'int64' || element === 'uint64';

export const isFloat = (element: ElementType): element is (typeof floats)[number] | SmallFloat =>
  (floats as readonly ElementType[]).includes(element) || isSmallFloat(element);

/** For each integer type, its number of bits and whether it is signed. */
export const integerFormat = {
  int8: { bits: 8, signed: true },
  int16: { bits: 16, signed: true },
  int32: { bits: 32, signed: true },
  int64: { bits: 64, signed: true },
  uint8: { bits: 8, signed: false },
  uint16: { bits: 16, signed: false },
  uint32: { bits: 32, signed: false },
  uint64: { bits: 64, signed: false },
  int4: { bits: 4, signed: true },
  uint4: { bits: 4, signed: false },
  int2: { bits: 2, signed: true },
  uint2: { bits: 2, signed: false },
} as const satisfies Partial<Record<NumericElement, { bits: number; signed: boolean }>>;

export type IntegerElement = keyof typeof integerFormat;

type IntegerRange = readonly [least: bigint, most: bigint];

/** The ranges of all integer types. Casts look up a range for each element. */
const integerRanges = new Map<string, IntegerRange>(
  Object.entries(integerFormat).map(([element, { bits, signed }]) => {
    const values = 2n ** BigInt(bits);
    return [element, signed ? [-values / 2n, values / 2n - 1n] : [0n, values - 1n]];
  }),
);

/** Returns the least and greatest value of an integer type. */
export const integerRange = (element: IntegerElement): IntegerRange => integerRanges.get(element)!;

/** Converts a float64 to an integer of the type: truncates, saturates, and maps NaN to 0. */
export function saturated(value: number, element: IntegerElement): bigint {
  const [least, most] = integerRange(element);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 0n : value > 0 ? most : least;
  const whole = BigInt(Math.trunc(value));
  return whole < least ? least : whole > most ? most : whole;
}

/** Float types shorter than float32, except `float8e8m0`, which has powers of two only. */
export type ShortFloat = 'float16' | 'bfloat16' | Exclude<SmallFloat, 'float8e8m0'>;

/**
 * The formats of floats shorter than float32. Each has the number of bits of the significand (with
 * the hidden bit), the exponent of the least normal number, and the greatest number. `beyond`
 * replaces a number that is too large.
 */
const shortFloats = {
  float16: { precision: 11, leastExponent: -14, greatest: 65504, beyond: 'infinity' },
  bfloat16: { precision: 8, leastExponent: -126, greatest: 2 ** 127 * (2 - 2 ** -7), beyond: 'infinity' },
  float8e4m3fn: { precision: 4, leastExponent: -6, greatest: 448, beyond: 'nan' },
  float8e4m3fnuz: { precision: 4, leastExponent: -7, greatest: 240, beyond: 'nan' },
  float8e5m2: { precision: 3, leastExponent: -14, greatest: 57344, beyond: 'infinity' },
  float8e5m2fnuz: { precision: 3, leastExponent: -15, greatest: 57344, beyond: 'nan' },
  float4e2m1: { precision: 2, leastExponent: 0, greatest: 6, beyond: 'greatest' },
} as const satisfies Record<ShortFloat, unknown>;

const scratch = new Float64Array(1);
const words = new Uint32Array(scratch.buffer); // little-endian: words[1] holds sign and exponent

/**
 * Returns the exponent of the greatest power of two that is not greater than the magnitude of a
 * normal float64.
 */
export function exponentOf(value: number): number {
  scratch[0] = value;
  return ((words[1]! >>> 20) & 0x7ff) - 1023;
}

/**
 * Rounds to the nearest value of a short float type, half to even. A number out of range becomes
 * infinity, or NaN if the type has no infinity, or the greatest number if the type has neither.
 * With `saturate`, it becomes the greatest number.
 */
export function roundShort(element: ShortFloat, value: number, saturate = false): number {
  const { precision, leastExponent, greatest } = shortFloats[element];
  if (!Number.isFinite(value)) return beyond(element, value, saturate);
  const exponent = Math.max(exponentOf(value), leastExponent);
  // Adds a number so large that the last bit of the sum is the last bit of the short float. The
  // addition then rounds half to even, and the subtraction restores the value.
  const shift = 1.5 * 2 ** (52 + exponent - precision + 1);
  const rounded = value + shift - shift;
  if (Math.abs(rounded) > greatest) return beyond(element, value, saturate);
  if (rounded !== 0) return rounded;
  const isNegative = value < 0 || Object.is(value, -0);
  return isNegative && !element.endsWith('uz') ? -0 : 0;
}

/**
 * Returns the element of a short float type that replaces NaN, an infinity or a number out of
 * range.
 */
function beyond(element: ShortFloat, value: number, saturate: boolean): number {
  const { greatest, beyond: becomes } = shortFloats[element];
  if (Number.isNaN(value)) return becomes === 'greatest' ? greatest : value;
  if (saturate || becomes === 'greatest') return Math.sign(value) * greatest;
  return becomes === 'nan' ? Number.NaN : Math.sign(value) * Number.POSITIVE_INFINITY;
}

const isShort = (element: ElementType): element is ShortFloat => Object.hasOwn(shortFloats, element);

/** Returns the function that rounds a float64 to the float type `element`. */
export function rounding(element: ElementType): (value: number) => number {
  if (isShort(element)) return (value) => roundShort(element, value);
  return element === 'float32' ? Math.fround : (value) => value;
}

/**
 * Rounds each number of `data` in place to the element type. Arrays of 16-bit floats hold float32
 * numbers.
 */
export function roundTo<A extends { [at: number]: number; readonly length: number }>(element: ElementType, data: A): A {
  if (!isShort(element)) return data;
  for (let at = 0; at < data.length; at++) (data as Record<number, number>)[at] = roundShort(element, data[at]!);
  return data;
}
