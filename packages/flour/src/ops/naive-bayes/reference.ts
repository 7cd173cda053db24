import type { DenseBlock, ReferenceKernel, SparseBlock } from '@brezel/core';
import { entriesOf } from '@brezel/tensors';
import { type PosteriorOutput, posteriorBlock } from '../../posterior.js';

/**
 * Computes the joint log likelihood of each class: the float64 sum of `value * weight` over the
 * row's entries in order, plus the bias. With a threshold, an entry above the threshold counts as
 * 1, and other entries are skipped.
 */
export const reference: ReferenceKernel = ({ rows, inputs, attributes, parameters }) => {
  const weights = (parameters.weights as { data: Float64Array | Float32Array }).data;
  const bias = (parameters.bias as { data: Float64Array }).data;
  const classes = bias.length;
  const threshold = attributes.binarize as number | null;
  const joint = Array.from({ length: rows }, (_, row) => {
    const sums = new Float64Array(classes);
    for (const [feature, value] of rowEntries(inputs[0] as SparseBlock | DenseBlock<'float32'>, row)) {
      if (threshold !== null && !(value > threshold)) continue;
      for (let one = 0; one < classes; one++) {
        const weight = weights[feature * classes + one]!;
        sums[one] = sums[one]! + (threshold === null ? value * weight : weight);
      }
    }
    return sums.map((sum, one) => sum + bias[one]!);
  });
  return posteriorBlock(attributes.output as PosteriorOutput, joint, classes);
};

function* rowEntries(
  block: SparseBlock | DenseBlock<'float32'>,
  row: number,
): Generator<readonly [feature: number, value: number]> {
  if (block.kind === 'sparse') return yield* entriesOf(block, row);
  for (let column = 0; column < block.size; column++) yield [column, block.values[row * block.size + column]!];
}
