import { type DenseBlock, dense, type FastKernel } from '@brezel/core';
import { float32View } from './float32-view.js';

/**
 * Multiplies each value by the weight of its column (native/README.md: `weight`). A sparse result
 * shares the ids of its input.
 */
export const weight: FastKernel = ({ inputs, parameters }) => {
  const weights = float32View(parameters[0]!);
  const input = inputs[0]!;
  if (input.kind === 'sparse') {
    const values = new Float32Array(input.values.length);
    for (let entry = 0; entry < values.length; entry++)
      values[entry] = input.values[entry]! * weights[input.ids[entry]!]!;
    return { ...input, values };
  }
  const { rows, size, values: from } = input as DenseBlock<'float32'>;
  const values = new Float32Array(rows * size);
  for (let first = 0; first < values.length; first += size) {
    for (let column = 0; column < size; column++) values[first + column] = from[first + column]! * weights[column]!;
  }
  return dense('float32', rows, size, values);
};
