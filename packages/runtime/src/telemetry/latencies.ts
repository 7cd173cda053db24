import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { type Percentiles, percentilesOf } from './percentiles.js';
import { Sampler } from './sampler.js';

/** Verbs of the runtime that answer rows; `predictManySync` is observed as `predictMany`. */
export type PredictionVerb = 'predictSync' | 'predict' | 'predictBatch' | 'predictStream' | 'predictMany';

/**
 * Times from call to answer, by verb: of one row, of a whole batch, of one block of a stream. In
 * nanoseconds.
 */
export type LatencyStatistics = Readonly<Partial<Record<PredictionVerb, Percentiles>>>;

export interface LatencyOptions {
  /**
   * `predictSync` and `predictManySync` are measured once in so many calls, 1 to 1000; other verbs
   * always. Measuring takes about 0.1 µs. Default 8.
   */
  readonly sampleEvery?: number;
  /**
   * Times of the stages, too, of one row or block of rows in so many, 1 to 1000; a row with clocks
   * takes some 0.6 µs longer, and a stage 6 KiB. Rows that a cache knows have no stages. A chunk
   * that executors run counts as a block, a row of `predictMany` as a row of each of its plans.
   * Default: not.
   */
  readonly stagesEvery?: number;
}

/** Two significant figures up to a minute take 30 KiB a verb, made at its first answer. */
const FIGURES = 2;
const GREATEST_NANOS = 60e9;

/** Latencies of one plan. */
export class Latencies {
  readonly #histograms = new Map<PredictionVerb, RecordableHistogram>();
  readonly #sampler: Sampler;

  constructor(sampleEvery: number) {
    this.#sampler = new Sampler(sampleEvery);
  }

  /** Whether it is the turn of this call to be measured. */
  takesSample(): boolean {
    return this.#sampler.takes();
  }

  record(verb: PredictionVerb, nanoseconds: number): void {
    let histogram = this.#histograms.get(verb);
    if (histogram === undefined) {
      histogram = createHistogram({ lowest: 1, highest: GREATEST_NANOS, figures: FIGURES });
      this.#histograms.set(verb, histogram);
    }
    histogram.record(Math.min(GREATEST_NANOS, Math.max(1, Math.round(nanoseconds))));
  }

  stats(): LatencyStatistics {
    return Object.fromEntries([...this.#histograms].map(([verb, histogram]) => [verb, percentilesOf(histogram)]));
  }
}
