import type { Json } from '../json.js';

/**
 * Computes the new states from the old ones, in the order of the keys. It can be called several
 * times, so it must be pure.
 */
export type Change = (states: readonly (Json | undefined)[]) => readonly Json[];

/**
 * Holds the states of policies by key. `createSelection` uses one key for all requests and one per
 * context.
 */
export interface SelectionStore {
  /** Returns the state of a key, or undefined if it has none. */
  read(key: string): Json | undefined | Promise<Json | undefined>;
  /** Changes the states of several keys in one atomic step. */
  update(keys: readonly string[], change: Change): void | Promise<void>;
}
