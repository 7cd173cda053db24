import { type DenseBlock, dense, type ReferenceKernel, sizeOf } from '@brezel/core';

/** The place of the first greatest of each part, or of the least, or the last of equals; a NaN is never better. */
export const reference: ReferenceKernel = ({ rows, inputs, attributes, type }) => {
  const { values, size: columns } = inputs[0] as DenseBlock;
  const parts = sizeOf(type);
  const size = columns / parts;
  const { least = false, last = false } = attributes;
  const found = new BigInt64Array(rows * parts);
  for (let part = 0; part < found.length; part++) {
    const value = (at: number) => values[part * size + at]!;
    let best = 0;
    for (let at = 1; at < size; at++) {
      const isBetter = least ? value(at) < value(best) : value(at) > value(best);
      if (isBetter || (last && value(at) === value(best))) best = at;
    }
    found[part] = BigInt(best);
  }
  return dense('int64', rows, parts, found);
};
