import { OperatorError } from '@brezel/core';
import { runtimeError, runtimeErrors } from '../../errors.js';
import type { WorkerError } from './protocol.js';

/** Converts an error of a worker to an error of this thread with the right class. */
export function workerFailure({ code, message, details, operator }: WorkerError, plan: string) {
  if (code === undefined || !Object.hasOwn(runtimeErrors, code))
    return runtimeError('ERR_RUNTIME_WORKER', { received: message, at: plan });
  const cause = operator === undefined ? undefined : new OperatorError(operator, undefined, details);
  return runtimeError(code as keyof typeof runtimeErrors, { ...details, ...(cause && { cause }) });
}
