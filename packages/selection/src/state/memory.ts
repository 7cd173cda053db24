import type { Json } from '../json.js';
import { within } from '../policies/numbers.js';
import type { SelectionStore } from './store.js';

/** Options of `memoryState`. */
export interface MemoryStateOptions {
  /**
   * The largest number of states. Each context has a state. Beyond this number, the least recently
   * used state is deleted, and its context starts again from the state that all contexts share.
   * Default 100,000.
   */
  readonly maxKeys?: number;
}

/**
 * Creates a store that holds the states in the memory of this process. The states are lost when the
 * process ends.
 *
 * @throws ERR_SELECTION_OPTION
 * @example createSelection({ candidates, loss, state: memoryState({ maxKeys: 10_000 }) })
 */
export function memoryState({ maxKeys = 100_000 }: MemoryStateOptions = {}): SelectionStore {
  within('memoryState', 'maxKeys', maxKeys, 2, 2 ** 24);
  // A Map iterates in the order of insertion, and each use inserts the key again. The first key is
  // therefore the least recently used key.
  const states = new Map<string, Json>();
  const put = (key: string, state: Json) => {
    states.delete(key);
    states.set(key, state);
  };
  return {
    read(key) {
      const state = states.get(key);
      if (state !== undefined) put(key, state);
      return state;
    },
    update(keys, change) {
      const next = change(keys.map((key) => states.get(key)));
      keys.forEach((key, at) => {
        put(key, next[at]!);
      });
      if (states.size <= maxKeys) return;
      // Deletes several states at once, because a Map finds its first entry slowly after many
      // deletions.
      const left = maxKeys - Math.floor(maxKeys / 64);
      for (const key of states.keys()) {
        if (states.size <= left) break;
        states.delete(key);
      }
    },
  };
}
