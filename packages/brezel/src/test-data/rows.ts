import { elementCount, type Tensor } from '@brezel/core';
import type { OutputLayout } from '@brezel/onnx';
import type { Answer, Row } from '@brezel/runtime';
import type { Received } from './compare.js';
import type { DataValue } from './data-sets.js';
import { testDataError } from './errors.js';
import { isMaps, type Maps } from './maps.js';

/** Rows of a batch, or none: the first axis of every input is the row. A map is one row. */
export function rowsFrom(inputs: ReadonlyMap<string, DataValue | undefined>): Row[] {
  const given = Array.from(inputs, ([name, value]) => [name, value as Tensor | Maps] as const);
  const counts = new Set(given.map(([, value]) => (isMaps(value) ? value.maps.length : value.shape[0])));
  const [count] = counts;
  if (counts.size !== 1 || count === undefined) {
    const shapes = given.map(([name, value]) => `${name} [${isMaps(value) ? 'map' : value.shape}]`).join(', ');
    throw testDataError('ERR_TEST_DATA', { expected: 'inputs of one number of rows', received: shapes });
  }
  return Array.from({ length: count }, (_, row) =>
    Object.fromEntries(
      given.map(([name, value]) => [name, isMaps(value) ? value.maps[row] : rowOf(value, row, count)]),
    ),
  );
}

function rowOf({ shape, data }: Tensor, row: number, rows: number): unknown {
  const width = data.length / rows;
  const values = Array.from(data.slice(row * width, (row + 1) * width) as ArrayLike<number | bigint | string>);
  return shape.length === 1 ? values[0] : values;
}

/**
 * One output of all answers as a tensor. An answer does not tell along which axis the rows lay in the graph (`[1, N]`, `[1, N * 60]`), its layout
 * does; of files without one the elements fill the `wanted` shape. What does not fit is as long as its lists.
 */
export function answersAsTensor(
  answers: readonly Answer[],
  output: string,
  wanted: readonly number[],
  layout?: OutputLayout,
): Received {
  const values = answers.map((answer) => answer[output] as unknown);
  const data = values.flatMap(elements);
  const shape = layout?.shape.map((size, axis) => (axis === layout.axis ? size * answers.length : size)) ?? wanted;
  if (data.length === elementCount(shape)) return { shape, data };
  const lists = [answers.length];
  for (let value = values[0]; isList(value); value = value[0]) lists.push(value.length);
  return { shape: lists, data };
}

const isList = (value: unknown): value is ArrayLike<unknown> =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));

function elements(value: unknown): (number | bigint | string)[] {
  if (isList(value)) return Array.from(value).flatMap(elements);
  if (typeof value === 'boolean') return [value ? 1 : 0];
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string') return [value];
  throw testDataError('ERR_TEST_DATA', { expected: 'an output of numbers or text', received: typeof value });
}
