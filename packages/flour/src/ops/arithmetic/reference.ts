import { dense, type ReferenceKernel, sizeOf } from '@brezel/core';
import { operandReader } from './operands.js';

/** In the order of the kernel's attribute. Float32: the store rounds after the one operation. */
export const operations = {
  add: (a: number, b: number) => a + b,
  subtract: (a: number, b: number) => a - b,
  multiply: (a: number, b: number) => a * b,
  divide: (a: number, b: number) => a / b,
  // What is no number stays so; of equals the first.
  maximum: (a: number, b: number) => (a < b || Number.isNaN(b) ? b : a),
  minimum: (a: number, b: number) => (a > b || Number.isNaN(b) ? b : a),
} as const;

export type Operation = keyof typeof operations;

export const reference: ReferenceKernel = (call) => {
  const operate = operations[call.attributes.operation as Operation];
  const read = operandReader(call);
  const size = sizeOf(call.type);
  const values = Float32Array.from({ length: call.rows * size }, (_, at) =>
    operate(...read(Math.floor(at / size), at % size)),
  );
  return dense('float32', call.rows, size, values);
};
