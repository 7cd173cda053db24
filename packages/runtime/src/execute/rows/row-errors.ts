import { BrezelError } from '@brezel/core';
import { runtimeError, type runtimeErrors } from '../../errors.js';
import { describe } from './elements.js';
import { rowPlace } from './row-place.js';

/** Codes of errors that name a row by its index. */
const OF_ROWS: ReadonlySet<string> = new Set(['ERR_RUNTIME_INPUT', 'ERR_RUNTIME_CUSTOM']);
const ROW = /\brow (\d+)\b/;

/**
 * Returns the error with its row index converted by `numberOf`. Returns errors without a row index
 * unchanged.
 */
export function renumbered(error: unknown, numberOf: (row: number) => number): unknown {
  if (!(error instanceof BrezelError && OF_ROWS.has(error.code))) return error;
  const { details, code } = error;
  const at = details.at?.replace(ROW, (_, row: string) => `row ${numberOf(Number(row))}`);
  if (at === details.at) return error;
  return runtimeError(code as keyof typeof runtimeErrors, {
    ...details,
    at,
    ...(details.row !== undefined && { row: numberOf(details.row) }),
  });
}

/**
 * Checks an argument that must be an array.
 * @param at the plan or the method, for the error
 * @throws ERR_RUNTIME_INPUT
 */
export function checkArray(argument: unknown, of: 'rows' | 'plans', at: string): void {
  if (Array.isArray(argument)) return;
  throw runtimeError('ERR_RUNTIME_INPUT', { expected: `an array of ${of}`, received: describe(argument), at });
}

/** Returns the error for a list that has no row at an index. */
export const missingRow = (row: number, expected: string) =>
  runtimeError('ERR_RUNTIME_INPUT', {
    expected,
    received: 'nothing',
    ...rowPlace(row),
    hint: 'the list of rows has a hole or an undefined entry: leave the row out',
  });

/**
 * Converts an error of reading a row to an error about the row. A getter or a proxy of the row may
 * throw any error.
 */
export function readError(cause: unknown, row: number): Error {
  if (cause instanceof BrezelError && cause.code === 'ERR_RUNTIME_INPUT') return cause;
  return runtimeError('ERR_RUNTIME_INPUT', {
    received: `an error while Brezel read the row: ${cause instanceof Error ? cause.message : String(cause)}`,
    ...rowPlace(row),
    hint: 'a getter or a proxy of the row throws; see cause',
    cause,
  });
}
