import { type DenseBlock, dense, exp, type ReferenceKernel } from '@brezel/core';

export const isolationOutputs = ['pathLength', 'score', 'decision', 'label'] as const;
/** Names the output of `Flow.isolationForest`. */
export type IsolationOutput = (typeof isolationOutputs)[number];

/**
 * Computes from the summed path lengths of a row: score = -2^-(sum / (trees * expected)), decision
 * = score - offset, in float64, rounded once. Trees of one sample expect a length of 0; the
 * quotient is then 1, as in scikit-learn.
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
