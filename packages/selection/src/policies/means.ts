import type { Observation } from '../policy.js';

/** How often a candidate was observed, and the sum of its losses. Old observations count less. */
export interface Tally {
  readonly count: number;
  readonly loss: number;
  readonly [name: string]: number;
}

/** The tallies of the candidates. */
export type Tallies = Readonly<Record<string, Tally>>;

export const EMPTY: Tally = { count: 0, loss: 0 };

/** Returns a tally of 0 for each candidate. */
export const emptyTallies = (candidates: readonly string[]): Tallies =>
  Object.fromEntries(candidates.map((name) => [name, EMPTY]));

/**
 * Adds the losses of one row. Each observation first multiplies all tallies by 1 - 1 / memory, so
 * that about the last `memory` observations count.
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
