import type { NumericArrays, NumericDType } from '@brezel/core';
import { type AttributeValue, makeNode, makeTensor, type NodeProto, type TensorProto } from '@brezel/onnx';

/**
 * Builds an ONNX graph. Each call of `node` adds a node with one output and returns the name of the
 * output.
 */
export class Writer {
  readonly nodes: NodeProto[] = [];
  readonly constants: TensorProto[] = [];
  /** Multiplications, additions and comparisons for each row. */
  flopsPerRow = 0;
  /**
   * The part of `flopsPerRow` that multiplies matrices of the model. The CPU needs this arithmetic
   * too.
   */
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

  /** Adds a constant with one number, which ONNX broadcasts over rows and columns. */
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
