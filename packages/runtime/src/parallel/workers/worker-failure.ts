import type { SentError } from '@brezel/core';
import { RuntimeError, runtimeError } from '../../errors.js';
import { workerErrors } from './sent-errors.js';

/**
 * Restores an error that a worker has sent. An error that is not a `RuntimeError` becomes the cause
 * of ERR_RUNTIME_WORKER.
 */
export function workerFailure(sent: SentError, plan: string): RuntimeError {
  const cause = workerErrors.receive(sent);
  return cause instanceof RuntimeError
    ? cause
    : runtimeError('ERR_RUNTIME_WORKER', { received: cause.message, at: plan, cause });
}
