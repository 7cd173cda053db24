import { type DenseBlock, dense, numericArray, type ReferenceKernel, RowError } from '@brezel/core';

/**
 * For each integer type that Brezel stores in a wider type: its number of bits, and whether it is
 * signed.
 */
export const narrowTypes = {
  int8: { bits: 8, signed: true },
  uint8: { bits: 8, signed: false },
  int16: { bits: 16, signed: true },
  uint16: { bits: 16, signed: false },
  uint32: { bits: 32, signed: false },
  uint64: { bits: 64, signed: false },
} as const;
/** The name of an integer type to which `Flow.narrow` converts. */
export type NarrowType = keyof typeof narrowTypes;

/**
 * Returns the low bits of each integer as a number of the narrow type. With `checked`, an integer
 * outside the range of the type rejects its row.
 */
export const reference: ReferenceKernel = ({ inputs, type, attributes }) => {
  const block = inputs[0] as DenseBlock<'int64'>;
  const { bits, signed } = narrowTypes[attributes.to as NarrowType];
  const kept = (value: bigint) => (signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value));
  const dtype = (type as { dtype: 'int32' | 'int64' }).dtype;
  const values = numericArray(dtype, block.values.length);
  block.values.forEach((value, at) => {
    if (attributes.checked === true && kept(value) !== value)
      throw new RowError(Math.floor(at / block.size), { received: `${value}, outside the range of ${attributes.to}` });
    values[at] = (dtype === 'int64' ? kept(value) : Number(kept(value))) as never;
  });
  return dense(dtype, block.rows, block.size, values as never);
};
