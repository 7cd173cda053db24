import { type DenseBlock, dense, type ReferenceKernel, sizeOf } from '@brezel/core';
import { coveredUnder, greatestPosition } from '@brezel/tensors';
import { readWindows, tensorWindows } from '../conv/windows.js';

/** Applies the tensor operator MaxPool to each row. A row is one image. */
export const reference: ReferenceKernel = ({ rows, inputs, attributes, type }) => {
  const { values } = inputs[0] as DenseBlock<'float32'>;
  const windows = readWindows('max-pool', attributes);
  const pools = coveredUnder(tensorWindows(windows));
  const [size, count] = [windows.size[0] * windows.size[1], pools.starts.length - 1];
  const greatest = Float32Array.from({ length: rows * sizeOf(type) }, (_, at) => {
    const base = Math.floor(at / count) * size;
    return values[base + greatestPosition(values, base, pools, at % count)]!;
  });
  return dense('float32', rows, sizeOf(type), greatest);
};
