import { type DenseBlock, dense, type ReferenceKernel, type SparseBlock, sizeOf } from '@brezel/core';
import { rowProducts } from '@brezel/tensors';

/**
 * Multiplies (x - mean) by the components, with the partial sums of native/README.md section 1.
 * Then divides by the scale.
 */
export const reference: ReferenceKernel = ({ rows, inputs, type, parameters }) => {
  const numbers = (name: string) => (parameters[name] as { data: Float32Array } | undefined)?.data;
  const components = numbers('components')!;
  const [mean, scale] = [numbers('mean'), numbers('scale')];
  const outputs = sizeOf(type);
  const source = inputs[0] as SparseBlock | DenseBlock<'float32'>;
  const block = mean === undefined ? source : centered(source as DenseBlock<'float32'>, mean);
  const values = new Float32Array(rows * outputs);
  for (let row = 0; row < rows; row++) {
    const sums = rowProducts(block, row, components, outputs);
    for (let output = 0; output < outputs; output++)
      values[row * outputs + output] = scale === undefined ? sums[output]! : sums[output]! / scale[output]!;
  }
  return dense('float32', rows, outputs, values);
};

function centered(block: DenseBlock<'float32'>, mean: Float32Array): DenseBlock<'float32'> {
  return { ...block, values: block.values.map((value, at) => value - mean[at % block.size]!) };
}
