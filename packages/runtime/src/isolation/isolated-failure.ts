import { OperatorError } from '@brezel/core';
import { runtimeError, runtimeErrors } from '../errors.js';
import type { IsolatedError } from './protocol.js';

/** An error of a worker as one of this thread: of its class, with rows numbered as the caller does. */
export function isolatedFailure({ code, message, details, operator }: IsolatedError, plan: string, first: number) {
  if (code === undefined || !Object.hasOwn(runtimeErrors, code))
    return runtimeError('ERR_RUNTIME_WORKER', { received: message, at: plan });
  const at = details.at?.replace(ROW, (_, row: string) => `row ${first + Number(row)}`);
  const cause = operator === undefined ? undefined : new OperatorError(operator, undefined, details);
  return runtimeError(code as keyof typeof runtimeErrors, { ...details, at, ...(cause && { cause }) });
}

/** Rows of a task are numbered from 0. */
const ROW = /\brow (\d+)\b/;
