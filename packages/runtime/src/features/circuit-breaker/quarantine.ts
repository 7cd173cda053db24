import { BrezelError, type Clock } from '@brezel/core';
import { explainErrors } from '../../execute/contributions/errors.js';

/**
 * Errors with these codes are caused by the caller or by the runtime, and not by the plan. They do
 * not start a quarantine. Failed explanations are also in the list, because a plan can answer rows
 * correctly when its explanations fail.
 */
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
  ...Object.keys(explainErrors),
]);

export const isPlanFailure = (error: unknown): boolean =>
  !(error instanceof BrezelError && NOT_THE_PLANS.has(error.code));

export interface QuarantineLimits {
  /** The number of consecutive failures that start a quarantine. */
  readonly failures: number;
  readonly restMs: number;
}

/**
 * Counts consecutive failures of a plan or version. After too many failures, a quarantine starts,
 * and calls are rejected for some time. Then one call may run as a probe. If the probe succeeds,
 * the quarantine ends; if it fails, a new quarantine starts.
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

  /** Number of failures since the last successful answer. */
  get failures(): number {
    return this.#failures;
  }

  /** Number of quarantines since this object was created. */
  get rests(): number {
    return this.#rests;
  }

  get isResting(): boolean {
    return this.#failures >= this.#limits.failures;
  }

  /** Milliseconds until one call may run as a probe. */
  get restMs(): number {
    return Math.max(0, this.#restsUntil - this.#clock.now());
  }

  /** Returns whether a call may run. If the call is a probe, marks the probe as running. */
  admits(): boolean {
    if (!this.isResting) return true;
    if (this.#probing || this.restMs > 0) return false;
    this.#probing = true;
    return true;
  }

  /**
   * Ends a call that neither succeeded nor failed. If it was the probe, another call may be the
   * probe.
   */
  leave(): void {
    this.#probing = false;
  }

  /** Counts a failure. Returns whether a quarantine starts. */
  failed(error: unknown): boolean {
    this.lastFailure = error;
    this.#failures++;
    if (!this.isResting) return false;
    this.#probing = false;
    this.#rests++;
    this.#restsUntil = this.#clock.now() + this.#limits.restMs;
    return true;
  }

  /** Sets the number of failures to 0. Returns whether a quarantine ends. */
  succeeded(): boolean {
    if (this.#failures === 0) return false;
    const rested = this.isResting;
    this.#failures = 0;
    this.#probing = false;
    this.lastFailure = undefined;
    return rested;
  }
}
