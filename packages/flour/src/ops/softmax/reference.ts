import { type DenseBlock, dense, exp, log, numericArray, type ReferenceKernel } from '@brezel/core';

/**
 * The variants of softmax. The kernel receives the index of a name. `keepZeros` computes
 * SOFTMAX_ZERO of ONNX-ML.
 */
export const softmaxForms = ['plain', 'keepZeros', 'logarithm'] as const;

/**
 * Divides each e^(x - max) by their float64 sum, or computes x - max - log(sum). Rounds the result
 * once to the type of the scores. With `keepZeros`, entries equal to 0 stay 0 and are not part of
 * the sum (ONNX-ML SOFTMAX_ZERO).
 */
export const reference: ReferenceKernel = ({ rows, inputs, attributes }) => {
  const { values, size: columns, dtype } = inputs[0] as DenseBlock<'float32' | 'float64'>;
  const { keepZeros = false, logarithm = false, parts = 1 } = attributes;
  const size = columns / (parts as number);
  const out = numericArray(dtype, values.length);
  for (let from = 0; from < values.length; from += size) {
    const scores = values.subarray(from, from + size);
    const max = (scores as Float64Array).reduce((most, score) => (score > most ? score : most), scores[0] ?? 0);
    const stays = (score: number) => keepZeros === true && score === 0;
    const powers = Array.from(scores, (score) => (stays(score) ? 0 : exp(score - max)));
    const sum = powers.reduce((total, power) => total + power, 0);
    const rest = log(sum);
    scores.forEach((score, at) => {
      out[from + at] = logarithm ? score - max - rest : stays(score) ? 0 : powers[at]! / sum;
    });
  }
  return dense(dtype, rows, columns, out);
};
