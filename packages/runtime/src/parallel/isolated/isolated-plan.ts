import { runtimeError } from '../../errors.js';

/** The deadlines of the operators of a plan that runs on isolated workers. */
export interface OperatorDeadlines {
  readonly number: number;
  /** A task may take this many milliseconds: the sum of the deadlines of the plan's operators. */
  readonly deadlineMs: number;
  readonly operators: readonly string[];
}

/** Returns the error for a call that a plan on isolated workers does not support. */
export const isolatedError = (
  { name, isolated }: { readonly name: string; readonly isolated: OperatorDeadlines | undefined },
  what: string,
) => runtimeError('ERR_RUNTIME_ISOLATED', { received: what, at: `${isolated!.operators.join(', ')}, plan ${name}` });
