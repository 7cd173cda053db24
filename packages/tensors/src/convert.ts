import { forShorterFloat, isSmallFloat } from '@brezel/core';
import type { TensorCall } from './define.js';
import {
  exponentOf,
  type IntegerElement,
  integerFormat,
  isBig,
  isFloat,
  rounding,
  roundShort,
  saturated,
} from './elements.js';
import { roundHalfEven } from './round.js';
import { castElement } from './shared/cast-element.js';
import { formatFloat32, formatFloat64 } from './shared/format-number.js';
import type { ElementType } from './tensor.js';

/** An element of a tensor as a JavaScript value. */
export type Element = number | bigint | string;

/** Matches a decimal number with an optional sign and exponent. */
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
/**
 * Matches numbers that may be parsed as integers. Parsing takes quadratic time, so numbers with
 * more digits than any integer type holds are parsed as float64.
 */
const WHOLE = /^[+-]?\d{1,40}$/;
const SPECIAL = /^(?:([+-]?)inf(?:inity)?|[+-]?nan)$/i;

/** Parses a number. Whole numbers for integer types are exact. */
function parse(text: string, to: ElementType, call: TensorCall): number | bigint {
  const trimmed = text.trim();
  if (WHOLE.test(trimmed) && !isFloat(to)) return BigInt(trimmed.replace('+', ''));
  if (DECIMAL.test(trimmed)) return Number(trimmed);
  const special = SPECIAL.exec(trimmed);
  if (special === null)
    throw call.fault(`the text '${text}' as ${to}`, "a number such as '3.14', '1e-5', 'NaN' or '-INF'");
  if (special[1] === undefined) return Number.NaN;
  return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** Formats a number like the row operator `format-number`. Bools are 1 and 0. */
function print(value: Element, from: ElementType): string {
  if (!isFloat(from)) return String(value);
  return from === 'float64' ? formatFloat64(value as number) : formatFloat32(value as number);
}

/** How ONNX Cast converts a number to an 8-bit float. */
export interface FloatCast {
  /** Whether numbers out of range and infinities become the greatest number of the type. */
  readonly saturate: boolean;
  /** How to round to a power of two in `float8e8m0`. `nearest` rounds ties up. */
  readonly roundMode: 'up' | 'down' | 'nearest';
}

const plainCast: FloatCast = { saturate: true, roundMode: 'up' };

function toFloat(value: number, to: ElementType, { saturate, roundMode }: FloatCast): number {
  if (to === 'float8e8m0') return powerOfTwo(value, saturate, roundMode);
  if (isSmallFloat(to)) return roundShort(to, value, saturate);
  return rounding(to)(value);
}

/** Rounds the magnitude of a number to a power of two from 2^-127 to 2^127. The sign is ignored. */
function powerOfTwo(value: number, saturate: boolean, roundMode: FloatCast['roundMode']): number {
  const size = Math.abs(value);
  if (Number.isNaN(size)) return size;
  const below = size === 0 || !Number.isFinite(size) ? size : 2 ** exponentOf(size);
  const goesUp = size > below && (roundMode === 'up' || (roundMode === 'nearest' && size >= 1.5 * below));
  const power = goesUp ? 2 * below : below;
  if (power >= 2 ** -127 && power <= 2 ** 127) return power;
  if (!saturate) return Number.NaN;
  return power < 1 ? 2 ** -127 : 2 ** 127;
}

/**
 * Converts a number to an element of the type. If both are integers, the low bits stay. A float is
 * converted to an integer type as follows:
 *
 * - int32 and types of 64 bits: the float is truncated and saturates.
 * - Other types of 8 bits or more: the float is truncated to an int64, whose low bits stay.
 * - Types of 4 and 2 bits: the float is rounded half to even, and its low bits stay.
 *
 * NaN becomes the least int32 or int64, as in the row operator `cast`, and 0 in other integer
 * types.
 */
function fromNumber(value: number | bigint, to: ElementType, floatCast: FloatCast): Element {
  if (to === 'bool') return Number(castElement(value, 'bool'));
  if (isFloat(to)) {
    const isShorter = typeof value === 'bigint' && to !== 'float64';
    return toFloat(isShorter ? forShorterFloat(value) : Number(value), to, floatCast);
  }
  const { bits, signed } = integerFormat[to as IntegerElement];
  if (Number.isNaN(value) && (to === 'int32' || to === 'int64')) return castElement(value, to);
  const whole = typeof value === 'bigint' ? value : wholeOf(value, to as IntegerElement, bits < 8);
  const low = signed ? BigInt.asIntN(bits, whole) : BigInt.asUintN(bits, whole);
  return isBig(to) ? low : Number(low);
}

function wholeOf(value: number, to: IntegerElement, isSmall: boolean): bigint {
  if (isSmall) return saturated(roundHalfEven(value), 'int64');
  return saturated(value, staying.includes(to) ? to : 'int64');
}

/**
 * Integer types in which floats saturate. In shorter types, floats keep the low bits, as in row
 * programs and on processors.
 */
const staying: readonly IntegerElement[] = ['int32', 'int64', 'uint64'];

/** Returns the conversion between two element types, as in ONNX Cast. */
export function conversion(
  from: ElementType,
  to: ElementType,
  call: TensorCall,
  floatCast: FloatCast = plainCast,
): (value: Element) => Element {
  if (from === to) return (value) => value;
  if (to === 'string') return (value) => print(value, from);
  if (from === 'string') return (text) => fromNumber(parse(text as string, to, call), to, floatCast);
  if (isFloat(from)) return (value) => fromNumber(value as number, to, floatCast);
  return (value) => fromNumber(BigInt(value as number), to, floatCast);
}
