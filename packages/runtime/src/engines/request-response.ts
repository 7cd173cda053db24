import { InternalError } from '@brezel/core';
import { admit, type Column, type Row, rowFields } from '../admission.js';
import { runtimeError } from '../errors.js';
import type { NativeKernels } from '../native.js';
import type { PlanRecord } from '../registered-plan.js';

/** One row through a whole plan in one call into the addon, on the calling thread. Numbers land in `out`. */
export function runRow(plan: PlanRecord, row: Row, out: Float64Array, kernels: NativeKernels): void {
  if (plan.textInput === undefined) return runRows(plan, admit(plan.inputs, [row]), 1, out, kernels);
  const text = typeof row === 'string' ? row : rowFields(plan.inputs, row, 0)[plan.textInput];
  // Lists and faults take the slow way, which has the words for them.
  if (typeof text !== 'string' && !(text instanceof Uint8Array))
    return runRows(plan, admit(plan.inputs, [row]), 1, out, kernels);
  try {
    kernels.predictText(plan.native!, text, out);
  } catch (error) {
    throw translated(error, plan);
  }
}

/** A block of rows, likewise. */
export function runRows(
  plan: PlanRecord,
  columns: readonly Column[],
  rows: number,
  out: Float64Array,
  kernels: NativeKernels,
): void {
  try {
    kernels.predictRows(plan.native!, columns, rows, out);
  } catch (error) {
    throw translated(error, plan);
  }
}

/** What the addon says about the caller's input is the caller's turn; anything else is ours. */
function translated(error: unknown, plan: PlanRecord): Error {
  const { code, message } = error as { code?: string; message: string };
  if (code === 'ERR_NATIVE_INPUT')
    return runtimeError('ERR_RUNTIME_INPUT', { received: message, at: `plan ${plan.name}`, cause: error });
  return new InternalError(`the addon failed in plan ${plan.name}: ${message}`, { cause: error });
}
