import type { ElementType } from '@brezel/core';
import { type Flow, repeatRow } from '@brezel/flour';
import { integerRange, isFloat } from '@brezel/tensors';
import { onCarrier } from './carried.js';
import { parameterOf } from './constant.js';
import type { RowNode } from './row-node.js';
import type { GraphValue, RowValue } from './value.js';
import { onVectors } from './vectors.js';

// Converts powers whose base and exponent have different or narrow types. They are computed in
// int64 or float64, and converted to the type of the base.

type Integer = Parameters<typeof integerRange>[0];
const narrow = ['int8', 'uint8', 'int16', 'uint16', 'uint32'] as const;
type Narrow = (typeof narrow)[number];
const isNarrow = (element: ElementType): element is Narrow => (narrow as readonly ElementType[]).includes(element);
const plain: readonly ElementType[] = ['float32', 'float64', 'int64', 'int32'];
const known = [...plain, 'uint64', ...narrow];

/**
 * Converts a Pow node whose base and exponent have different or narrow element types: computes the
 * power in wider types.
 *
 * Returns undefined in these cases: the node is not a Pow of opset 12 or later; the mapping of Pow
 * supports both types; a type is unsupported (such as float16); the result in wider types could be
 * wrong; or `onVectors` cannot convert the inputs to vectors.
 */
export function mixedPower(node: RowNode): RowValue | undefined {
  if (node.domain !== '' || node.operator !== 'Pow' || node.opset < 12) return undefined;
  const [base, exponent] = node.inputs.map((value) => value?.element) as [ElementType, ElementType];
  if (plain.includes(exponent) && (base === exponent || isFloat(base))) return undefined;
  const isPositive = isNeverNegative(node.inputs[1]!);
  if (!known.includes(base) || !known.includes(exponent) || !isHeld(base, exponent, isPositive)) return undefined;
  const vectors = onVectors({ ...node, inputs: node.inputs.map((value) => value && onCarrier(value)) });
  if (vectors === undefined) return undefined;
  const [a, b] = flowsOf(vectors.inputs as readonly GraphValue[]);
  const flow =
    isFloat(base) || isFloat(exponent) ? realPower(a!, b!, base) : wholePower(a!, b!, base as Integer, isPositive);
  return { kind: 'row', flow, element: base, dims: vectors.dims, batch: vectors.batch };
}

/**
 * Returns whether flows compute the correct power although they contain a uint64 as the bits of an
 * int64. A base of uint64 is correct if the exponent is an integer and not negative, because then
 * only the low bits matter. An exponent of uint64 is correct if it is a constant below 2^63.
 */
function isHeld(base: ElementType, exponent: ElementType, isPositive: boolean): boolean {
  if (base === 'uint64' && (isFloat(exponent) || !isPositive)) return false;
  return exponent !== 'uint64' || isPositive;
}

function isNeverNegative(exponent: GraphValue): boolean {
  if (exponent.kind === 'row') return exponent.element.startsWith('uint') && exponent.element !== 'uint64';
  return Array.from(exponent.tensor.data as ArrayLike<number | bigint>).every((value) => value >= 0);
}

/** Returns both inputs as vector flows. A constant is broadcast to the size of the other input. */
function flowsOf(inputs: readonly GraphValue[]): Flow<'vector'>[] {
  const beside = inputs.find((input) => input.kind === 'row') as RowValue;
  return inputs.map((input) => {
    if (input.kind === 'row') return input.flow as Flow<'vector'>;
    const constant = parameterOf(input.tensor);
    return repeatRow(beside.flow, { ...constant, shape: [input.tensor.data.length] }) as Flow<'vector'>;
  });
}

/**
 * Computes a power in float64. If the base is an integer, the result is truncated and clamped to
 * the range of its type, and NaN becomes 0.
 */
function realPower(a: Flow<'vector'>, b: Flow<'vector'>, base: ElementType): Flow<'vector'> {
  const power = a.cast('float64').arithmetic('power', b.cast('float64'));
  if (base === 'float32' || base === 'float64') return power.cast(base);
  const number = power.compare('equal', power).where(power, 0);
  if (!isNarrow(base)) return number.cast(base as 'int64' | 'int32') as Flow<'vector'>;
  const [least, most] = integerRange(base).map(Number) as [number, number];
  const held = number.arithmetic('maximum', least).arithmetic('minimum', most);
  return held.cast(base === 'uint32' ? 'int64' : 'int32') as Flow<'vector'>;
}

/**
 * Computes an integer power modulo the type's range. A negative power of 0 is the greatest integer
 * of the base's type.
 */
function wholePower(a: Flow<'vector'>, b: Flow<'vector'>, base: Integer, isPositive: boolean): Flow<'vector'> {
  const [wide, exponent] = [a.cast('int64'), b.cast('int64')] as [Flow<'vector'>, Flow<'vector'>];
  const power = wide.arithmetic('power', exponent);
  if (base === 'int64' || base === 'uint64') return power;
  const held = isNarrow(base) ? power.narrow(base) : power.cast('int32');
  if (isPositive) return held;
  const isPole = exponent.compare('less', 0).logic('and', wide.compare('equal', 0));
  return isPole.where(Number(integerRange(base)[1]), held);
}
