import { BrezelError, type Clock } from '@brezel/core';

/** What is wrong with these is not the plan's fault. */
const NOT_THE_PLANS: ReadonlySet<string> = new Set([
  'ERR_RUNTIME_INPUT',
  'ERR_RUNTIME_OUTPUT',
  'ERR_RUNTIME_ENGINE',
  'ERR_RUNTIME_OPTION',
  'ERR_RUNTIME_ISOLATED',
  'ERR_RUNTIME_OVERLOADED',
  'ERR_RUNTIME_DEADLINE',
  'ERR_RUNTIME_QUARANTINED',
  'ERR_RUNTIME_CLOSED',
  'ERR_REGISTRY_REMOVED',
  'ERR_REGISTRY_CLOSED',
]);

export const isPlanFailure = (error: unknown): boolean =>
  !(error instanceof BrezelError && NOT_THE_PLANS.has(error.code));

export interface QuarantineLimits {
  /** Failures in a row after which a plan rests. */
  readonly failures: number;
  readonly restMs: number;
}

/**
 * Counts failures in a row. After too many the plan rests: nobody may ask it. When the rest is over
 * one request may, as a probe; its answer ends the quarantine, its failure begins another rest.
 */
export class Quarantine {
  readonly #limits: QuarantineLimits;
  readonly #clock: Clock;
  #failures = 0;
  #restsUntil = 0;
  #probing = false;
  #rests = 0;
  lastFailure: unknown;

  constructor(limits: QuarantineLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Since the last answer. */
  get failures(): number {
    return this.#failures;
  }

  /** How often a rest began. */
  get rests(): number {
    return this.#rests;
  }

  get isResting(): boolean {
    return this.#failures >= this.#limits.failures;
  }

  /** Milliseconds until a probe may go in. */
  get restMs(): number {
    return Math.max(0, this.#restsUntil - this.#clock.now());
  }

  /** Whether a request may go in. */
  admits(): boolean {
    if (!this.isResting) return true;
    if (this.#probing || this.restMs > 0) return false;
    this.#probing = true;
    return true;
  }

  /** A request ended without a word about the plan: another one may probe. */
  leave(): void {
    this.#probing = false;
  }

  /** @returns whether a rest begins. */
  failed(error: unknown): boolean {
    this.lastFailure = error;
    this.#failures++;
    if (!this.isResting) return false;
    this.#probing = false;
    this.#rests++;
    this.#restsUntil = this.#clock.now() + this.#limits.restMs;
    return true;
  }

  /** @returns whether a rest ends. */
  succeeded(): boolean {
    if (this.#failures === 0) return false;
    const rested = this.isResting;
    this.#failures = 0;
    this.#probing = false;
    this.lastFailure = undefined;
    return rested;
  }
}
