import { type DenseBlock, dense, numericArray, power, type ReferenceKernel, RowError, sizeOf } from '@brezel/core';
import { floorModulo, integerPower } from '@brezel/tensors';
import { operandReader } from './operands.js';

/** In the order of the kernel's attribute. Of floats: the store rounds after the one operation. */
export const operations = {
  add: (a: number, b: number) => a + b,
  subtract: (a: number, b: number) => a - b,
  multiply: (a: number, b: number) => a * b,
  divide: (a: number, b: number) => a / b,
  // What is no number stays so; of equals the first.
  maximum: (a: number, b: number) => (a < b || Number.isNaN(b) ? b : a),
  minimum: (a: number, b: number) => (a > b || Number.isNaN(b) ? b : a),
  power,
  // The remainder with the sign of the divisor, and the one with the sign of the dividend.
  modulo: floorModulo,
  remainder: (a: number, b: number) => a % b,
} as const;

/** Of integers alone, whose bits they read without a sign. */
export const unsignedOperations = ['unsignedDivide', 'unsignedRemainder'] as const;

export type Operation = keyof typeof operations | (typeof unsignedOperations)[number];

type Whole = 'int64' | 'int32';

const unsigned = (value: bigint, dtype: Whole) => BigInt.asUintN(dtype === 'int64' ? 64 : 32, value);

/** Of integers: they wrap around once they are stored, and are divided towards 0. */
const onIntegers: Readonly<Record<Operation, (a: bigint, b: bigint, dtype: Whole) => bigint>> = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  divide: (a, b) => a / b,
  maximum: (a, b) => (a < b ? b : a),
  minimum: (a, b) => (a > b ? b : a),
  power: (a, b, dtype) => integerPower(a, b, dtype === 'int64' ? 64 : 32),
  modulo: (a, b) => ((a % b) + b) % b,
  remainder: (a, b) => a % b,
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
