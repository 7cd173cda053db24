/**
 * Weights of candidates as natural logarithms. The weights sum to 1. In this form they never
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
  const known = Object.keys(weights).length;
  const mean = known === 0 ? 0 : -Math.log(known);
  const logs = candidates.map((name) => weights[name] ?? mean);
  const top = Math.max(...logs);
  const scaled = logs.map((log) => Math.exp(log - top));
  const sum = scaled.reduce((total, weight) => total + weight, 0);
  return scaled.map((weight) => weight / sum);
}

/**
 * Multiplies the weight of each candidate by exp(-eta x loss). Then every candidate gives the
 * fraction `share` of its weight to a pot that all candidates divide equally (Herbster and Warmuth,
 * 1998), so that a candidate that recovers regains its weight within about ln(k / share) / eta
 * losses of the others.
 */
export function reweighted(
  weights: LogWeights,
  losses: Readonly<Record<string, number>>,
  eta: number,
  share: number,
): LogWeights {
  const names = [...new Set([...Object.keys(weights), ...Object.keys(losses)])];
  const mean = -Math.log(Math.max(1, Object.keys(weights).length));
  const logs = names.map((name) => (weights[name] ?? mean) - eta * (losses[name] ?? 0));
  const top = Math.max(...logs);
  const sum = logs.reduce((total, log) => total + Math.exp(log - top), 0);
  const shift = top + Math.log(sum);
  const floor = share / names.length;
  const next = (log: number) => (share > 0 ? Math.log((1 - share) * Math.exp(log) + floor) : log);
  return Object.fromEntries(names.map((name, at) => [name, next(logs[at]! - shift)]));
}
