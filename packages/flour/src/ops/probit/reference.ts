import { type DenseBlock, log, type ReferenceKernel } from '@brezel/core';

const A = 0.147;
const PI = 3.14159;
const SQRT2 = 1.41421356;

/** Computes sqrt(2) * erf^-1(2p - 1). */
export const reference: ReferenceKernel = ({ inputs }) => {
  const block = inputs[0] as DenseBlock<'float32'>;
  return { ...block, values: block.values.map(quantile) };
};

function quantile(probability: number): number {
  const x = 2 * probability - 1;
  const logarithm = log((1 - x) * (1 + x));
  const half = 2 / (PI * A) + 0.5 * logarithm;
  const root = Math.sqrt(Math.sqrt(half * half - logarithm / A) - half);
  return SQRT2 * (x < 0 ? -root : root);
}
