import { type DenseBlock, exp, log, type ReferenceKernel, sigmoid, tanh } from '@brezel/core';

/** Functions of one number, in the order of the kernel's attribute. Computed in float64; float32 values are rounded by the store. */
export const functions = {
  exp,
  log,
  sigmoid,
  tanh,
  relu: (x: number) => (x > 0 || Number.isNaN(x) ? x : 0),
  negate: (x: number) => -x,
  abs: Math.abs,
  sqrt: Math.sqrt,
  reciprocal: (x: number) => 1 / x,
  sign: Math.sign,
  floor: Math.floor,
  ceil: Math.ceil,
} as const;

export type MapFunction = keyof typeof functions;

export const reference: ReferenceKernel = ({ inputs, attributes }) => {
  const block = inputs[0] as DenseBlock<'float32' | 'float64'>;
  const apply = functions[attributes.function as MapFunction];
  return { ...block, values: block.values.map((value) => apply(value)) };
};
