import { dense, numericArray, type ReferenceKernel, strings } from '@brezel/core';

export const reference: ReferenceKernel = ({ rows, parameters }) => {
  const row = parameters.row!;
  if (row.dtype === 'string') {
    const values = Array.from({ length: rows }, () => row.values).flat();
    return strings(rows, row.values.length, values);
  }
  const values = numericArray(row.dtype, rows * row.data.length);
  for (let at = 0; at < rows; at++) values.set(row.data as never, at * row.data.length);
  return dense(row.dtype, rows, row.data.length, values as never);
};
