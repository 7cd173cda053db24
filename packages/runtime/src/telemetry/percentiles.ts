import type { IntervalHistogram, RecordableHistogram } from 'node:perf_hooks';

/** Percentiles of measured times. */
export interface Percentiles {
  readonly samples: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  /** 99.9 % of the times are at most this long. */
  readonly p999: number;
  readonly max: number;
}

/**
 * Returns the percentiles of a histogram.
 * @param offset a number that is subtracted from every percentile
 */
export function percentilesOf(histogram: RecordableHistogram | IntervalHistogram, offset = 0): Percentiles {
  const samples = histogram.count;
  const at = (percentile: number) => (samples === 0 ? 0 : Math.max(0, histogram.percentile(percentile) - offset));
  return {
    samples,
    p50: at(50),
    p90: at(90),
    p99: at(99),
    p999: at(99.9),
    max: samples === 0 ? 0 : Math.max(0, histogram.max - offset),
  };
}
