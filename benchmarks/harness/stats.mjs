/**
 * Returns a quantile of the samples.
 *
 * @param {Float64Array | number[]} sorted ascending
 * @param {number} share of the samples that are below the result, 0 to 1
 */
function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

/**
 * A range of values, both ends included.
 *
 * @typedef {{ min: number, max: number }} Range
 */
/**
 * @typedef {{ median: number, p99: number, min: number, max: number, samples: number, expected?:
 * Range }} Summary
 *   With few samples, `expected` is the range in which the median of another run is expected.
 */

/** Student's quantiles (two-sided, 99 %) for 1, 2, ... degrees of freedom. */
const STUDENT = [63.66, 9.925, 5.841, 4.604, 4.032, 3.707];
/**
 * With at least this many samples, `expectedRange` returns the range from the smallest to the
 * largest sample.
 */
const MANY = STUDENT.length + 2;
/** Runs that differ by a smaller factor are considered equal. */
export const RESOLUTION = 1.02;

/**
 * Returns the range in which the median of another run is expected: from the smallest to the
 * largest sample, with both ends moved outward by the factor `RESOLUTION`. With few samples, that
 * range is too narrow: a fourth sample is between the smallest and the largest of three samples in
 * only half of the cases. The range is therefore at least Student's 99 % interval of the
 * logarithms. Returns undefined for a single sample.
 *
 * @param {ArrayLike<number>} samples above 0
 * @returns {Range | undefined}
 */
export function expectedRange(samples) {
  const list = Array.from(samples);
  if (list.length < 2) return undefined;
  let [min, max] = [Math.min(...list), Math.max(...list)];
  if (list.length < MANY && min > 0) {
    const logs = list.map(Math.log);
    const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
    const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1);
    const reach = STUDENT[logs.length - 2] * Math.sqrt((2 * variance) / logs.length);
    [min, max] = [Math.min(min, Math.exp(mean - reach)), Math.max(max, Math.exp(mean + reach))];
  }
  return { min: min / RESOLUTION, max: max * RESOLUTION };
}

/**
 * Summarizes samples.
 *
 * @param {ArrayLike<number>} samples
 * @returns {Summary}
 */
export function summary(samples) {
  const sorted = Float64Array.from(samples).sort();
  return {
    median: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    min: sorted[0],
    max: sorted[sorted.length - 1],
    samples: sorted.length,
    ...(sorted.length > 1 && sorted.length < MANY && { expected: expectedRange(sorted) }),
  };
}

/**
 * Summarizes ratios: their median (`ratio`), their middle half (`low` to `high`), and the range in
 * which the median of another run is expected (`min` to `max`).
 *
 * @param {number[]} ratios
 * @returns {{ ratio: number, low: number, high: number, min?: number, max?: number }}
 */
export function spread(ratios) {
  const sorted = Float64Array.from(ratios).sort();
  return {
    ratio: quantile(sorted, 0.5),
    low: quantile(sorted, 0.25),
    high: quantile(sorted, 0.75),
    ...expectedRange(sorted),
  };
}

/** Number of groups into which a list is divided to estimate the range of a maximum or p99. */
const GROUPS = 5;

/**
 * Returns the range in which the maximum or p99 of another run is expected. Estimates it from the
 * values of `extreme` for several groups of the list.
 *
 * @template T
 * @param {readonly T[]} list
 * @param {(part: T[]) => number} extreme
 */
export function expectedExtreme(list, extreme) {
  const parts = Array.from({ length: Math.min(GROUPS, list.length) }, (_, group) =>
    list.filter((_, index) => index % GROUPS === group),
  );
  return expectedRange(parts.map(extreme));
}

/**
 * Returns the ratio of two medians that were sampled separately, with the range that the expected
 * ranges of both medians allow.
 *
 * @param {ArrayLike<number>} above
 * @param {ArrayLike<number>} below
 */
export function ratioOf(above, below) {
  const [one, other] = [expectedRange(above), expectedRange(below)];
  const ratio = summary(above).median / summary(below).median;
  return one === undefined || other === undefined
    ? { ratio }
    : { ratio, min: one.min / other.max, max: one.max / other.min };
}
