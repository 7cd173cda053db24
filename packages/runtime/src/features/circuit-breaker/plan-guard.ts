import { BrezelError, type Clock, OperatorError } from '@brezel/core';
import { runtimeError } from '../../errors.js';
import { Quarantine, type QuarantineLimits } from './quarantine.js';

/** Keeps callers away from a plan that fails again and again. */
export interface QuarantineOptions {
  /** Failures in a row, none by the rows' fault, after which the plan rests; from 1. Default 5. */
  readonly failures?: number;
  /** Milliseconds until one call may try it again; up to 2^31 - 1. Default 30 s. */
  readonly restMs?: number;
}

export interface QuarantineStatistics {
  readonly resting: boolean;
  /** Milliseconds until a call may try the plan again; 0 while it does not rest. */
  readonly restMs: number;
  /** Failures since the last answer. */
  readonly failures: number;
}

/** How the calls of a plan ended. A batch is one call, and so is a block of a stream. */
export interface CallStatistics {
  readonly answered: number;
  /** Rows or options that do not fit: the caller's turn. */
  readonly refused: number;
  /** Ended by queue limits, a deadline or a signal. */
  readonly limited: number;
  /** By the plan's fault. */
  readonly failed: number;
  /** Turned away while the plan rested. */
  readonly quarantined: number;
  /** Of the failed ones, those of custom operators, by name. */
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

/** Stands before one plan: counts how its calls end, and turns them away while the plan rests. */
export class PlanGuard {
  readonly #plan: string;
  readonly #quarantine: Quarantine | undefined;
  readonly #counts = { answered: 0, refused: 0, limited: 0, failed: 0, quarantined: 0, gone: 0 };
  /** Made when one fails. */
  #operators: Map<string, number> | undefined;

  constructor(plan: string, limits: QuarantineLimits | undefined, clock: Clock) {
    this.#plan = plan;
    this.#quarantine = limits && new Quarantine(limits, clock);
  }

  /** Whoever enters says how it ended: `succeeded` or `failed`. @throws ERR_RUNTIME_QUARANTINED */
  enter(): void {
    if (this.#quarantine === undefined || this.#quarantine.admits()) return;
    this.#counts.quarantined++;
    const received = `another try in ${Math.ceil(this.#quarantine.restMs)} ms`;
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

  /** @param signal of the call: its reason is no failure of the plan. */
  failed(error: unknown, signal?: AbortSignal): void {
    const ending = endingOf(error, signal);
    this.#counts[ending]++;
    if (ending !== 'failed') {
      this.#quarantine?.leave(); // it says nothing about the plan
      return;
    }
    const operator = operatorOf(error);
    if (operator !== undefined) {
      this.#operators ??= new Map();
      this.#operators.set(operator, (this.#operators.get(operator) ?? 0) + 1);
    }
    this.#quarantine?.failed(error);
  }

  /** A call ended for reasons of others: it says nothing about the plan. */
  left(): void {
    this.#counts.gone++;
    this.#quarantine?.leave();
  }

  /** A call that answers later. */
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

  /** Forgets the failures. */
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

/** The custom operator that an error is about. */
function operatorOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof OperatorError ? cause.operator : undefined;
}
