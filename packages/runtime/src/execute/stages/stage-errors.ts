import { BrezelError, type CompiledPlan, OperatorError, RowError } from '@brezel/core';
import { runtimeError } from '../../errors.js';
import { rowPlace } from '../rows/row-place.js';

/**
 * Runs a stage and converts its errors. Kernels do not check the plan, so an error of a kernel
 * means that the plan (from a file) is invalid. An error about a row becomes an error that the
 * caller can fix. `first` is the index of the block's first row in the request.
 */
export function inStage<T>(plan: CompiledPlan, at: number, run: () => T, first = 0): T {
  try {
    return run();
  } catch (cause) {
    if (cause instanceof RowError) {
      throw runtimeError('ERR_RUNTIME_INPUT', { ...cause.details, ...rowPlace(first + cause.row), cause });
    }
    if (cause instanceof OperatorError) throw customFailure(cause, `plan ${plan.name}, stage ${at + 1}`, first);
    if (cause instanceof BrezelError) throw cause;
    const key = plan.stages[at]!.stage.key.slice(0, 8);
    throw runtimeError('ERR_RUNTIME_KERNEL', { received: (cause as Error).message, at: `stage ${key}`, cause });
  }
}

/**
 * Returns the error for a failed custom operator. The error names the stage by the number that
 * EXPLAIN shows.
 */
function customFailure(cause: OperatorError, place: string, first: number): Error {
  const { at: _, ...details } = cause.details;
  const row = cause.row === undefined ? undefined : rowPlace(first + cause.row);
  const at = [cause.operator, ...(row ? [row.at] : []), place].join(', ');
  return runtimeError('ERR_RUNTIME_CUSTOM', { ...details, ...row, at, cause });
}
