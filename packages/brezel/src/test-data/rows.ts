import type { Tensor, TensorValue } from '@brezel/core';
import type { Answer, Row } from '@brezel/runtime';
import type { Received } from './compare.js';
import { testDataError } from './errors.js';

/** Rows of a batch, or none: the first axis of every input is the row. */
export function rowsFrom(inputs: ReadonlyMap<string, TensorValue | undefined>): Row[] {
  const tensors = Array.from(inputs, ([name, value]) => [name, value as Tensor] as const);
  const counts = new Set(tensors.map(([, { shape }]) => shape[0]));
  const [count] = counts;
  if (counts.size !== 1 || count === undefined) {
    const shapes = tensors.map(([name, { shape }]) => `${name} [${shape}]`).join(', ');
    throw testDataError('ERR_TEST_DATA', { expected: 'inputs of one number of rows', received: shapes });
  }
  return Array.from({ length: count }, (_, row) =>
    Object.fromEntries(tensors.map(([name, tensor]) => [name, rowOf(tensor, row, count)])),
  );
}

function rowOf({ shape, data }: Tensor, row: number, rows: number): unknown {
  const width = data.length / rows;
  const values = Array.from(data.slice(row * width, (row + 1) * width) as ArrayLike<number | bigint | string>);
  return shape.length === 1 ? values[0] : values;
}

/**
 * One output of all answers as a tensor; what lists are nested in one row are its axes. An answer does not tell along which axis the rows lay in the
 * graph (`[1, N]`, `[1, N * 60]`): where the elements, row after row, fill the `wanted` shape, that is it.
 */
export function answersAsTensor(answers: readonly Answer[], output: string, wanted: readonly number[]): Received {
  const values = answers.map((answer) => answer[output] as unknown);
  const data = values.flatMap(elements);
  if (data.length === wanted.reduce((all, size) => all * size, 1)) return { shape: wanted, data };
  const shape = [answers.length];
  for (let value = values[0]; isList(value); value = value[0]) shape.push(value.length);
  return { shape, data };
}

const isList = (value: unknown): value is ArrayLike<unknown> =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));

function elements(value: unknown): (number | bigint | string)[] {
  if (isList(value)) return Array.from(value).flatMap(elements);
  if (typeof value === 'boolean') return [value ? 1 : 0];
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string') return [value];
  throw testDataError('ERR_TEST_DATA', { expected: 'an output of numbers or text', received: 'names with numbers' });
}
