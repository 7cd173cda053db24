import { type DenseBlock, dense, type ReferenceKernel } from '@brezel/core';

/**
 * Computes (x - offset) * factor. Integers are rounded to float32 first. Float64 numbers are
 * computed in float64 and rounded at the end.
 */
export const scaleRows: ReferenceKernel = ({ rows, inputs, parameters }) => {
  const block = inputs[0] as DenseBlock;
  const [offset, factor] = ['offset', 'factor'].map((name) => (parameters[name] as { data: Float32Array }).data);
  const round = block.dtype === 'float64' ? (x: number) => x : Math.fround;
  const values = Float32Array.from({ length: block.values.length }, (_, at) => {
    const column = at % block.size;
    const difference = round(round(Number(block.values[at]!)) - offset![offset!.length === 1 ? 0 : column]!);
    return round(difference * factor![factor!.length === 1 ? 0 : column]!);
  });
  return dense('float32', rows, block.size, values);
};
