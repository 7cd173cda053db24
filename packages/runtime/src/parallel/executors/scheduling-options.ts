import type { VectorLimits, VectorOptions } from './vector-options.js';

/** Options that decide how executors share their time among plans. */
export interface SchedulingOptions {
  /**
   * Plans with a higher priority always run first, and may interrupt chunks of other plans between
   * two stages. Default `normal`.
   */
  readonly priority?: Priority;
  /**
   * The plan's share of executor time among busy plans of the same priority: 0.001 to 1000. Default
   * 1.
   */
  readonly weight?: number;
  /**
   * Reserves executors and pooled vectors for batches of this plan. The plan still shares its
   * parameters and stages with other plans. Default: none.
   */
  readonly reserve?: Reservation;
}

export type Priority = 'high' | 'normal' | 'low';

export interface Reservation {
  /**
   * The number of reserved executors. At least one executor of the runtime must remain for other
   * plans.
   */
  readonly executors: number;
  /**
   * Limits the pooled vectors that the reserved executors cache. Default: the limits of the other
   * executors of the runtime. `register` allocates pooled vectors for each reserved executor and
   * for the calling thread, and holds them until the plan is removed. With a limit of 0, `register`
   * allocates none.
   */
  readonly vectors?: VectorOptions;
  /**
   * The CPUs on which the threads of the reserved executors run, by number as in `/proc/cpuinfo`.
   * The option works only on Linux, for plans that run in the addon. Default: all CPUs of the
   * process.
   */
  readonly cpu?: readonly number[];
  /**
   * The rows that the reserved executors run. `batches` (the default): only the rows of batches.
   * `all`: also the single rows of `predict`. A single row then waits about 20 µs for a thread, but
   * never for the batches of other plans.
   */
  readonly rows?: 'batches' | 'all';
}

/** A valid reservation, with defaults filled in. */
export interface CheckedReservation {
  readonly executors: number;
  /** Limits of the pooled vectors. Undefined: the limits of the other executors of the runtime. */
  readonly vectors: VectorLimits | undefined;
  readonly cpu: readonly number[] | undefined;
  readonly rows: 'batches' | 'all';
}

/** Valid scheduling options, with defaults filled in. */
export interface Scheduling {
  readonly priority: Priority;
  readonly weight: number;
  readonly reserve: CheckedReservation | undefined;
}

/** The priorities, highest first. */
export const PRIORITIES: readonly Priority[] = ['high', 'normal', 'low'];

/**
 * Returns whether the rows of a plan are urgent: it has reserved executors or the highest priority.
 */
export const isUrgent = (
  group: { readonly isReserved: boolean },
  { priority }: Pick<Scheduling, 'priority'>,
): boolean => group.isReserved || priority === 'high';

/** The scheduling of a plan that is registered without scheduling options. */
export const DEFAULT_SCHEDULING: Scheduling = { priority: 'normal', weight: 1, reserve: undefined };
