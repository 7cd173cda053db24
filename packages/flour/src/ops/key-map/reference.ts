import { dense, type ReferenceKernel, type StringBlock } from '@brezel/core';

/**
 * Returns the position of a text in the list of keys, counted from 1. Returns 0 for a text that is
 * not in the list.
 */
export const reference: ReferenceKernel = ({ rows, inputs, parameters }) => {
  const { keys } = parameters;
  if (keys?.dtype !== 'string') throw new TypeError('key-map parameters');
  const places = new Map(keys.values.map((key, at) => [key, BigInt(at + 1)]));
  const found = (inputs[0] as StringBlock).values.map((value) => places.get(value) ?? 0n);
  return dense('int64', rows, 1, BigInt64Array.from(found));
};
