/** @param {Float64Array | number[]} sorted ascending @param {number} share 0 .. 1 */
function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

/** @typedef {{ min: number, max: number }} Range */
/** @typedef {{ median: number, p99: number, min: number, max: number, samples: number, expected?: Range }} Summary expected: of few samples, where another run's median lies */

/** Student's quantiles, two-sided 99 %, by degrees of freedom from 1 on. */
const STUDENT = [63.66, 9.925, 5.841, 4.604, 4.032, 3.707];
/** So many samples state their spread by the least and the largest of them. */
const MANY = STUDENT.length + 2;
/** Closer than this no two runs are told apart. */
export const RESOLUTION = 1.02;

/**
 * Where the median of another run of the same experiment is expected: from the least to the largest sample. Of few samples that is too narrow (three
 * hold the next one in half of the cases): then Student's interval for another median of as many, at 99 %, of their logarithms; nothing of a single one.
 *
 * @param {ArrayLike<number>} samples above 0 @returns {Range | undefined}
 */
export function stated(samples) {
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
    ...(sorted.length > 1 && sorted.length < MANY && { expected: stated(sorted) }),
  };
}

/** The middle of ratios, the range of the middle half of them, and the spread that they state. @param {number[]} ratios @returns {{ ratio: number, low: number, high: number, min?: number, max?: number }} */
export function spread(ratios) {
  const sorted = Float64Array.from(ratios).sort();
  return { ratio: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75), ...stated(sorted) };
}

/** Parts that a list is dealt out into, for the spread of what is an extreme: the largest, a p99. */
const GROUPS = 5;

/** The spread of an extreme: of what it is in parts of the list, dealt out in turns. @template T @param {readonly T[]} list @param {(part: T[]) => number} extreme */
export function statedExtreme(list, extreme) {
  const parts = Array.from({ length: Math.min(GROUPS, list.length) }, (_, group) =>
    list.filter((_, at) => at % GROUPS === group),
  );
  return stated(parts.map(extreme));
}

/** A ratio of two things that were sampled apart from each other: with the least and the largest that their spreads allow. @param {ArrayLike<number>} above @param {ArrayLike<number>} below */
export function ratioOf(above, below) {
  const [one, other] = [stated(above), stated(below)];
  const ratio = summary(above).median / summary(below).median;
  return one === undefined || other === undefined
    ? { ratio }
    : { ratio, min: one.min / other.max, max: one.max / other.min };
}
