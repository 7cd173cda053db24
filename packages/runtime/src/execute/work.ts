import type { Block } from '@brezel/core';

/**
 * A part of a plan: a number or an object. A number is the index of a stage that runs in
 * JavaScript, or in the backend of its black box. An object runs stages in the addon, on executors
 * or on a device.
 */
export type PlanPart = number | Work;

/**
 * Limits and measurements of a block that runs asynchronously, for plans with black boxes or device
 * stages.
 */
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
 * Runs one stage, or several stages in one call to the addon. The methods read and write the slots
 * of the plan. They add the time of each stage to `nanoseconds`. Between operators that run in
 * JavaScript, they call `check`.
 */
export interface Work {
  run(slots: Block[], rows: number, first: number, nanoseconds?: Float64Array, check?: () => void): void;
  /** Runs rows as `run` does, but may use cached results of stages. */
  runCached?(slots: Block[], rows: number, first: number, check?: () => void): void;
  /**
   * Runs the work asynchronously. This method exists only if the work contains a black box or may
   * run on other threads.
   */
  runLater?(slots: Block[], rows: number, first: number, later: LaterOptions): Promise<void>;
  /** Returns whether executors would run a block of this size. */
  runsElsewhere?(rows: number, later: LaterOptions): boolean;
}
