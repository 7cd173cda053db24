import type { Block } from '@brezel/core';

/**
 * What a plan is run by: the place of a stage that runs in JavaScript, or stages that run in the
 * addon.
 */
export type PlanPart = number | Work;

/** What may end a plan with black boxes. */
export interface LaterOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called between operators; throws when the rows are to end. */
  readonly check?: (() => void) | undefined;
  /** Rows of the whole request, of which these may be some. Default: these. */
  readonly requestRows?: number | undefined;
  /** The time of each stage is added to it. */
  readonly nanoseconds?: Float64Array | undefined;
}

/**
 * A stage, or several in one call into the addon: reads and writes slots of the plan. Times are
 * added to `nanoseconds`, by stage; `check` is called between operators.
 */
export interface Work {
  run(slots: Block[], rows: number, first: number, nanoseconds?: Float64Array, check?: () => void): void;
  /** One row, where results may be kept. */
  runOne?(slots: Block[], check?: () => void): void;
  /** Where it has black boxes, or other threads may run it: how it is run instead. */
  runLater?(slots: Block[], rows: number, first: number, later: LaterOptions): Promise<void>;
  /** Whether executors would run so many rows. */
  runsElsewhere?(rows: number, later: LaterOptions): boolean;
}
