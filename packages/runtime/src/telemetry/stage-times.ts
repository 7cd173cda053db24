import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import type { CatalogStage } from '../plans/catalog.js';
import { type Percentiles, percentilesOf } from './percentiles.js';

/** Where a stage was run. `device`: by the device of a lowered stage. */
export type StageEngine = 'native' | 'javascript' | 'device';

/** How long a stage of a plan takes. */
export interface StageLatency {
  /** Equal keys are one stage, however many plans run it. */
  readonly key: string;
  readonly operators: readonly string[];
  /** A stage that a device and the CPU ran, each some of the rows, is there twice. */
  readonly engine: StageEngine;
  /** Nanoseconds a row; a block of rows is one sample. To a tenth of their size. */
  readonly nanoseconds: Percentiles;
}

/** One significant figure up to ten seconds takes 6 KiB a stage, made at its first sample. */
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

  /** @param nanoseconds a row. */
  record(nanoseconds: number): void {
    this.#histogram ??= createHistogram({ lowest: 1, highest: GREATEST_NANOS, figures: FIGURES });
    this.#histogram.record(Math.min(GREATEST_NANOS, Math.max(1, Math.round(nanoseconds))));
  }

  /** None before the first sample. */
  stats(): StageLatency[] {
    return this.#histogram === undefined ? [] : [{ ...this.#named, nanoseconds: percentilesOf(this.#histogram) }];
  }
}
