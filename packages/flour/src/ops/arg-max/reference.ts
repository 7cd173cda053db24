import { type DenseBlock, dense, type ReferenceKernel, sizeOf } from '@brezel/core';
import { type BestOptions, bestIndex } from '@brezel/tensors';

/**
 * Divides each row into parts of the same size and returns, for each part, the index of its largest
 * or smallest element. Calls the function that also defines ArgMax and ArgMin of tensor programs.
 */
export const reference: ReferenceKernel = ({ rows, inputs, attributes, type }) => {
  const { values, size: columns } = inputs[0] as DenseBlock;
  const parts = sizeOf(type);
  const size = columns / parts;
  const { least = false, last = false } = attributes as Partial<BestOptions>;
  const found = BigInt64Array.from({ length: rows * parts }, (_, part) =>
    BigInt(bestIndex(size, (index) => values[part * size + index]!, { least, last })),
  );
  return dense('int64', rows, parts, found);
};
