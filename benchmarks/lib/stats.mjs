/** @param {Float64Array | number[]} sorted ascending @param {number} share 0 .. 1 */
function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

/** @typedef {{ median: number, p99: number, min: number, max: number, samples: number }} Summary */

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
  };
}

/** The middle of ratios, and the range of the middle half of them. @param {number[]} ratios */
export function spread(ratios) {
  const sorted = Float64Array.from(ratios).sort();
  return { ratio: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) };
}
