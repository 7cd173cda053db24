import { dense, type ReferenceKernel, sizeOf } from '@brezel/core';
import { operandReader } from '../arithmetic/operands.js';

/** In the order of the kernel's attribute; a bool is 0 or 1. */
export const connectives = {
  and: (a: number, b: number) => a & b,
  or: (a: number, b: number) => a | b,
  xor: (a: number, b: number) => a ^ b,
} as const;

export type Connective = keyof typeof connectives;

export const reference: ReferenceKernel = (call) => {
  const connect = connectives[call.attributes.connective as Connective];
  const read = operandReader<number>(call);
  const size = sizeOf(call.type);
  const values = Uint8Array.from({ length: call.rows * size }, (_, at) =>
    connect(...read(Math.floor(at / size), at % size)),
  );
  return dense('bool', call.rows, size, values);
};
