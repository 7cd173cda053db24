/**
 * The natural logarithms of the weights of candidates. The weights sum to 1. Logarithms never
 * underflow, however many losses are observed.
 */
export type LogWeights = Readonly<Record<string, number>>;

/** Returns equal weights. */
export const equalWeights = (candidates: readonly string[]): LogWeights =>
  Object.fromEntries(candidates.map((name) => [name, -Math.log(candidates.length)]));

/**
 * Returns the weights of the given candidates; they sum to 1. A candidate without a weight is new
 * and gets the mean of the known weights.
 */
export function weightsOf(weights: LogWeights, candidates: readonly string[]): number[] {
  let top = -Infinity;
  const logs = new Array<number>(candidates.length);
  for (let at = 0; at < logs.length; at++) {
    const log = weights[candidates[at]!] ?? meanOf(weights);
    logs[at] = log;
    if (log > top) top = log;
  }
  let sum = 0;
  for (let at = 0; at < logs.length; at++) {
    logs[at] = Math.exp(logs[at]! - top);
    sum += logs[at]!;
  }
  for (let at = 0; at < logs.length; at++) logs[at]! /= sum;
  return logs;
}

/** Returns the logarithm of the mean weight. The weights sum to 1. */
const meanOf = (weights: LogWeights): number => -Math.log(Math.max(1, Object.keys(weights).length));

/**
 * Multiplies the weight of each candidate by exp(-eta x loss). Then the fraction `share` of every
 * weight is divided equally among all k candidates (Herbster and Warmuth, 1998). So a candidate
 * that becomes better regains its weight within about ln(k / share) / eta losses of the others.
 */
export function reweighted(
  weights: LogWeights,
  losses: Readonly<Record<string, number>>,
  eta: number,
  share: number,
): LogWeights {
  const names = [...new Set([...Object.keys(weights), ...Object.keys(losses)])];
  const mean = meanOf(weights);
  const logs = names.map((name) => (weights[name] ?? mean) - eta * (losses[name] ?? 0));
  const top = Math.max(...logs);
  const sum = logs.reduce((total, log) => total + Math.exp(log - top), 0);
  const shift = top + Math.log(sum);
  const floor = share / names.length;
  const next = (log: number) => (share > 0 ? Math.log((1 - share) * Math.exp(log) + floor) : log);
  return Object.fromEntries(names.map((name, at) => [name, next(logs[at]! - shift)]));
}
