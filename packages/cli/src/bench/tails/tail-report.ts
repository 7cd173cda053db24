import type { ModelChoices } from '../../models.js';

/** The request to a process of `brezel bench --tails`. */
export interface TailRequest {
  readonly models: readonly string[];
  /** A file with one row in JSON on each line. If undefined, rows are generated from the schema. */
  readonly rows: string | undefined;
  /** Options for reading the model files. */
  readonly choices: ModelChoices;
  /** Number of measured calls for each model and each load. */
  readonly calls: number;
}

/** The report of the measuring process. */
export interface TailReport {
  readonly models: readonly ModelTails[];
}

export interface ModelTails {
  readonly model: string;
  readonly engine: string;
  /** The times of the calls while this process runs alone. */
  readonly idle: Tails;
  /** The times of the calls while `BUSY_PROCESSES` other processes compute without a pause. */
  readonly busy: Tails;
}

/** Number of other processes that compute during the second measurement (`ModelTails.busy`). */
export const BUSY_PROCESSES = 2;

/** The times of calls of one model with one row each, in µs. */
export interface Tails {
  readonly calls: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly p9999: number;
  /** The slowest calls, slowest first. */
  readonly worst: readonly SlowCall[];
}

export interface SlowCall {
  /** The index of the call in the measurement. */
  readonly call: number;
  readonly micros: number;
  readonly cause: Cause;
}

/**
 * The cause of a slow call. `unknown`: a cause that the process cannot see, such as an interrupt or
 * the hypervisor.
 */
export type Cause = 'garbage collection' | 'page read from disk' | 'core taken away' | 'page fault' | 'unknown';
