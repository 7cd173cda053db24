import { type DenseBlock, dense, type ReferenceKernel, sizeOf } from '@brezel/core';

export const combinations = ['average', 'vote'] as const;

/**
 * Combines scores. `average`: sum(weight * score) over the models in order, divided by the sum of
 * the weights, rounded to float32 after each operation. `vote`: the weight of each model is added
 * to the class to which the model gives the greatest score. If several classes have this score, it
 * is added to the first of them.
 */
export const reference: ReferenceKernel = ({ rows, inputs, type, attributes, parameters }) => {
  const weights = (parameters.weights as { data: Float32Array }).data;
  const total = weights.reduce((sum, weight) => Math.fround(sum + weight), 0);
  const size = sizeOf(type);
  const out = new Float32Array(rows * size);
  for (let row = 0; row < rows; row++) {
    const answer = out.subarray(row * size, (row + 1) * size);
    inputs.forEach((input, member) => {
      const scores = (input as DenseBlock<'float32'>).values.subarray(row * size, (row + 1) * size);
      if (attributes.combine === 'vote') {
        const choice = scores.reduce((best, score, at) => (score > scores[best]! ? at : best), 0);
        answer[choice] = answer[choice]! + weights[member]!;
      } else {
        scores.forEach((score, at) => {
          answer[at] = answer[at]! + Math.fround(score * weights[member]!);
        });
      }
    });
    if (attributes.combine === 'average') answer.forEach((sum, at) => (answer[at] = sum / total));
  }
  return dense('float32', rows, size, out);
};
