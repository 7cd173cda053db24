import type { Json } from '../json.js';

/**
 * A function that computes the new states from the old ones, in the order of the keys. The store
 * may call it several times, so it must be pure.
 */
export type Change = (states: readonly (Json | undefined)[]) => readonly Json[];

/**
 * Holds the states of policies by key. A selection has one key for the state that all contexts
 * share, and one key for each context.
 */
export interface SelectionStore {
  /** Returns the state of a key, or undefined if the key has no state. */
  read(key: string): Json | undefined | Promise<Json | undefined>;
  /** Changes the states of several keys together, as one atomic change. */
  update(keys: readonly string[], change: Change): void | Promise<void>;
}
