import type { Block } from '@brezel/core';

/** A part of a plan: the index of a JavaScript stage, or stages that run in the addon. */
export type PlanPart = number | Work;

/** Limits and clocks of a plan with black boxes. */
export interface LaterOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called between operators; throws to end the rows. */
  readonly check?: (() => void) | undefined;
  /** Number of rows of the whole request. Default: the rows of this block. */
  readonly requestRows?: number | undefined;
  /** The time of each stage is added to it. */
  readonly nanoseconds?: Float64Array | undefined;
}

/**
 * One stage, or several stages in one call into the addon. It reads and writes slots of the plan.
 * Times are added to `nanoseconds`, by stage; `check` is called between operators.
 */
export interface Work {
  run(slots: Block[], rows: number, first: number, nanoseconds?: Float64Array, check?: () => void): void;
  /** Runs one row whose results may be cached. */
  runOne?(slots: Block[], check?: () => void): void;
  /** Set when the work has black boxes or may run on other threads: runs it asynchronously. */
  runLater?(slots: Block[], rows: number, first: number, later: LaterOptions): Promise<void>;
  /** Returns whether executors would run a block of this size. */
  runsElsewhere?(rows: number, later: LaterOptions): boolean;
}
