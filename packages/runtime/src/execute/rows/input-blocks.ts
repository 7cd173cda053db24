import {
  type Block,
  type Dictionary,
  dense,
  dtypeOf,
  type ErrorDetails,
  type InputPort,
  type NumericDType,
  numericArray,
  sizeOf,
  strings,
} from '@brezel/core';
import { DEFAULT_MAX_INPUT_BYTES, runtimeError, TOO_LONG_HINT, tooLongDictionary } from '../../errors.js';
import { dictionaryBytes } from './dictionaries.js';
import { rowPlace } from './row-place.js';
import { admit, type Column, type Row, wideColumn } from './row-schema.js';

/**
 * Converts rows to the blocks that reference kernels read: one block for each input, in the order
 * of the inputs.
 *
 * @throws ERR_RUNTIME_INPUT with the index of a row that does not match the schema.
 */
export function rowBlocks(inputs: readonly InputPort[], rows: readonly Row[]): Block[] {
  const columns = admit({ inputs }, rows);
  return inputs.map((port, at) => inputBlock(port, columns[at]!, rows.length, DEFAULT_MAX_INPUT_BYTES));
}

/** Converts a column to the block that JavaScript engines read. */
export function inputBlock(port: InputPort, column: Column, rows: number, maxInputBytes: number, first = 0): Block {
  const size = sizeOf(port.type);
  if (port.type.kind === 'dictionary') return dictionaryBlock(column as Dictionary[], rows, maxInputBytes, first);
  if (Array.isArray(column)) {
    const values = (column as (string | Uint8Array)[]).map((value, at) =>
      textAsRead(value, maxInputBytes, first + Math.floor(at / size)),
    );
    return strings(rows, size, values);
  }
  const dtype = dtypeOf(port.type) as NumericDType;
  if (dtype === 'int64') return dense(dtype, rows, size, wideColumn(column));
  const values = numericArray(dtype, column.length);
  // `set` rounds to float32, as an assignment to an element does
  (values as Float32Array).set(column as Float64Array);
  return dense(dtype, rows, size, values);
}

function dictionaryBlock(column: readonly Dictionary[], rows: number, most: number, first: number): Block {
  // The column of an unused input is empty.
  const values = Array.from({ length: rows }, (_, row) => column[row] ?? new Map());
  values.forEach((entries, row) => {
    const bytes = dictionaryBytes(entries);
    if (bytes > most) throw tooLongDictionary(bytes, most, first + row);
  });
  return { kind: 'dictionary', rows, values };
}
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Returns a text as every engine reads it. A lone surrogate becomes U+FFFD, and bytes must be
 * UTF-8.
 */
export function textAsRead(value: string | Uint8Array, maxInputBytes: number, row: number): string {
  // A UTF-16 unit takes at most three bytes, so a short string cannot exceed the limit.
  if (typeof value === 'string' && value.length * 3 <= maxInputBytes) return value.toWellFormed();
  const bytes = typeof value === 'string' ? Buffer.byteLength(value) : value.length;
  const inputError = (received: string, details: ErrorDetails) =>
    runtimeError('ERR_RUNTIME_INPUT', { received, ...rowPlace(row), ...details });
  if (bytes > maxInputBytes) {
    throw inputError(`text of ${bytes} bytes, longer than maxInputBytes ${maxInputBytes}`, { hint: TOO_LONG_HINT });
  }
  if (typeof value === 'string') return value.toWellFormed();
  try {
    return utf8.decode(value);
  } catch (cause) {
    throw inputError('text is not valid UTF-8', { cause });
  }
}
