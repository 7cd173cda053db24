import { type DenseBlock, dense, type ReferenceKernel, sigmoid } from '@brezel/core';

/**
 * The formulas that compute the scores of both classes from one score. The kernel receives the
 * index of a formula.
 */
export const modes = {
  complement: (s: number): [number, number] => [1 - s, s],
  logistic: (s: number): [number, number] => [sigmoid(-s), sigmoid(s)],
  opposite: (s: number): [number, number] => [0 - s, s],
};

export type BinaryMode = keyof typeof modes;

export const reference: ReferenceKernel = ({ rows, inputs, attributes }) => {
  const scores = (inputs[0] as DenseBlock<'float32'>).values;
  return dense('float32', rows, 2, Float32Array.from([...scores].flatMap(modes[attributes.mode as BinaryMode])));
};
