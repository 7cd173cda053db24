import { type DenseBlock, dense, numericArray, type ReferenceKernel, RowError } from '@brezel/core';

/** Integer types that have no values of their own here: bits, and whether there is a sign. */
export const narrowTypes = {
  int8: { bits: 8, signed: true },
  uint8: { bits: 8, signed: false },
  int16: { bits: 16, signed: true },
  uint16: { bits: 16, signed: false },
  uint32: { bits: 32, signed: false },
  uint64: { bits: 64, signed: false },
} as const;
export type NarrowType = keyof typeof narrowTypes;

/** The low bits of each integer, as the narrow type reads them. Checked, they are the integer itself, or its row is refused. */
export const reference: ReferenceKernel = ({ inputs, type, attributes }) => {
  const block = inputs[0] as DenseBlock<'int64'>;
  const { bits, signed } = narrowTypes[attributes.to as NarrowType];
  const kept = (value: bigint) => (signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value));
  const dtype = (type as { dtype: 'int32' | 'int64' }).dtype;
  const values = numericArray(dtype, block.values.length);
  block.values.forEach((value, at) => {
    if (attributes.checked === true && kept(value) !== value)
      throw new RowError(Math.floor(at / block.size), { received: `${value}, which is no ${attributes.to}` });
    values[at] = (dtype === 'int64' ? kept(value) : Number(kept(value))) as never;
  });
  return dense(dtype, block.rows, block.size, values as never);
};
