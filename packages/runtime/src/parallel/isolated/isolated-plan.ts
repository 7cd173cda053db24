import { runtimeError } from '../../errors.js';

/** A plan that runs on workers. */
export interface OperatorDeadlines {
  readonly number: number;
  /** Milliseconds that a task may take: the deadlines of its operators together. */
  readonly deadlineMs: number;
  readonly operators: readonly string[];
}

/** What such a plan cannot do. */
export const isolatedError = (
  { name, isolated }: { readonly name: string; readonly isolated: OperatorDeadlines | undefined },
  what: string,
) => runtimeError('ERR_RUNTIME_ISOLATED', { received: what, at: `${isolated!.operators.join(', ')}, plan ${name}` });
