import { type DenseBlock, dense, exp, log, type ReferenceKernel, sizeOf } from '@brezel/core';

/** Greatest and least: a number that is none stays if it comes first. In the order of the kernel's attribute. Sums run in plain float32 order; log-sum-exp in float64 after subtracting the greatest. */
export const reductions = {
  sum: (values: Float32Array) => values.reduce((sum, value) => Math.fround(sum + value), 0),
  mean: (values: Float32Array) => Math.fround(reductions.sum(values) / values.length),
  max: (values: Float32Array) => values.reduce((most, value) => (value > most ? value : most), values[0]!),
  logSumExp(values: Float32Array): number {
    const most = reductions.max(values);
    if (most === Number.NEGATIVE_INFINITY || most === Number.POSITIVE_INFINITY) return most;
    return most + log(values.reduce((sum, value) => sum + exp(value - most), 0));
  },
  product: (values: Float32Array) => values.reduce((all, value) => Math.fround(all * value), 1),
  sumOfSquares: (values: Float32Array) => reductions.sum(values.map((value) => value * value)),
  min: (values: Float32Array) => values.reduce((least, value) => (value < least ? value : least), values[0]!),
  sumOfAbsolutes: (values: Float32Array) => reductions.sum(values.map(Math.abs)),
  length: (values: Float32Array) => Math.sqrt(reductions.sumOfSquares(values)),
};

/** ONNX operators by what they mean. */
export const onnxReductions: Readonly<Record<string, Reduction>> = {
  ReduceSum: 'sum',
  ReduceMean: 'mean',
  ReduceMax: 'max',
  ReduceLogSumExp: 'logSumExp',
  ReduceProd: 'product',
  ReduceSumSquare: 'sumOfSquares',
  ReduceMin: 'min',
  ReduceL1: 'sumOfAbsolutes',
  ReduceL2: 'length',
};

export type Reduction = keyof typeof reductions;

export const reference: ReferenceKernel = ({ rows, inputs, attributes, type }) => {
  const { values, size: columns } = inputs[0] as DenseBlock<'float32'>;
  const parts = sizeOf(type);
  const size = columns / parts;
  const reduce: (row: Float32Array) => number = reductions[attributes.reduction as Reduction];
  return dense(
    'float32',
    rows,
    parts,
    Float32Array.from({ length: rows * parts }, (_, at) => reduce(values.subarray(at * size, (at + 1) * size))),
  );
};
