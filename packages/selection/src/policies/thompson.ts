import { byName, drawOne, onlyAnswer, type SelectionPolicy } from '../policy.js';
import { EMPTY, emptyTallies, inheritedTallies, type Tallies, tallied } from './means.js';
import { checkNames, within } from './numbers.js';

/** Options of `thompson`. */
export interface ThompsonOptions {
  /**
   * How many of the latest observations the policy remembers, approximately: 1 to 2000. Default
   * 1000.
   */
  readonly memory?: number;
}

/**
 * Creates a policy that asks each candidate with the probability that it is the best candidate. The
 * policy assumes that the chance of a loss has a Beta distribution (Thompson sampling, 1933).
 *
 * The usual implementation draws a number from each distribution and asks the candidate with the
 * smallest number. This policy computes the probabilities with an integral instead, so that the log
 * contains them exactly. It computes the integral again only after feedback.
 *
 * Cost: one prediction per row, and about 100 µs per candidate at the first request after feedback.
 *
 * @throws ERR_SELECTION_OPTION
 * @example createSelection({ candidates, loss, policy: thompson() })
 */
export function thompson(options: ThompsonOptions = {}): SelectionPolicy<Tallies> {
  checkNames('thompson', options, { memory: true });
  const memory = within('thompson', 'memory', options.memory ?? 1000, 1, 2000);
  // Stores such as SQLite return a new object at each read, so the text of the tallies is the key.
  const integrated = new Map<string, readonly number[]>();
  const chances = (state: Tallies, candidates: readonly string[]): readonly number[] => {
    const tallies = candidates.map((name) => state[name] ?? EMPTY);
    let key = '';
    for (const { count, loss } of tallies) key += `${count},${loss};`;
    const known = integrated.get(key);
    if (known !== undefined) return known;
    const probabilities = chancesToBeBest(tallies);
    if (integrated.size >= MOST_INTEGRALS) integrated.clear();
    integrated.set(key, probabilities);
    return probabilities;
  };
  return {
    name: 'thompson',
    init: emptyTallies,
    inherit: inheritedTallies,
    select: (state, { candidates, random }) => drawOne(candidates, chances(state, candidates), random),
    weights: (state, candidates) => byName(candidates, chances(state, candidates)),
    combine: onlyAnswer,
    observe: (state, observation) => tallied(state, observation, memory),
  };
}

/**
 * The largest number of cached integrals. Each context has its own state and therefore its own
 * integral. A full cache is emptied.
 */
const MOST_INTEGRALS = 1000;
/**
 * The number of points at which the integral is computed. The points are dense enough: after 2000
 * observations, half of them losses, two standard deviations of the distribution are 46 points.
 */
const POINTS = 2048;
/**
 * A density below exp(-40) times the greatest density is treated as 0, because it does not change a
 * float64 sum.
 */
const NEGLIGIBLE = -40;
const middles = Float64Array.from({ length: POINTS }, (_, point) => (point + 0.5) / POINTS);
const logs = middles.map(Math.log);
const logsOfRest = middles.map((x) => Math.log1p(-x));

/** Returns, for each candidate, the probability that it has the smallest chance of a loss. */
export function chancesToBeBest(tallies: readonly { readonly count: number; readonly loss: number }[]): number[] {
  const densities = tallies.map(({ count, loss }) => density(loss + 1, count - loss + 1));
  const chances = tallies.map(() => 0);
  // above[k] is the probability that the chance of a loss of candidate k is above the current
  // point.
  const above = tallies.map(() => 1);
  for (let point = 0; point < POINTS; point++) {
    // Half of the probability of an interval is below its middle.
    for (let k = 0; k < tallies.length; k++) above[k]! -= densities[k]![point]! / 2;
    for (let k = 0; k < tallies.length; k++) {
      let others = densities[k]![point]!;
      for (let other = 0; other < tallies.length; other++) if (other !== k) others *= above[other]!;
      chances[k]! += Math.max(0, others);
    }
    for (let k = 0; k < tallies.length; k++) above[k]! -= densities[k]![point]! / 2;
  }
  const sum = chances.reduce((total, chance) => total + chance, 0);
  return chances.map((chance) => chance / sum);
}

/**
 * Returns the density of a Beta distribution in the middle of each of `POINTS` intervals, scaled so
 * that the sum is 1.
 */
function density(alpha: number, beta: number): Float64Array {
  const values = new Float64Array(POINTS);
  // The mode of the distribution, where the density is greatest.
  const mode = alpha + beta > 2 ? (alpha - 1) / (alpha + beta - 2) : 0.5;
  const at = Math.min(POINTS - 1, Math.floor(mode * POINTS));
  const top = (alpha - 1) * logs[at]! + (beta - 1) * logsOfRest[at]!;
  let sum = 0;
  for (let point = 0; point < POINTS; point++) {
    const log = (alpha - 1) * logs[point]! + (beta - 1) * logsOfRest[point]! - top;
    if (log < NEGLIGIBLE) continue;
    values[point] = Math.exp(log);
    sum += values[point]!;
  }
  for (let point = 0; point < POINTS; point++) values[point]! /= sum;
  return values;
}
