import { runtimeError } from '../../errors.js';

/** How a plan with operator deadlines runs on workers. */
export interface OperatorDeadlines {
  readonly number: number;
  /** The longest time of a task in milliseconds: the sum of the deadlines of its operators. */
  readonly deadlineMs: number;
  readonly operators: readonly string[];
}

/** Returns the error for a call that such a plan does not support. */
export const isolatedError = (
  { name, isolated }: { readonly name: string; readonly isolated: OperatorDeadlines | undefined },
  what: string,
) => runtimeError('ERR_RUNTIME_ISOLATED', { received: what, at: `${isolated!.operators.join(', ')}, plan ${name}` });
