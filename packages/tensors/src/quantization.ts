import { isSmallFloat } from '@brezel/core';
import type { TensorCall } from './define.js';
import { type IntegerElement, integerRange, rounding, roundShort, smallIntegers } from './elements.js';
import { roundHalfEven } from './round.js';
import { type Shape, shown } from './shapes.js';
import { elementCount, type NumericElement } from './tensor.js';

/** Element types of quantized numbers. */
const quantizedElements = ['uint8', 'int8', 'uint16', 'int16'] as const;
export type QuantizedElement = (typeof quantizedElements)[number];

/** The element types of quantized numbers in QuantizeLinear and DequantizeLinear. */
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
 * Returns a function that adds a zero point and converts to the type. For integers, the number is
 * rounded half to even before the zero point is added, the sum saturates, and NaN becomes the zero
 * point. For floats, the sum is rounded; a sum out of range becomes the greatest number, or without
 * `saturate` the result of a cast.
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

/**
 * Which elements share a scale: all elements of the tensor, the elements of each entry of an axis,
 * or the elements of several adjacent entries of an axis.
 */
export interface Granularity {
  /** The shape of the scales and of the zero points. */
  readonly shape: Shape;
  /** Returns the index of the scale and of the zero point that belong to element `at`. */
  readonly scaleIndexOf: (at: number) => number;
}

/**
 * Returns which elements share a scale.
 *
 * @param axis counted from the front.
 * @param block number of adjacent entries that share a scale, or 0.
 */
export function granularityOf(call: TensorCall, shape: Shape, scale: Shape, axis: number, block: number): Granularity {
  if (elementCount(scale) === 1 && scale.length <= 1 && block === 0) return { shape: scale, scaleIndexOf: () => 0 };
  const size = shape[axis]!;
  const behind = elementCount(shape.slice(axis + 1));
  const blocks = block === 0 ? size : Math.ceil(size / block);
  const wanted = block === 0 ? [size] : shape.with(axis, blocks);
  if (shown(scale) !== shown(wanted))
    throw call.fault(
      `scales of shape ${shown(scale)} for ${shown(shape)}`,
      `scales of shape ${shown(wanted)} along axis ${axis}${block === 0 ? '' : `, in blocks of ${block}`}`,
    );
  const entry = (at: number) => Math.floor(at / behind) % size;
  if (block === 0) return { shape: scale, scaleIndexOf: entry };
  const outer = (at: number) => Math.floor(at / behind / size) * blocks;
  return { shape: scale, scaleIndexOf: (at) => (outer(at) + Math.floor(entry(at) / block)) * behind + (at % behind) };
}

/**
 * Returns the scale of a product of quantized numbers: `a * b / y` in the precision of the scales,
 * in onnxruntime's order.
 *
 * @see Source: ONNX QLinearMatMul and QLinearConv.
 */
export function productScale(element: NumericElement, a: number, b: number, y: number): number {
  const round = rounding(element);
  return round(round(a * b) / y);
}
