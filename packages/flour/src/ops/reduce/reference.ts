import { type DenseBlock, dense, exp, log, type ReferenceKernel } from '@brezel/core';

/** In the order of the kernel's attribute. Sums run in plain float32 order; log-sum-exp in float64 after subtracting the greatest. */
export const reductions = {
  sum: (values: Float32Array) => values.reduce((sum, value) => Math.fround(sum + value), 0),
  mean: (values: Float32Array) => Math.fround(reductions.sum(values) / values.length),
  max: (values: Float32Array) => values.reduce((most, value) => (value > most ? value : most), values[0]!),
  logSumExp(values: Float32Array): number {
    const most = reductions.max(values);
    if (most === Number.NEGATIVE_INFINITY || most === Number.POSITIVE_INFINITY) return most;
    return most + log(values.reduce((sum, value) => sum + exp(value - most), 0));
  },
};

export type Reduction = keyof typeof reductions;

export const reference: ReferenceKernel = ({ rows, inputs, attributes }) => {
  const { values, size } = inputs[0] as DenseBlock<'float32'>;
  const reduce: (row: Float32Array) => number = reductions[attributes.reduction as Reduction];
  return dense(
    'float32',
    rows,
    1,
    Float32Array.from({ length: rows }, (_, row) => reduce(values.subarray(row * size, (row + 1) * size))),
  );
};
