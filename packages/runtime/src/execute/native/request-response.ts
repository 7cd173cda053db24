import { BrezelError, type InputPort, InternalError, sizeOf } from '@brezel/core';
import { runtimeError, TOO_LONG_HINT } from '../../errors.js';
import { checkServed, type ServedPlan } from '../../plans/registered-plan.js';
import { checkOut } from '../answers/out-array.js';
import { readError } from '../rows/row-errors.js';
import { rowPlace } from '../rows/row-place.js';
import { admit, type Column, isVectorRow, type Row, rowFields } from '../rows/row-schema.js';
import type { RowKernels } from './native-kernels.js';
import { numberRowOf, predictNumbers } from './number-row.js';
import { type NativeInput, packColumns } from './packed-dictionaries.js';

/**
 * Runs one row through a whole plan in one call to the addon, on the calling thread. Writes the
 * numbers to `out`. If `nanoseconds` is given, adds the time of each stage to it.
 */
export function runRow(
  plan: ServedPlan,
  row: Row,
  out: Float64Array,
  kernels: RowKernels,
  nanoseconds?: Float64Array,
): void {
  const text = plan.textInput === undefined ? undefined : textOf(plan, plan.textInput, row);
  if (text === undefined) {
    if (nanoseconds === undefined && isAnsweredByNumbers(plan, row, out, kernels)) return;
    runRows(plan, columnsOfNumbers(plan, row) ?? admit(plan, [row]), 1, out, kernels, 0, nanoseconds);
    return;
  }
  try {
    if (nanoseconds === undefined) kernels.predictText(plan.planHandle!, text, out);
    else kernels.profileRows(plan.planHandle!, [[text]], 1, out, nanoseconds);
  } catch (error) {
    checkAfterReading(plan, 1, out);
    throw translated(error, plan, 0);
  }
}

/**
 * Runs a row of numbers in pinned memory and writes its answer to `out`. Returns false if the row
 * needs the general path.
 */
function isAnsweredByNumbers(plan: ServedPlan, row: Row, out: Float64Array, kernels: RowKernels): boolean {
  let answer: Float64Array | undefined;
  try {
    if (plan.numberRow === undefined) plan.numberRow = numberRowOf(plan, kernels);
    if (plan.numberRow === null) return false;
    answer = predictNumbers(plan, plan.numberRow, row, kernels);
  } catch (error) {
    if (error instanceof BrezelError) throw error; // an error of reading the row
    checkServed(plan);
    throw translated(error, plan, 0);
  }
  if (answer === undefined) return false;
  checkOut(out, plan.width, plan.name); // a getter of the row may have shrunk it
  for (let at = 0; at < plan.width; at++) out[at] = answer[at]!;
  return true;
}

/**
 * Converts one row to columns. The columns are new arrays, except that a Float64Array of the caller
 * is used without a copy.
 */
export function columnsOfRow(plan: ServedPlan, row: Row): Column[] {
  const text = plan.textInput === undefined ? undefined : textOf(plan, plan.textInput, row);
  const columns = text === undefined ? (columnsOfNumbers(plan, row) ?? admit(plan, [row])) : [[text]];
  checkServed(plan);
  return columns;
}

function columnsOfNumbers(plan: ServedPlan, row: Row): Float64Array[] | undefined {
  const numbers = plan.floatInput === undefined ? undefined : numbersOf(plan, plan.floatInput, row);
  return numbers && [numbers];
}

/**
 * Returns the text of a row if it is a string or bytes. Otherwise returns undefined: the general
 * path then handles the row and reports errors.
 */
function textOf(plan: ServedPlan, input: string, row: Row): string | Uint8Array | undefined {
  if (typeof row === 'string') return row;
  try {
    const value = rowFields(plan, row, 0)[input];
    return typeof value === 'string' || value instanceof Uint8Array ? value : undefined;
  } catch (error) {
    throw readError(error, 0);
  }
}

/**
 * Returns the numbers of a row if they are a Float64Array of the right length, which the addon
 * reads in place. Returns undefined for other rows, which use the general path.
 */
function numbersOf(plan: ServedPlan, { name, type }: InputPort, row: Row): Float64Array | undefined {
  if (typeof row === 'string') return undefined;
  try {
    const value = isVectorRow(plan.inputs, row) ? row : rowFields(plan, row, 0)[name];
    return value instanceof Float64Array && value.length === sizeOf(type) ? value : undefined;
  } catch (error) {
    throw readError(error, 0);
  }
}

/**
 * Runs a block of rows through a whole plan. `first` is the index of the block's first row in the
 * request, for error messages. If `nanoseconds` is given, adds the time of each stage to it.
 */
export function runRows(
  plan: ServedPlan,
  admitted: readonly Column[],
  rows: number,
  out: Float64Array,
  kernels: RowKernels,
  first = 0,
  nanoseconds?: Float64Array,
): void {
  const columns = packColumns(plan.inputs, admitted, plan.maxInputBytes, first);
  try {
    if (nanoseconds === undefined) kernels.predictRows(plan.planHandle!, columns, rows, out);
    else kernels.profileRows(plan.planHandle!, columns, rows, out, nanoseconds);
  } catch (error) {
    checkAfterReading(plan, rows, out);
    throw rowFailure(error, plan, columns, rows, kernels, first).error;
  }
}

/**
 * Checks whether a getter of a row has caused an error of the addon, by removing the plan or by
 * shrinking the out-array. Call this function only after an error, because the addon itself detects
 * both.
 *
 * @throws ERR_RUNTIME_UNKNOWN_PLAN, ERR_RUNTIME_CLOSED, ERR_RUNTIME_OUTPUT
 */
function checkAfterReading(plan: ServedPlan, rows: number, out: Float64Array): void {
  checkServed(plan);
  checkOut(out, rows * plan.width, plan.name);
}

/** The index of a row without an answer, and its error. */
export interface RowFailure {
  readonly row: number;
  readonly error: Error;
}

/**
 * Finds the row that caused an error of the addon: runs the rows of the block one by one until the
 * addon rejects a row. Returns this row with its error. If the addon accepts every row alone,
 * returns the first row with the error of the block.
 */
export function rowFailure(
  error: unknown,
  plan: ServedPlan,
  columns: readonly NativeInput[],
  rows: number,
  kernels: RowKernels,
  first: number,
): RowFailure {
  for (let row = 0; rows > 1 && row < rows; row++) {
    try {
      kernels.predictRows(plan.planHandle!, rowsOf(plan, columns, row, row + 1), 1, plan.numbers);
    } catch (alone) {
      return { row: first + row, error: translated(alone, plan, first + row) };
    }
  }
  return { row: first, error: translated(error, plan, first) };
}

export function rowsOf(
  plan: ServedPlan,
  columns: readonly NativeInput[],
  from: number,
  to: number,
): readonly NativeInput[] {
  return columns.map((column, at) => {
    const size = sizeOf(plan.inputs[at]!.type);
    return column.slice(from * size, to * size);
  });
}

/**
 * Converts an error of the kernels. An error about the input or about memory becomes an error that
 * the caller can fix. Any other error becomes an internal error.
 */
function translated(error: unknown, plan: ServedPlan, row: number): Error {
  const { code, message } = error as { code?: string; message: string };
  if (code === 'ERR_NATIVE_INPUT') return rejectedRow(message, row, error).error;
  if (code === 'ERR_NATIVE_MEMORY')
    return runtimeError('ERR_RUNTIME_MEMORY', { received: message, at: `plan ${plan.name}`, cause: error });
  return new InternalError(`the kernels failed in plan ${plan.name}: ${message}`, { cause: error });
}

/** Returns the failure for a row that the addon rejected. */
export function rejectedRow(message: string, row: number, cause?: unknown): RowFailure {
  const hint = message.includes('maxInputBytes') ? { hint: TOO_LONG_HINT } : {};
  return { row, error: runtimeError('ERR_RUNTIME_INPUT', { received: message, ...rowPlace(row), cause, ...hint }) };
}
