/** Where a plan runs: in the addon, in JavaScript, or each stage where it can. */
export type PlanEngine = 'native' | 'mixed' | 'javascript';

/** Nanoseconds a row, over the repetitions of a measurement. */
export interface RowTime {
  readonly min: number;
  readonly median: number;
}

/** What was measured of one stage of a plan. */
export interface StageMeasurement {
  /** Key of the stage, to find it in the plan. */
  readonly key: string;
  readonly engine: 'native' | 'javascript';
  readonly nanoseconds: RowTime;
  /** Bytes a row of the values it reads and writes, on average. A sparse vector counts its entries (8 bytes each), a text its UTF-8. */
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly parameterBytes: number;
}

/** What was measured of one plan: made by the runtime, shown by EXPLAIN. */
export interface PlanMeasurement {
  /** `mixed`: stages without kernels run in JavaScript, the others in the addon. */
  readonly engine: PlanEngine;
  /** Instruction set of the native kernels. */
  readonly isa?: string;
  readonly rows: number;
  /** Rows that went through the plan at once. */
  readonly blockRows: number;
  readonly repetitions: number;
  /** In the order of the plan. */
  readonly stages: readonly StageMeasurement[];
  /** The whole call as users make it, measured from outside, without a clock inside. */
  readonly total: RowTime;
  /**
   * The total without the stages: checking rows, the way into the addon and out of it, building answers. 0 where the clocks took more time than
   * that. Like all minima and medians, these need not add up.
   */
  readonly rest: RowTime;
  /** The call with a clock at each stage, measured in turns with the other: what looking costs. */
  readonly observed: RowTime;
}
