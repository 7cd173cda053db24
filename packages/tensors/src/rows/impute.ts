import { type DenseBlock, dense, numericArray, type ReferenceKernel } from '@brezel/core';

/**
 * Replaces missing values. A value is missing if it equals `missing`, where NaN equals NaN. If
 * `missing` is empty, as for integers, no value is missing.
 */
export const imputeRows: ReferenceKernel = ({ rows, inputs, parameters }) => {
  const block = inputs[0] as DenseBlock;
  const [values, [missing]] = ['values', 'missing'].map(
    (name) => (parameters[name] as { data: ArrayLike<number | bigint> }).data,
  ) as [ArrayLike<number | bigint>, Iterable<number | bigint>];
  const isMissing = (value: number | bigint) =>
    value === missing || (Number.isNaN(value) && Number.isNaN(missing as number));
  const out = numericArray(block.dtype, block.values.length);
  block.values.forEach((value: number | bigint, at: number) => {
    out[at] = (isMissing(value) ? values[values.length === 1 ? 0 : at % block.size]! : value) as never;
  });
  return dense(block.dtype, rows, block.size, out);
};
