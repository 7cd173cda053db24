import { type Block, dense, exp, log, scalar, type ValueType, vector } from '@brezel/core';

/**
 * The outputs of classifiers that compute a likelihood for each class. The kernel receives the
 * index of an output.
 */
export const posteriorOutputs = ['joint', 'logProbability', 'probability', 'class', 'logLikelihood'] as const;

/**
 * What a classifier that computes likelihoods returns. `joint`: for each class, the logarithm of
 * the joint likelihood of row and class. `probability`: the probability of each class for this row.
 * `logProbability`: the logarithm of this probability. `class`: the index of the most likely class,
 * or the first of several. `logLikelihood`: the log likelihood of the row.
 */
export type PosteriorOutput = (typeof posteriorOutputs)[number];

export function posteriorType(output: PosteriorOutput, classes: number): ValueType {
  if (output === 'class') return scalar('int64');
  return vector('float32', output === 'logLikelihood' ? 1 : classes);
}

/**
 * Computes the output of a classifier from the joint log likelihoods of each row. Computes in
 * float64 and rounds once to float32.
 */
export function posteriorBlock(output: PosteriorOutput, joint: readonly Float64Array[], classes: number): Block {
  const rows = joint.length;
  if (output === 'class')
    return dense(
      'int64',
      rows,
      1,
      BigInt64Array.from(joint, (row) => BigInt(firstGreatest(row))),
    );
  const values = joint.map((row) => {
    if (output === 'joint') return [...row];
    const { top, logSum } = logSumExp(row);
    if (output === 'logLikelihood') return [top + logSum];
    return Array.from(row, (one) => (output === 'probability' ? exp(one - top - logSum) : one - top - logSum));
  });
  return dense('float32', rows, output === 'logLikelihood' ? 1 : classes, Float32Array.from(values.flat()));
}

function firstGreatest(values: Float64Array): number {
  return values.reduce((best, value, at) => (value > values[best]! ? at : best), 0);
}

/**
 * Returns log(sum of e^value) as two numbers whose sum is the result. To subtract the result from a
 * value precisely, subtract `top` first and then `logSum`.
 */
function logSumExp(values: Float64Array): { top: number; logSum: number } {
  const top = values[firstGreatest(values)]!;
  if (Math.abs(top) === Number.POSITIVE_INFINITY) return { top, logSum: 0 };
  return { top, logSum: log(values.reduce((sum, value) => sum + exp(value - top), 0)) };
}
