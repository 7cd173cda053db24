import {
  type DenseBlock,
  dense,
  type NumericParameter,
  numericArray,
  type ReferenceKernel,
  sizeOf,
} from '@brezel/core';
import { choices } from './choices.js';

/** The element of `yes` where the condition holds, else that of `no`. */
export const reference: ReferenceKernel = ({ rows, inputs, attributes, parameters, type }) => {
  const size = sizeOf(type);
  const [condition, ...flows] = inputs as readonly [DenseBlock, ...DenseBlock[]];
  const element = (block: DenseBlock) => (row: number, column: number) =>
    block.values[row * block.size + (block.size === 1 ? 0 : column)]!;
  const constant =
    ({ data }: NumericParameter) =>
    (_row: number, column: number) =>
      data[data.length === 1 ? 0 : column]!;
  const [yes, no] = choices.map((name) =>
    attributes[name] === 'constant' ? constant(parameters[name] as NumericParameter) : element(flows.shift()!),
  );
  const holds = element(condition);
  const { dtype } = type as { dtype: DenseBlock['dtype'] };
  const values = numericArray(dtype, rows * size);
  for (let at = 0; at < values.length; at++) {
    const [row, column] = [Math.floor(at / size), at % size];
    values[at] = (holds(row, column) ? yes : no)!(row, column) as never;
  }
  return dense(dtype, rows, size, values as never);
};
