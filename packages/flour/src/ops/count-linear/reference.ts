import { countSum, dense, type ReferenceKernel, type SparseBlock } from '@brezel/core';

/**
 * Adds `count * weight` over all entries of all inputs as integers, so the order does not matter.
 * Converts the sum to float64, multiplies it by the scale, rounds it to float32, and adds the bias.
 */
export const reference: ReferenceKernel = ({ rows, inputs, type, attributes, parameters }) => {
  const bias = (parameters.bias as { data: Float32Array }).data;
  const outputs = bias.length;
  const [scale] = (parameters.scale as { data: Float64Array }).data;
  const each = attributes.occurrences === true;
  const values = new Float32Array(rows * outputs);
  for (let at = 0; at < values.length; at++) {
    const [row, output] = [Math.floor(at / outputs), at % outputs];
    const sum = inputs.reduce((sum, input, branch) => {
      const weights = (parameters[`weights${branch}`] as { data: Int32Array }).data;
      return sum + countSum(input as SparseBlock, row, weights, outputs, output, each);
    }, 0n);
    values[at] = Math.fround(Number(sum) * scale!) + bias[output]!;
  }
  return dense('float32', rows, type.kind === 'vector' ? type.size : 1, values);
};
