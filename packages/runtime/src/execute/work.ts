import type { Block } from '@brezel/core';

/**
 * A part of a plan: the index of a stage that runs in JavaScript, or stages that run in the addon.
 */
export type PlanPart = number | Work;

/** Limits and measurements of a block that runs asynchronously, for plans with black boxes. */
export interface LaterOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called between operators. It throws to end the run. */
  readonly check?: (() => void) | undefined;
  /** The number of rows of the whole request. Default: the rows of this block. */
  readonly requestRows?: number | undefined;
  /** Receives the time of each stage. */
  readonly nanoseconds?: Float64Array | undefined;
}

/**
 * One stage, or several stages that run in one call to the addon. It reads and writes slots of the
 * plan. It adds the time of each stage to `nanoseconds`, and calls `check` between operators.
 */
export interface Work {
  run(slots: Block[], rows: number, first: number, nanoseconds?: Float64Array, check?: () => void): void;
  /** Runs one row. It may use the cached results of stages. */
  runOne?(slots: Block[], check?: () => void): void;
  /**
   * Runs the work asynchronously. Only work that has black boxes, or that may run on other threads,
   * has this method.
   */
  runLater?(slots: Block[], rows: number, first: number, later: LaterOptions): Promise<void>;
  /** Returns whether executors would run a block of this size. */
  runsElsewhere?(rows: number, later: LaterOptions): boolean;
}
