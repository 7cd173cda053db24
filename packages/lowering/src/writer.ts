import type { NumericArrays, NumericDType } from '@brezel/core';
import { type AttributeValue, makeNode, makeTensor, type NodeProto, type TensorProto } from '@brezel/onnx';

/**
 * Collects the nodes and constants of a graph. A value is represented by its name. Each call adds
 * one node with one output.
 */
export class Writer {
  readonly nodes: NodeProto[] = [];
  readonly constants: TensorProto[] = [];
  /** Multiplications, additions and comparisons for each row. */
  flopsPerRow = 0;
  /** The part of `flopsPerRow` in products with the stage's matrices, which a CPU also needs. */
  productFlopsPerRow = 0;
  #count = 0;

  node(operator: string, inputs: readonly string[], attributes: Readonly<Record<string, AttributeValue>> = {}): string {
    const name = this.#fresh(operator.toLowerCase());
    this.nodes.push(makeNode(operator, inputs, [name], attributes));
    return name;
  }

  constant<D extends NumericDType>(
    hint: string,
    dtype: D,
    shape: readonly number[],
    data: Iterable<number> | NumericArrays[D],
  ): string {
    const name = this.#fresh(hint);
    this.constants.push(makeTensor(name, dtype, shape, arrayOf(dtype, data)));
    return name;
  }

  /** Adds a constant with one number, which is used for all rows and columns. */
  number(value: number): string {
    return this.constant('number', 'float32', [], [value]);
  }

  #fresh(hint: string): string {
    return `${hint}_${this.#count++}`;
  }
}

const makers = {
  float32: (data: Iterable<number>) => Float32Array.from(data),
  int64: (data: Iterable<number>) => BigInt64Array.from(data, BigInt),
  bool: (data: Iterable<number>) => Uint8Array.from(data),
  int32: (data: Iterable<number>) => Int32Array.from(data),
  float64: (data: Iterable<number>) => Float64Array.from(data),
} as const;

const arrayOf = <D extends NumericDType>(dtype: D, data: Iterable<number> | NumericArrays[D]) =>
  (ArrayBuffer.isView(data) && data.constructor === makers[dtype]([]).constructor
    ? data
    : makers[dtype](data as Iterable<number>)) as NumericArrays[D];
