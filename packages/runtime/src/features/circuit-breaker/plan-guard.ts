import { BrezelError, type Clock, OperatorError } from '@brezel/core';
import { runtimeError } from '../../errors.js';
import { Quarantine, type QuarantineLimits } from './quarantine.js';

/** The current state of the quarantine of one plan. */
export interface QuarantineStatistics {
  /** Whether the plan is in quarantine, so that calls fail immediately. */
  readonly resting: boolean;
  /** Milliseconds until a call may try the plan again; 0 outside a quarantine. */
  readonly restMs: number;
  /** Number of failures since the last successful answer. */
  readonly failures: number;
}

/**
 * Counts a plan's calls by outcome. A whole batch counts as one call, and each block of a stream
 * counts as one call.
 */
export interface CallStatistics {
  readonly answered: number;
  /** Calls that were rejected because of an invalid row or option. */
  readonly refused: number;
  /** Calls that ended because of a queue limit, a deadline or a signal. */
  readonly limited: number;
  /** Calls that failed because of the plan. */
  readonly failed: number;
  /** Calls that were rejected during a quarantine. */
  readonly quarantined: number;
  /** The number of failed calls for each custom operator that failed. */
  readonly failedOperators: Readonly<Record<string, number>>;
}

type Ending = 'refused' | 'limited' | 'gone';

const endings: ReadonlyMap<string, Ending> = new Map([
  ['ERR_RUNTIME_INPUT', 'refused'],
  ['ERR_RUNTIME_OUTPUT', 'refused'],
  ['ERR_RUNTIME_ENGINE', 'refused'],
  ['ERR_RUNTIME_OPTION', 'refused'],
  ['ERR_RUNTIME_ISOLATED', 'refused'],
  ['ERR_FLOUR_BLACK_BOX', 'refused'],
  ['ERR_RUNTIME_OVERLOADED', 'limited'],
  ['ERR_RUNTIME_DEADLINE', 'limited'],
  ['ERR_RUNTIME_UNKNOWN_PLAN', 'gone'],
  ['ERR_RUNTIME_CLOSED', 'gone'],
]);

/** Counts the calls of one plan by outcome, and rejects calls during a quarantine. */
export class PlanGuard {
  readonly #plan: string;
  readonly #quarantine: Quarantine | undefined;
  readonly #counts = { answered: 0, refused: 0, limited: 0, failed: 0, quarantined: 0, gone: 0 };
  /**
   * For each custom operator that has failed, the number of its failed calls. Created at the first
   * such failure.
   */
  #operators: Map<string, number> | undefined;

  constructor(plan: string, limits: QuarantineLimits | undefined, clock: Clock) {
    this.#plan = plan;
    this.#quarantine = limits && new Quarantine(limits, clock);
  }

  /**
   * Starts a call, or throws if the plan is in quarantine. When the call ends, the caller must call
   * `succeeded`, `failed` or `left`.
   * @throws ERR_RUNTIME_QUARANTINED
   */
  enter(): void {
    if (this.#quarantine === undefined || this.#quarantine.admits()) return;
    this.#counts.quarantined++;
    const received = `next attempt in ${Math.ceil(this.#quarantine.restMs)} ms`;
    throw runtimeError('ERR_RUNTIME_QUARANTINED', {
      received,
      at: this.#plan,
      cause: this.#quarantine.lastFailure,
    });
  }

  succeeded(): void {
    this.#counts.answered++;
    this.#quarantine?.succeeded();
  }

  /**
   * Ends a call with an error, and counts it by the kind of the error.
   * @param signal the signal of the call. If `error` is the reason of this signal, the call is not
   * counted as a failure of the plan.
   */
  failed(error: unknown, signal?: AbortSignal): void {
    const ending = endingOf(error, signal);
    this.#counts[ending]++;
    if (ending !== 'failed') {
      this.#quarantine?.leave(); // the error is not a failure of the plan
      return;
    }
    const operator = operatorOf(error);
    if (operator !== undefined) {
      this.#operators ??= new Map();
      this.#operators.set(operator, (this.#operators.get(operator) ?? 0) + 1);
    }
    this.#quarantine?.failed(error);
  }

  /** Ends a call without an outcome, for example because another plan of the call failed. */
  left(): void {
    this.#counts.gone++;
    this.#quarantine?.leave();
  }

  /** Runs an asynchronous call and counts its outcome. */
  async around<T>(run: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.enter();
    try {
      const answer = await run();
      this.succeeded();
      return answer;
    } catch (error) {
      this.failed(error, signal);
      throw error;
    }
  }

  /** Ends the quarantine, and sets the number of failures to 0. */
  release(): void {
    this.#quarantine?.succeeded();
  }

  calls(): CallStatistics {
    const { gone: _, ...counts } = this.#counts;
    return { ...counts, failedOperators: Object.fromEntries(this.#operators ?? []) };
  }

  quarantine(): QuarantineStatistics | undefined {
    if (this.#quarantine === undefined) return undefined;
    const { isResting, restMs, failures } = this.#quarantine;
    return { resting: isResting, restMs: isResting ? restMs : 0, failures };
  }
}

function endingOf(error: unknown, signal: AbortSignal | undefined): Ending | 'failed' {
  if (signal?.aborted && error === signal.reason) return 'limited';
  return (error instanceof BrezelError ? endings.get(error.code) : undefined) ?? 'failed';
}

/** Returns the name of the custom operator that caused an error, or undefined. */
function operatorOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof OperatorError ? cause.operator : undefined;
}
