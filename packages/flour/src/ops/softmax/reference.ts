import { type DenseBlock, dense, exp, numericArray, type ReferenceKernel } from '@brezel/core';

/** e^(x - max) over their float64 sum, rounded once to the type of the scores. With `keepZeros`, entries equal to 0 stay 0 and do not count (ONNX-ML SOFTMAX_ZERO). */
export const reference: ReferenceKernel = ({ rows, inputs, attributes }) => {
  const { values, size, dtype } = inputs[0] as DenseBlock<'float32' | 'float64'>;
  const out = numericArray(dtype, values.length);
  for (let row = 0; row < rows; row++) {
    const scores = values.subarray(row * size, (row + 1) * size);
    const max = (scores as Float64Array).reduce((most, score) => (score > most ? score : most), scores[0] ?? 0);
    const stays = (score: number) => attributes.keepZeros === true && score === 0;
    const powers = Array.from(scores, (score) => (stays(score) ? 0 : exp(score - max)));
    const sum = powers.reduce((total, power) => total + power, 0);
    powers.forEach((power, column) => {
      out[row * size + column] = stays(scores[column]!) ? 0 : power / sum;
    });
  }
  return dense(dtype, rows, size, out);
};
