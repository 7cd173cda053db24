/**
 * The natural logarithm of each candidate's weight, by name. The weights sum to 1. Logarithms do
 * not underflow, even after many losses.
 */
export type LogWeights = Readonly<Record<string, number>>;

/** Returns the same weight for each candidate. */
export const equalWeights = (candidates: readonly string[]): LogWeights =>
  Object.fromEntries(candidates.map((name) => [name, -Math.log(candidates.length)]));

/**
 * Returns the weights of the given candidates, scaled so that they sum to 1. A new candidate, which
 * has no weight yet, gets the mean weight.
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

/**
 * Returns the weights with which a new context starts: the shared weights, but at least half of an
 * equal weight for each candidate. Without this limit, a candidate that is bad in most contexts
 * would need hundreds of feedbacks in a context where it is the best.
 */
export function inheritedWeights(shared: LogWeights): LogWeights {
  const least = meanOf(shared) - Math.LN2;
  const limited = Object.entries(shared).map(([name, log]) => [name, Math.max(log, least)] as const);
  const sum = limited.reduce((total, [, log]) => total + Math.exp(log), 0);
  return Object.fromEntries(limited.map(([name, log]) => [name, log - Math.log(sum)]));
}

/**
 * Returns the logarithm of the mean weight. The weights sum to 1, so their mean is 1 divided by the
 * number of candidates.
 */
const meanOf = (weights: LogWeights): number => -Math.log(Math.max(1, Object.keys(weights).length));

/**
 * Returns the weights after losses. Multiplies the weight of each candidate by exp(-eta x loss).
 * Then divides the fraction `share` of every weight equally among all k candidates (Herbster and
 * Warmuth, 1998). Every weight therefore stays above share / k. If a candidate becomes better than
 * the others, its weight is large again after each other candidate has lost about ln(k / share) /
 * eta more.
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
