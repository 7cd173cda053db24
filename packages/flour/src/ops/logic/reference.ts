import { dense, type ReferenceKernel, sizeOf } from '@brezel/core';
import { connectives } from '@brezel/tensors';
import { operandReader } from '../arithmetic/operands.js';

/** The name of an operation on two bools. */
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
