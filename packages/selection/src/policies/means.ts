import type { Observation } from '../policy.js';

/**
 * The weighted number of observations of a candidate, and the weighted sum of their losses. Old
 * observations have small weights.
 */
export interface Tally {
  readonly count: number;
  readonly loss: number;
  readonly [name: string]: number;
}

/** The tally of each candidate by name. */
export type Tallies = Readonly<Record<string, Tally>>;

export const EMPTY: Tally = { count: 0, loss: 0 };

/** Returns a tally of 0 for each candidate. */
export const emptyTallies = (candidates: readonly string[]): Tallies =>
  Object.fromEntries(candidates.map((name) => [name, EMPTY]));

/** A new context counts at most this many shared observations of each candidate. */
const INHERITED = 20;

/**
 * Returns the tallies with which a new context starts: the shared means, with the weight of at most
 * `INHERITED` observations.
 */
export const inheritedTallies = (shared: Tallies): Tallies =>
  Object.fromEntries(
    Object.entries(shared).map(([name, { count, loss }]) => {
      const part = Math.min(1, INHERITED / count);
      return [name, count === 0 ? EMPTY : { count: count * part, loss: loss * part }];
    }),
  );

/**
 * Returns the tallies after the losses of one more row. First multiplies all tallies by 1 - 1 /
 * memory, so that only about the last `memory` observations count.
 */
export function tallied(tallies: Tallies, { losses }: Observation, memory: number): Tallies {
  const fade = 1 - 1 / memory;
  const next: Record<string, Tally> = {};
  for (const [name, { count, loss }] of Object.entries(tallies))
    next[name] = { count: count * fade, loss: loss * fade };
  for (const [name, loss] of Object.entries(losses)) {
    const before = next[name] ?? EMPTY;
    next[name] = { count: before.count + 1, loss: before.loss + loss };
  }
  return next;
}
