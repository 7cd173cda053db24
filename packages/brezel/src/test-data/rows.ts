import { elementCount, type Tensor } from '@brezel/core';
import type { OutputLayout } from '@brezel/onnx';
import type { Answer, Row } from '@brezel/runtime';
import type { Received } from './compare.js';
import type { DataValue } from './data-sets.js';
import { testDataError } from './errors.js';
import { isMaps, type Maps } from './maps.js';

/** Converts a batch to rows. The first axis of every input counts the rows; a map is one row. */
export function rowsFrom(inputs: ReadonlyMap<string, DataValue | undefined>): Row[] {
  const values = Array.from(inputs, ([name, value]) => [name, value as Tensor | Maps] as const);
  const counts = new Set(values.map(([, value]) => (isMaps(value) ? value.maps.length : value.shape[0])));
  const [count] = counts;
  if (counts.size !== 1 || count === undefined) {
    const shapes = values.map(([name, value]) => `${name} [${isMaps(value) ? 'map' : value.shape}]`).join(', ');
    throw testDataError('ERR_TEST_DATA', { expected: 'inputs with the same number of rows', received: shapes });
  }
  return Array.from({ length: count }, (_, row) =>
    Object.fromEntries(
      values.map(([name, value]) => [name, isMaps(value) ? value.maps[row] : rowOf(value, row, count)]),
    ),
  );
}

function rowOf({ shape, data }: Tensor, row: number, rows: number): unknown {
  const width = data.length / rows;
  const values = Array.from(data.slice(row * width, (row + 1) * width) as ArrayLike<number | bigint | string>);
  return shape.length === 1 ? values[0] : values;
}

/**
 * Returns one output of all answers as a tensor.
 *
 * The output of the graph may contain an axis for the rows, for example `[1, N]` or `[1, N * 60]`.
 * `layout` describes this axis. If the output has no such axis, it is the same for all rows, and
 * only the first answer is used. Without `layout`, the tensor has the shape `wanted`. If the number
 * of elements does not match the shape, the first axis holds the rows. Each further axis is then a
 * level of the nested lists in an answer.
 */
export function answersAsTensor(
  answers: readonly Answer[],
  output: string,
  wanted: readonly number[],
  layout?: OutputLayout,
): Received {
  const values = answers.map((answer) => answer[output] as unknown);
  const isSame = layout !== undefined && layout.axis === undefined;
  const data = (isSame ? values.slice(0, 1) : values).flatMap(elements);
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
