import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import type { CatalogStage } from '../plans/catalog.js';
import { type Percentiles, percentilesOf } from './percentiles.js';

/** Where a stage ran. `device`: on the device of a lowered stage. */
export type StageEngine = 'native' | 'javascript' | 'device';

/** How long a stage of a plan takes. */
export interface StageLatency {
  /** The key of the stage. Equal keys are one stage, in any number of plans. */
  readonly key: string;
  readonly operators: readonly string[];
  /** A stage has two entries when a device and the CPU each ran some of its rows. */
  readonly engine: StageEngine;
  /** Nanoseconds for each row, to one significant figure; a block of rows is one sample. */
  readonly nanoseconds: Percentiles;
}

/**
 * Significant figures. One figure up to ten seconds takes 6 KiB for each stage, allocated at its
 * first sample.
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

  /** @param nanoseconds time of one row. */
  record(nanoseconds: number): void {
    this.#histogram ??= createHistogram({ lowest: 1, highest: GREATEST_NANOS, figures: FIGURES });
    this.#histogram.record(Math.min(GREATEST_NANOS, Math.max(1, Math.round(nanoseconds))));
  }

  /** Returns an empty list before the first sample. */
  stats(): StageLatency[] {
    return this.#histogram === undefined ? [] : [{ ...this.#named, nanoseconds: percentilesOf(this.#histogram) }];
  }
}
