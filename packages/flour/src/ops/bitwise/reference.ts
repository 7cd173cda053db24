import { type DenseBlock, dense, numericArray, type ReferenceKernel, sizeOf } from '@brezel/core';
import { operandReader } from '../arithmetic/operands.js';

/** In the order of the kernel's attribute, of bits without a sign. */
export const functions = {
  and: (a: bigint, b: bigint) => a & b,
  or: (a: bigint, b: bigint) => a | b,
  xor: (a: bigint, b: bigint) => a ^ b,
  shiftLeft: (a: bigint, b: bigint, bits: number) => (b < bits ? a << b : 0n),
  shiftRight: (a: bigint, b: bigint, bits: number) => (b < bits ? a >> b : 0n),
} as const;

export type BitFunction = keyof typeof functions;

export const reference: ReferenceKernel = (call) => {
  const { dtype } = call.inputs[0] as DenseBlock<'int64' | 'int32'>;
  const bits = dtype === 'int64' ? 64 : 32;
  const apply = functions[call.attributes.function as BitFunction];
  const read = operandReader<number | bigint>(call);
  const size = sizeOf(call.type);
  const values = numericArray(dtype, call.rows * size);
  for (let at = 0; at < values.length; at++) {
    const [a, b] = read(Math.floor(at / size), at % size).map((value) => BigInt.asUintN(bits, BigInt(value)));
    const result = BigInt.asIntN(bits, apply(a!, b!, bits));
    values[at] = (dtype === 'int64' ? result : Number(result)) as never;
  }
  return dense(dtype, call.rows, size, values as never);
};
