import { BrezelError, OperatorError } from '@brezel/core';
import type { WorkerError } from '@brezel/runtime';

/** Converts an error to a form that can be sent to another thread. */
export function plainError(error: unknown): WorkerError {
  if (!(error instanceof BrezelError))
    return { code: undefined, message: error instanceof Error ? error.message : String(error), details: {} };
  const { cause: _, ...details } = error.details;
  return {
    code: error.code,
    message: error.message,
    details,
    ...(error.cause instanceof OperatorError && { operator: error.cause.operator }),
  };
}
