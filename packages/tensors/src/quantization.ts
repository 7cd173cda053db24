import { isSmallFloat } from '@brezel/core';
import type { TensorCall } from './define.js';
import { type IntegerElement, integerRange, rounding, roundShort, smallIntegers } from './elements.js';
import { roundHalfEven } from './round.js';
import { type Shape, shown } from './shapes.js';
import { elementCount, type NumericElement } from './tensor.js';

/** Element types that a real number is quantized to. */
const quantizedElements = ['uint8', 'int8', 'uint16', 'int16'] as const;
export type QuantizedElement = (typeof quantizedElements)[number];

/** These, and what QuantizeLinear and DequantizeLinear know besides. */
export const linearElements = [
  ...quantizedElements,
  ...smallIntegers,
  'float8e4m3fn',
  'float8e4m3fnuz',
  'float8e5m2',
  'float8e5m2fnuz',
  'float4e2m1',
] as const;
export type LinearElement = (typeof linearElements)[number];

/**
 * A number with its zero point as an element of the type. Integers: halves to even, at most their range; a NaN is the zero point. Floats: the sum,
 * rounded; what is too large becomes the greatest number, or what a cast makes of it without `saturate`.
 */
export function quantizer(element: LinearElement, saturate = true): (scaled: number, zero: number) => number {
  if (isSmallFloat(element)) return (scaled, zero) => roundShort(element, scaled + zero, saturate);
  const [least, most] = integerRange(element as IntegerElement).map(Number) as [number, number];
  return (scaled, zero) => {
    if (Number.isNaN(scaled)) return zero;
    const whole = roundHalfEven(scaled) + zero;
    return whole < least ? least : whole > most ? most : whole;
  };
}

/** How the scales of a tensor lie beside it: one for all, one an entry of an axis, or one a block of entries of an axis. */
export interface Granularity {
  /** The shape of the scales and zero points, and which of them belongs to element `at`. */
  readonly shape: Shape;
  readonly place: (at: number) => number;
}

/** @param axis counted from the front; `block` is 0 without blocks. */
export function granularityOf(call: TensorCall, shape: Shape, scale: Shape, axis: number, block: number): Granularity {
  if (elementCount(scale) === 1 && scale.length <= 1 && block === 0) return { shape: scale, place: () => 0 };
  const size = shape[axis]!;
  const behind = elementCount(shape.slice(axis + 1));
  const blocks = block === 0 ? size : Math.ceil(size / block);
  const wanted = block === 0 ? [size] : shape.with(axis, blocks);
  if (shown(scale) !== shown(wanted))
    throw call.fault(
      `scales of shape ${shown(scale)} for ${shown(shape)}`,
      `along axis ${axis}${block === 0 ? '' : ` in blocks of ${block}`} they are ${shown(wanted)}`,
    );
  const entry = (at: number) => Math.floor(at / behind) % size;
  if (block === 0) return { shape: scale, place: entry };
  const outer = (at: number) => Math.floor(at / behind / size) * blocks;
  return { shape: scale, place: (at) => (outer(at) + Math.floor(entry(at) / block)) * behind + (at % behind) };
}

/**
 * What a product of quantized numbers is scaled by: `a * b / y` in the precision of the scales, as onnxruntime multiplies them.
 *
 * @see Source: ONNX QLinearMatMul and QLinearConv.
 */
export function productScale(element: NumericElement, a: number, b: number, y: number): number {
  const round = rounding(element);
  return round(round(a * b) / y);
}
