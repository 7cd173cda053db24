import { dense, type ReferenceKernel, type StringBlock } from '@brezel/core';

/** Returns the position of a text among the keys, from 1, or 0 for another text. */
export const reference: ReferenceKernel = ({ rows, inputs, parameters }) => {
  const { keys } = parameters;
  if (keys?.dtype !== 'string') throw new TypeError('key-map parameters');
  const places = new Map(keys.values.map((key, at) => [key, BigInt(at + 1)]));
  const found = (inputs[0] as StringBlock).values.map((value) => places.get(value) ?? 0n);
  return dense('int64', rows, 1, BigInt64Array.from(found));
};
