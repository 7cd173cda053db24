import type { VectorLimits, VectorOptions } from './vector-options.js';

/** How executors share their time among plans. */
export interface SchedulingOptions {
  /**
   * Plans of a higher priority are always served first, also between two stages of others. Default
   * `normal`.
   */
  readonly priority?: Priority;
  /**
   * Share of the executors' time among plans of one priority that have work: 0.001 to 1000. Default
   * 1.
   */
  readonly weight?: number;
  /**
   * Executors, and the memory that they work in, for this plan's batches only, whatever else there
   * is to do. Its parameters and stages are shared as ever. Default: none.
   */
  readonly reserve?: Reservation;
}

export type Priority = 'high' | 'normal' | 'low';

export interface Reservation {
  /** How many: at least one of the runtime's executors stays for other plans. */
  readonly executors: number;
  /** What they keep of their vectors. Default: as the runtime's other executors. */
  readonly vectors?: VectorOptions;
}

/** The same with defaults. */
export interface CheckedReservation {
  readonly executors: number;
  /** Undefined: as the runtime's. */
  readonly vectors: VectorLimits | undefined;
}

/** The same with defaults. */
export interface Scheduling {
  readonly priority: Priority;
  readonly weight: number;
  readonly reserve: CheckedReservation | undefined;
}

/** In the order in which they are served. */
export const PRIORITIES: readonly Priority[] = ['high', 'normal', 'low'];

/** Of a plan that was registered without a word about it. */
export const DEFAULT_SCHEDULING: Scheduling = { priority: 'normal', weight: 1, reserve: undefined };
