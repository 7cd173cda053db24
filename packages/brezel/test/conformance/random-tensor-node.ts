import { type ElementType, elementArray, elementCount, type NumericElement, type Tensor } from '@brezel/core';
import { type AttributeValue, makeNode, type NodeProto } from '@brezel/onnx';
import fc from 'fast-check';

/** A node and its inputs. */
export interface TensorNode {
  readonly node: NodeProto;
  /** The inputs. An omitted optional input is undefined. */
  readonly inputs: readonly (Tensor | undefined)[];
  /** The operator set. Default: 20. */
  readonly opset?: number;
  /** The relative tolerance, for sums in another order. Default: the answers must be equal. */
  readonly tolerance?: number;
}

export type Attributes = Readonly<Record<string, AttributeValue>>;

export const nodeOf = (
  operator: string,
  inputs: readonly (Tensor | undefined)[],
  attributes: Attributes = {},
  outputs = ['y'],
  domain = '',
): TensorNode => ({
  node: makeNode(
    operator,
    inputs.map((input, at) => (input === undefined ? '' : `x${at}`)),
    outputs,
    attributes,
    domain,
  ),
  inputs,
});

/** Scrambled elements 0 to 10, so that neighbors differ and some elements are equal. */
export function filled(shape: readonly number[], element: ElementType = 'float32'): Tensor {
  const count = elementCount(shape);
  const numbers = Array.from({ length: count }, (_, at) => (at * 7) % 11);
  if (element === 'string') return { element, shape, data: numbers.map((number) => `s${number}`) };
  const data = elementArray(element as NumericElement, count);
  numbers.forEach((number, at) => {
    data[at] = (element === 'int64' ? BigInt(number) : element === 'bool' ? number % 2 : number) as never;
  });
  return { element, shape, data } as Tensor;
}

export const int64 = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor => ({
  element: 'int64',
  shape,
  data: BigInt64Array.from(values, BigInt),
});
export const ints = (values: readonly number[]): AttributeValue => ({ ints: values });

export const shapes = (least: number, most = 4) =>
  fc.array(fc.integer({ min: 1, max: 4 }), { minLength: least, maxLength: most });
export const shapesWithZero = (least: number, most = 4) =>
  fc.array(fc.integer({ min: 0, max: 4 }), { minLength: least, maxLength: most });
export const elements = fc.constantFrom<ElementType>('float32', 'int64', 'int32', 'string');
export const axisOf = (rank: number) => fc.integer({ min: -rank, max: rank - 1 });
export const front = (axis: number, rank: number) => (axis < 0 ? axis + rank : axis);
export const indexOf = (size: number) => fc.integer({ min: -size, max: size - 1 });
export const listOf = <T>(element: fc.Arbitrary<T>, length: number) =>
  fc.array(element, { minLength: length, maxLength: length });
/** Returns a list with one entry per size. */
export const each = <T>(sizes: readonly number[], entry: (size: number) => fc.Arbitrary<T>) =>
  fc.tuple(...sizes.map(entry)) as fc.Arbitrary<T[]>;

export type Family = readonly [name: string, nodes: fc.Arbitrary<TensorNode>];
