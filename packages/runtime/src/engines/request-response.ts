import { InternalError, sizeOf } from '@brezel/core';
import { admit, type Column, type Row, rowFields } from '../admission.js';
import { runtimeError, TOO_LONG_HINT } from '../errors.js';
import type { NativeKernels } from '../native.js';
import type { PlanRecord } from '../registered-plan.js';

/** One row through a whole plan in one call into the addon, on the calling thread. Numbers land in `out`. */
export function runRow(plan: PlanRecord, row: Row, out: Float64Array, kernels: NativeKernels): void {
  const text = plan.textInput === undefined ? undefined : textOf(plan, plan.textInput, row);
  if (text === undefined) {
    runRows(plan, admit(plan.inputs, [row]), 1, out, kernels);
    return;
  }
  try {
    kernels.predictText(plan.native!, text, out);
  } catch (error) {
    throw translated(error, plan, 0);
  }
}

/** The text of a row, where it is plainly there. Lists and faults take the slow way, which has the words for them. */
function textOf(plan: PlanRecord, input: string, row: Row): string | Uint8Array | undefined {
  const value = typeof row === 'string' ? row : rowFields(plan.inputs, row, 0)[input];
  return typeof value === 'string' || value instanceof Uint8Array ? value : undefined;
}

/** A block of rows, likewise. `first` is the number of its first row, for errors. */
export function runRows(
  plan: PlanRecord,
  columns: readonly Column[],
  rows: number,
  out: Float64Array,
  kernels: NativeKernels,
  first = 0,
): void {
  try {
    kernels.predictRows(plan.native!, columns, rows, out);
  } catch (error) {
    throw translated(error, plan, first + (rows === 1 ? 0 : faultyRow(plan, columns, rows, kernels)));
  }
}

/** The first row that the addon refuses when it is alone. */
function faultyRow(plan: PlanRecord, columns: readonly Column[], rows: number, kernels: NativeKernels): number {
  const sizes = plan.inputs.map((port) => sizeOf(port.type));
  for (let row = 0; row < rows; row++) {
    const alone = columns.map((column, at) => column.slice(row * sizes[at]!, (row + 1) * sizes[at]!));
    try {
      kernels.predictRows(plan.native!, alone, 1, plan.numbers);
    } catch {
      return row;
    }
  }
  return 0;
}

/** What the addon says about the caller's input is the caller's turn; anything else is ours. */
function translated(error: unknown, plan: PlanRecord, row: number): Error {
  const { code, message } = error as { code?: string; message: string };
  if (code === 'ERR_NATIVE_INPUT') {
    const hint = message.includes('maxInputBytes') ? { hint: TOO_LONG_HINT } : {};
    return runtimeError('ERR_RUNTIME_INPUT', { received: message, at: `row ${row}`, cause: error, ...hint });
  }
  return new InternalError(`the addon failed in plan ${plan.name}: ${message}`, { cause: error });
}
