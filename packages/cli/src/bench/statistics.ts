// Statistics of ratios. All times of one process depend on its memory layout and its JIT code, so
// they are not independent. A process is therefore one sample: the median of its rounds. Intervals
// are Student's intervals of the logarithms of these medians. A noisy machine makes the intervals
// wide, not wrong.

/** A ratio and its confidence interval. */
export interface Interval {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

/**
 * `regressed` and `improved`: the whole interval is beyond the threshold. `slower` and `faster`:
 * the difference is certain, but within the threshold. `same`: no difference is certain.
 */
export type Verdict = 'regressed' | 'slower' | 'same' | 'faster' | 'improved';

/**
 * Returns a quantile of sorted samples.
 *
 * @param sorted ascending
 */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}

export function median(samples: ArrayLike<number>): number {
  const sorted = Float64Array.from(samples).sort();
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

/**
 * Returns the ratio of two measurements from separate processes.
 *
 * @param head one list for each process with one number above 0 for each round; at least two
 * processes.
 * @param base the other measurement, in the same form.
 * @param confidence of the interval, such as 0.99.
 * @example unpairedRatio([[12, 13], [12, 12]], [[10, 10], [11, 10]], 0.99).ratio // 1.2
 */
export function unpairedRatio(
  head: readonly (readonly number[])[],
  base: readonly (readonly number[])[],
  confidence: number,
): Interval {
  const [a, b] = [moments(head.map(logMedian)), moments(base.map(logMedian))];
  const [ofA, ofB] = [a.variance / a.count, b.variance / b.count];
  // Welch's formula, because the variances may differ.
  const freedom = (ofA + ofB) ** 2 / (ofA ** 2 / (a.count - 1) + ofB ** 2 / (b.count - 1));
  const margin = ofA + ofB === 0 ? 0 : studentQuantile(confidence, Math.floor(freedom)) * Math.sqrt(ofA + ofB);
  return around(a.mean - b.mean, margin);
}

/**
 * Returns the geometric mean of the processes' median ratios, with its confidence interval. Each
 * ratio was measured within one round of one process.
 *
 * @param ratios one list for each process; at least two processes.
 */
export function pairedRatio(ratios: readonly (readonly number[])[], confidence: number): Interval {
  const { mean, variance, count } = moments(ratios.map(logMedian));
  return around(mean, variance === 0 ? 0 : studentQuantile(confidence, count - 1) * Math.sqrt(variance / count));
}

/**
 * Returns the verdict of an interval.
 *
 * @param threshold allowed increase, such as 0.1.
 */
export function verdictOf({ low, high }: Interval, threshold: number): Verdict {
  if (low > 1 + threshold) return 'regressed';
  if (high < 1 / (1 + threshold)) return 'improved';
  if (low > 1) return 'slower';
  return high < 1 ? 'faster' : 'same';
}

/**
 * Returns the confidence that each comparison needs, so that all comparisons together have the
 * given confidence (Bonferroni).
 */
export const confidenceOfEach = (confidence: number, comparisons: number) =>
  1 - (1 - confidence) / Math.max(1, comparisons);

const logMedian = (rounds: readonly number[]) => Math.log(median(rounds));

const around = (middle: number, margin: number): Interval => ({
  ratio: Math.exp(middle),
  low: Math.exp(middle - margin),
  high: Math.exp(middle + margin),
});

function moments(samples: readonly number[]): { mean: number; variance: number; count: number } {
  const count = samples.length;
  const mean = samples.reduce((sum, one) => sum + one, 0) / count;
  const variance = samples.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (count - 1);
  return { mean, variance, count };
}

/**
 * The number of times that `studentQuantile` halves its search interval. After them, the ends of
 * the interval differ by less than 1e-15, or are neighboring floating-point numbers.
 */
const BISECTIONS = 80;
/**
 * The upper end of the first search interval of `studentQuantile`. The largest possible result is
 * far below this number: confidence 0.9999999 with one degree of freedom gives 6.4e6.
 */
const WIDEST = 1e9;

/** Returns t such that a Student variable is between -t and t with this confidence. */
export function studentQuantile(confidence: number, freedom: number): number {
  let [low, high] = [0, WIDEST];
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2;
    if (studentWithin(middle, Math.max(1, freedom)) < confidence) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * Returns the probability that a Student variable is between -t and t (Abramowitz and Stegun
 * 26.7.3, 26.7.4; exact).
 */
function studentWithin(t: number, freedom: number): number {
  const angle = Math.atan(t / Math.sqrt(freedom));
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const isOdd = freedom % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = freedom === 1 ? 0 : term;
  for (let at = isOdd ? 3 : 2; at <= freedom - 2; at += 2) {
    term *= ((at - 1) / at) * cosine ** 2;
    sum += term;
  }
  return isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
}
