import {
  type DenseBlock,
  dense,
  dtypeOf,
  type NumericParameter,
  numericArray,
  type ReferenceKernel,
  type StringBlock,
  sizeOf,
  strings,
} from '@brezel/core';
import { choices } from './choices.js';

/** Returns the element of `yes` where the condition is true, otherwise the element of `no`. */
export const reference: ReferenceKernel = ({ rows, inputs, attributes, parameters, type }) => {
  const size = sizeOf(type);
  const [condition, ...flows] = inputs as readonly [DenseBlock, ...(DenseBlock | StringBlock)[]];
  const element = (block: DenseBlock | StringBlock) => (row: number, column: number) =>
    block.values[row * block.size + (block.size === 1 ? 0 : column)]!;
  const constant =
    ({ data }: NumericParameter) =>
    (_row: number, column: number) =>
      data[data.length === 1 ? 0 : column]!;
  const [yes, no] = choices.map((name) =>
    attributes[name] === 'constant' ? constant(parameters[name] as NumericParameter) : element(flows.shift()!),
  );
  const holds = element(condition);
  const taken = (at: number) => {
    const [row, column] = [Math.floor(at / size), at % size];
    return (holds(row, column) ? yes : no)!(row, column);
  };
  const dtype = dtypeOf(type);
  if (dtype === 'string')
    return strings(
      rows,
      size,
      Array.from({ length: rows * size }, (_, at) => taken(at) as string),
    );
  const values = numericArray(dtype, rows * size);
  for (let at = 0; at < values.length; at++) values[at] = taken(at) as never;
  return dense(dtype, rows, size, values as never);
};
