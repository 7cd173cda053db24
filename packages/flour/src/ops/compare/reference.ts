import { dense, type ReferenceKernel, sizeOf } from '@brezel/core';
import { operandReader } from '../arithmetic/operands.js';

/** In the order of the kernel's attribute. */
export const comparisons = {
  greater: (a: number, b: number) => a > b,
  less: (a: number, b: number) => a < b,
  equal: (a: number, b: number) => a === b,
  greaterOrEqual: (a: number, b: number) => a >= b,
  lessOrEqual: (a: number, b: number) => a <= b,
} as const;

export type Comparison = keyof typeof comparisons;

export const reference: ReferenceKernel = (call) => {
  const compare = comparisons[call.attributes.comparison as Comparison];
  const read = operandReader(call);
  const size = sizeOf(call.type);
  const values = Uint8Array.from({ length: call.rows * size }, (_, at) =>
    compare(...read(Math.floor(at / size), at % size)) ? 1 : 0,
  );
  return dense('bool', call.rows, size, values);
};
