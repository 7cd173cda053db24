import type { VectorLimits, VectorOptions } from './vector-options.js';

/** How executors share their time among plans. */
export interface SchedulingOptions {
  /**
   * Plans with a higher priority always run first, also between two stages of other plans. Default
   * `normal`.
   */
  readonly priority?: Priority;
  /** Share of the executors' time among busy plans of one priority: 0.001 to 1000. Default 1. */
  readonly weight?: number;
  /**
   * Executors and working memory for batches of this plan only. Its parameters and stages remain
   * shared. Default: none.
   */
  readonly reserve?: Reservation;
}

export type Priority = 'high' | 'normal' | 'low';

export interface Reservation {
  /** The number of executors: at least one executor of the runtime remains for other plans. */
  readonly executors: number;
  /** Which vectors the reserved executors cache. Default: as the other executors of the runtime. */
  readonly vectors?: VectorOptions;
}

/** A reservation with its defaults. */
export interface CheckedReservation {
  readonly executors: number;
  /** Undefined: as the other executors of the runtime. */
  readonly vectors: VectorLimits | undefined;
}

/** Scheduling options with their defaults. */
export interface Scheduling {
  readonly priority: Priority;
  readonly weight: number;
  readonly reserve: CheckedReservation | undefined;
}

/** Priorities in the order of service. */
export const PRIORITIES: readonly Priority[] = ['high', 'normal', 'low'];

/** The scheduling of a plan that is registered without these options. */
export const DEFAULT_SCHEDULING: Scheduling = { priority: 'normal', weight: 1, reserve: undefined };
