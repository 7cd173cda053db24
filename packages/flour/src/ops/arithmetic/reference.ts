import { type DenseBlock, dense, numericArray, type ReferenceKernel, RowError, sizeOf } from '@brezel/core';
import { floatOperations, integerOperations } from '@brezel/tensors';
import { operandReader } from './operands.js';

/** The operations on floats, by name. Kernels receive the index of an operation. */
export const operations = floatOperations;

/** The operations that exist only for integers. They read the bits of an integer as unsigned. */
export const unsignedOperations = ['unsignedDivide', 'unsignedRemainder'] as const;

/** The name of an operation of `Flow.arithmetic`. */
export type Operation = keyof typeof operations | (typeof unsignedOperations)[number];

type Whole = 'int64' | 'int32';

const unsigned = (value: bigint, dtype: Whole) => BigInt.asUintN(dtype === 'int64' ? 64 : 32, value);

/**
 * The operations on integers. Results wrap around when they are stored, and divisions truncate
 * towards 0.
 */
const onIntegers: Readonly<Record<Operation, (a: bigint, b: bigint, dtype: Whole) => bigint>> = {
  ...integerOperations,
  power: (a, b, dtype) => integerOperations.power(a, b, dtype === 'int64' ? 64 : 32),
  unsignedDivide: (a, b, dtype) => unsigned(a, dtype) / unsigned(b, dtype),
  unsignedRemainder: (a, b, dtype) => unsigned(a, dtype) % unsigned(b, dtype),
};

const dividing: ReadonlySet<Operation> = new Set(['divide', 'modulo', 'remainder', ...unsignedOperations]);

export const reference: ReferenceKernel = (call) => {
  const { dtype } = call.inputs[0] as DenseBlock;
  const name = call.attributes.operation as Operation;
  const read = operandReader<number | bigint>(call);
  const size = sizeOf(call.type);
  const values = numericArray(dtype, call.rows * size);
  for (let at = 0; at < values.length; at++) {
    const row = Math.floor(at / size);
    const [a, b] = read(row, at % size);
    if (dtype === 'float32' || dtype === 'float64') {
      values[at] = operations[name as keyof typeof operations](a as number, b as number);
      continue;
    }
    if (dividing.has(name) && Number(b) === 0) throw new RowError(row, { received: 'an integer divided by 0' });
    const whole = BigInt.asIntN(64, onIntegers[name](BigInt(a), BigInt(b), dtype as Whole));
    values[at] = (dtype === 'int64' ? whole : Number(BigInt.asIntN(32, whole))) as never;
  }
  return dense(dtype, call.rows, size, values as never);
};
