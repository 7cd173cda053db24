import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import type { CatalogStage } from '../plans/catalog.js';
import { type Percentiles, percentilesOf } from './percentiles.js';

/** The engine in which a stage ran. `device` is the device of a lowered stage. */
export type StageEngine = 'native' | 'wasm' | 'javascript' | 'device';

/** The times of a stage of a plan in one engine. */
export interface StageLatency {
  /** The key of the stage. Stages of several plans with equal keys are the same stage. */
  readonly key: string;
  readonly operators: readonly string[];
  /**
   * The engine that ran the stage. If a device and the CPU each ran some rows, the list of
   * latencies has two entries for the stage.
   */
  readonly engine: StageEngine;
  /** Nanoseconds per row, with one significant figure. A block of rows is one sample. */
  readonly nanoseconds: Percentiles;
}

/**
 * Number of significant figures of stage times. With one figure and times up to ten seconds, the
 * histogram of a stage takes 6 KiB. It is allocated at the first sample of the stage.
 */
const FIGURES = 1;
const GREATEST_NANOS = 10e9;

/** Times of one stage of one plan in one engine. */
export class StageTimes {
  readonly #named: Omit<StageLatency, 'nanoseconds'>;
  #histogram: RecordableHistogram | undefined;

  constructor({ stage }: CatalogStage, engine: StageEngine) {
    const operators = stage.steps.map(({ operator }) => operator);
    this.#named = { key: stage.key, operators, engine };
  }

  /** @param nanoseconds the time of one row. */
  record(nanoseconds: number): void {
    this.#histogram ??= createHistogram({ lowest: 1, highest: GREATEST_NANOS, figures: FIGURES });
    this.#histogram.record(Math.min(GREATEST_NANOS, Math.max(1, Math.round(nanoseconds))));
  }

  /** Returns a list with the statistics of the stage, or an empty list before the first sample. */
  stats(): StageLatency[] {
    return this.#histogram === undefined ? [] : [{ ...this.#named, nanoseconds: percentilesOf(this.#histogram) }];
  }
}
