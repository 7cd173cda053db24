import type { DenseBlock, ReferenceKernel } from '@brezel/core';
import { functions, isShaped, type PlainFunction, shapedFunctions } from '@brezel/tensors';

export const reference: ReferenceKernel = ({ inputs, attributes }) => {
  const block = inputs[0] as DenseBlock<'float32' | 'float64'>;
  const { function: name, alpha = 0, beta = 0 } = attributes as { function: string; alpha?: number; beta?: number };
  const plain = functions[name as PlainFunction];
  const apply = isShaped(name) ? (x: number) => shapedFunctions[name](x, alpha, beta) : plain;
  return { ...block, values: block.values.map((value) => apply(value)) };
};
