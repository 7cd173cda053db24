import { dense, type ReferenceKernel, sizeOf } from '@brezel/core';
import { operandReader } from '../arithmetic/operands.js';

type Element = number | bigint | string;

/** In the order of the kernel's attribute. */
export const comparisons = {
  greater: (a: Element, b: Element) => a > b,
  less: (a: Element, b: Element) => a < b,
  equal: (a: Element, b: Element) => a === b,
  greaterOrEqual: (a: Element, b: Element) => a >= b,
  lessOrEqual: (a: Element, b: Element) => a <= b,
} as const;

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
