import { type DenseBlock, type ReferenceKernel, strings } from '@brezel/core';
import { formatFloat32, formatFloat64 } from '@brezel/tensors';

/** Formats each number as a text. A bool becomes 1 or 0. */
export const reference: ReferenceKernel = ({ rows, inputs }) => {
  const block = inputs[0] as DenseBlock;
  const write = block.dtype === 'float32' ? formatFloat32 : block.dtype === 'float64' ? formatFloat64 : String;
  const texts = Array.from(block.values as ArrayLike<number>, (value) => write(value));
  return strings(rows, block.size, texts);
};
