import { type DenseBlock, dense, exp, type ReferenceKernel } from '@brezel/core';

export const isolationOutputs = ['pathLength', 'score', 'decision', 'label'] as const;
/** The names of the numbers that `Flow.isolationForest` can return. */
export type IsolationOutput = (typeof isolationOutputs)[number];

/**
 * Computes score = -2^-(sum / (trees * expected)) and decision = score - offset, where `sum` is the
 * sum of the row's path lengths. Computes in float64 and rounds once. If each tree has only one
 * sample, `expected` is 0 and the quotient counts as 1, as in scikit-learn.
 */
export const reference: ReferenceKernel = ({ rows, inputs, attributes, parameters }) => {
  const [trees, expected, offset] = (parameters.constants as { data: Float64Array }).data as unknown as [
    number,
    number,
    number,
  ];
  const answers = Array.from((inputs[0] as DenseBlock<'float32'>).values, (sum) => {
    const quotient = expected === 0 ? 1 : sum / (trees * expected);
    const score = -exp(-quotient * Math.LN2);
    return { pathLength: sum / trees, score, decision: score - offset, label: score - offset < 0 ? -1 : 1 };
  });
  const output = attributes.output as IsolationOutput;
  if (output === 'label')
    return dense(
      'int64',
      rows,
      1,
      BigInt64Array.from(answers, ({ label }) => BigInt(label)),
    );
  return dense(
    'float32',
    rows,
    1,
    Float32Array.from(answers, (answer) => answer[output]),
  );
};
