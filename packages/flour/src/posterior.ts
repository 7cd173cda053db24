import { type Block, dense, exp, log, scalar, type ValueType, vector } from '@brezel/core';

/** The outputs of a generative classifier. The index is the attribute of its kernel. */
export const posteriorOutputs = ['joint', 'logProbability', 'probability', 'class', 'logLikelihood'] as const;

/**
 * `joint`: log likelihood of row and class, per class. `logProbability`, `probability`: the
 * probability of each class given the row. `class`: index of the greatest joint likelihood, the
 * first of equals. `logLikelihood`: log likelihood of the row over all classes.
 */
export type PosteriorOutput = (typeof posteriorOutputs)[number];

export function posteriorType(output: PosteriorOutput, classes: number): ValueType {
  if (output === 'class') return scalar('int64');
  return vector('float32', output === 'logLikelihood' ? 1 : classes);
}

/**
 * Computes the answers from the joint log likelihoods, one list per row. Computed in float64 and
 * rounded to float32 once.
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
 * Returns the logarithm of the sum of the exponentials, in two parts that must be added. To keep
 * precision, subtract `top` from a likelihood first, then `logSum`.
 */
function logSumExp(values: Float64Array): { top: number; logSum: number } {
  const top = values[firstGreatest(values)]!;
  if (Math.abs(top) === Number.POSITIVE_INFINITY) return { top, logSum: 0 };
  return { top, logSum: log(values.reduce((sum, value) => sum + exp(value - top), 0)) };
}
