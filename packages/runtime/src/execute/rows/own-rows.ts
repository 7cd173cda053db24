import type { Clock, InputPort } from '@brezel/core';
import { inSlices } from '../slices.js';
import { admit, type Column, type Row, type RowSchema } from './row-schema.js';

/** Estimated nanoseconds to check and copy a row. */
const COPY_NANOS = 2000;

/**
 * Copies the values of rows in slices, so that several readers of a row get the same values. The
 * first rows are read before the function returns its promise.
 *
 * @param rows a list that does not change
 * @param first index of the first row in the request, for error messages
 * @param check called between slices. It throws when the call has ended.
 */
export async function ownRows(
  clock: Clock,
  schema: RowSchema,
  rows: readonly Row[],
  first: number,
  check: () => void,
): Promise<Row[]> {
  const own: Row[] = [];
  await inSlices(clock, rows.length, COPY_NANOS, (from, to) => {
    check();
    for (let at = from; at < to; at++) own.push(ownRow(schema, rows[at]!, first + at));
  });
  return own;
}

/**
 * Returns a row with the values that the caller's row has now. If the caller's row is invalid now,
 * reading the result throws the error of this row: the caller may make the row valid later, and
 * then some readers would get an error and others an answer.
 *
 * @param index index of the row in the request, for error messages
 */
export function ownRow(schema: RowSchema, row: Row, index: number): Row {
  if (schema.inputs.every(({ unused }) => unused)) return row; // without values that could change
  try {
    return rowOf(schema.inputs, admit(schema, [row], index));
  } catch (error) {
    return failingRow(error);
  }
}

/** Returns a row with the values of columns that contain one row. */
function rowOf(inputs: readonly InputPort[], columns: readonly Column[]): Row {
  const fields = Object.create(null); // a plan may have an input with the name `__proto__`
  inputs.forEach(({ name, type, unused }, at) => {
    if (unused) return;
    const column = columns[at]!;
    const values = Array.isArray(column) ? (column as unknown[]).map(ownText) : column;
    fields[name] = type.kind === 'scalar' || type.kind === 'dictionary' ? values[0] : values;
  });
  return fields as Row;
}

/** Copies a text that consists of bytes. `admit` has copied all other values. */
const ownText = (value: unknown): unknown => (value instanceof Uint8Array ? value.slice() : value);

/** Returns an object that throws an error when its fields are listed or read. */
function failingRow(error: unknown): Row {
  const fail = () => {
    throw error;
  };
  return new Proxy({}, { get: fail, ownKeys: fail }) as Row;
}
