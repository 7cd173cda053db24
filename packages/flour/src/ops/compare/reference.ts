import { dense, type ReferenceKernel, sizeOf } from '@brezel/core';
import { comparisons } from '@brezel/tensors';
import { operandReader } from '../arithmetic/operands.js';

type Element = number | bigint | string;

export type Comparison = keyof typeof comparisons;

export const reference: ReferenceKernel = (call) => {
  const compare = comparisons[call.attributes.comparison as Comparison];
  const read = operandReader<Element>(call);
  const size = sizeOf(call.type);
  const values = Uint8Array.from({ length: call.rows * size }, (_, at) =>
    compare(...read(Math.floor(at / size), at % size)) ? 1 : 0,
  );
  return dense('bool', call.rows, size, values);
};
