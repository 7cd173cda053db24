import { forShorterFloat } from '@brezel/core';
import { castElement } from '../cast/index.js';
import { formatFloat32, formatFloat64 } from '../format-number/reference.js';
import type { TensorCall } from './define.js';
import { type IntegerElement, integerFormat, isBig, isFloat, rounding, saturated } from './elements.js';
import type { ElementType } from './tensor.js';

/** An element in memory. */
export type Element = number | bigint | string;

/** Decimal notation with optional sign and exponent. */
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
/** Reading digits takes quadratic time: more than any type holds go through float64. */
const WHOLE = /^[+-]?\d{1,40}$/;
const SPECIAL = /^(?:([+-]?)inf(?:inity)?|[+-]?nan)$/i;

/** The number that a text stands for; whole ones that integers are made of are exact. */
function parse(text: string, to: ElementType, call: TensorCall): number | bigint {
  const trimmed = text.trim();
  if (WHOLE.test(trimmed) && !isFloat(to)) return BigInt(trimmed.replace('+', ''));
  if (DECIMAL.test(trimmed)) return Number(trimmed);
  const special = SPECIAL.exec(trimmed);
  if (special === null)
    throw call.fault(`the text '${text}' as ${to}`, "numbers look like '3.14', '1e-5', 'NaN', '-INF'");
  if (special[1] === undefined) return Number.NaN;
  return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** As the row operator `format-number` writes it. Bools are 1 and 0. */
function print(value: Element, from: ElementType): string {
  if (!isFloat(from)) return String(value);
  return from === 'float64' ? formatFloat64(value as number) : formatFloat32(value as number);
}

/**
 * A number as an element of the type: integers keep their low bits, floats are truncated and stay in the range; NaN is the least int32 or int64, as
 * in the row operator `cast`, and 0 of the others.
 */
function fromNumber(value: number | bigint, to: ElementType): Element {
  if (to === 'bool') return castElement(value, to);
  if (isFloat(to)) {
    const isShorter = typeof value === 'bigint' && to !== 'float64';
    return rounding(to)(isShorter ? forShorterFloat(value) : Number(value));
  }
  const { bits, signed } = integerFormat[to as IntegerElement];
  if (Number.isNaN(value) && (to === 'int32' || to === 'int64')) return castElement(value, to);
  const whole = typeof value === 'bigint' ? value : saturated(value, to as IntegerElement);
  const low = signed ? BigInt.asIntN(bits, whole) : BigInt.asUintN(bits, whole);
  return isBig(to) ? low : Number(low);
}

/** How elements of one type become elements of another: ONNX Cast. */
export function conversion(from: ElementType, to: ElementType, call: TensorCall): (value: Element) => Element {
  if (from === to) return (value) => value;
  if (to === 'string') return (value) => print(value, from);
  if (from === 'string') return (text) => fromNumber(parse(text as string, to, call), to);
  if (isFloat(from)) return (value) => fromNumber(value as number, to);
  return (value) => fromNumber(BigInt(value as number), to);
}
