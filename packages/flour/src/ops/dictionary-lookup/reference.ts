import {
  type Dictionary,
  type DictionaryBlock,
  dense,
  type NumericDType,
  numericArray,
  type ReferenceKernel,
  RowError,
  sizeOf,
  strings,
} from '@brezel/core';

/**
 * Returns the value under each key, in the order of the keys. If a row has another key, ignores the
 * key or rejects the row.
 */
export const reference: ReferenceKernel = ({ rows, inputs, type, attributes, parameters }) => {
  const { keys } = parameters;
  if (keys?.dtype !== 'string') throw new TypeError('dictionary-lookup parameters');
  const block = inputs[0] as DictionaryBlock;
  const size = sizeOf(type);
  const dtype = (type as { dtype: NumericDType | 'string' }).dtype;
  if (attributes.unknown === 'error') refuseUnknown(block.values, new Set(keys.values));
  const found = block.values.flatMap((entries) => keys.values.map((key) => entries.get(key)));
  if (dtype === 'string')
    return strings(
      rows,
      size,
      found.map((value) => (value as string | undefined) ?? (attributes.otherwise as string)),
    );
  const values = numericArray(dtype, rows * size);
  found.forEach((value, at) => {
    if (value !== undefined) values[at] = value as never;
  });
  return dense(dtype, rows, size, values);
};

function refuseUnknown(rows: readonly Dictionary[], keys: ReadonlySet<string>): void {
  rows.forEach((entries, row) => {
    for (const key of entries.keys())
      if (!keys.has(key)) throw new RowError(row, { received: `the key ${JSON.stringify(key.slice(0, 40))}` });
  });
}
