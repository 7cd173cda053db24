import { type DenseBlock, dense, numericArray, type ReferenceKernel, sizeOf } from '@brezel/core';
import { bitFunctions } from '@brezel/tensors';
import { operandReader } from '../arithmetic/operands.js';

export type BitFunction = keyof typeof bitFunctions;

export const reference: ReferenceKernel = (call) => {
  const { dtype } = call.inputs[0] as DenseBlock<'int64' | 'int32'>;
  const bits = dtype === 'int64' ? 64 : 32;
  const apply = bitFunctions[call.attributes.function as BitFunction];
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
