import { type DenseBlock, dense, type ReferenceKernel } from '@brezel/core';

/**
 * Returns [0 - s, s]. It computes 0 - s and not -s, so that both results are +0 for a score of +0,
 * as in the two linear models that `mirror` replaces.
 */
export const reference: ReferenceKernel = ({ rows, inputs }) => {
  const scores = (inputs[0] as DenseBlock<'float32'>).values;
  return dense(
    'float32',
    rows,
    2,
    Float32Array.from({ length: 2 * rows }, (_, at) => (at % 2 === 0 ? 0 - scores[at / 2]! : scores[(at - 1) / 2]!)),
  );
};
