import type { QualityStatistics } from './quality.js';

/**
 * The engine of a plan: the addon (`native`), the kernels in WebAssembly, JavaScript, or `mixed`
 * (kernels run the stages that they support, and JavaScript runs the others).
 */
export type PlanEngine = 'native' | 'wasm' | 'mixed' | 'javascript';

/** Nanoseconds that a row takes: statistics over the repetitions of a measurement. */
export interface RowTime {
  readonly min: number;
  readonly median: number;
}

/** The measurement of one stage of a plan. */
export interface StageMeasurement {
  /** Key of the stage in the plan. */
  readonly key: string;
  readonly engine: 'native' | 'wasm' | 'javascript';
  readonly nanoseconds: RowTime;
  /**
   * How many bytes the stage reads per row, on average. An entry of a sparse vector counts as 8
   * bytes, and a text as its UTF-8 bytes.
   */
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly parameterBytes: number;
}

/** The measurement of one plan. The runtime creates it and EXPLAIN prints it. */
export interface PlanMeasurement {
  /**
   * `mixed` means that stages without kernels run in JavaScript and the others in kernels.
   */
  readonly engine: PlanEngine;
  /** Instruction set of the native kernels. */
  readonly isa?: string;
  readonly rows: number;
  /** Rows per block in this measurement. */
  readonly blockRows: number;
  readonly repetitions: number;
  /** One entry per stage, in plan order. */
  readonly stages: readonly StageMeasurement[];
  /** Time of the whole call, measured from outside. No clock runs inside the call. */
  readonly total: RowTime;
  /**
   * Time of the call outside its stages, for checking rows, calling the addon and building answers:
   * `total` minus the times of all stages. It is 0 if the difference is negative, because reading
   * the clocks also takes time.
   */
  readonly rest: RowTime;
  /**
   * Time of a whole call that also measures each stage. Calls with and without this measurement
   * alternate. The difference to `total` is the cost of measuring.
   */
  readonly observed: RowTime;
  /** The counters of data quality for the measured rows, if the plan has such counters. */
  readonly quality?: QualityStatistics;
}
