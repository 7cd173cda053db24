import type { Block } from '@brezel/core';

/** The interface with which engines look up and cache results of stages. */
export interface CachedResults {
  /** Returns the cache of a stage, or undefined when its results are not cached. */
  of(stageKey: string): CachedStageResults | undefined;
}

/**
 * The cached results of one stage. `Key` is the type of the keys, which the implementation chooses.
 */
export interface CachedStageResults<Key = unknown> {
  /**
   * Returns the key of one row of the stage's inputs, or undefined if the stage should run on this
   * row without the cache.
   */
  keyOf(inputs: readonly Block[], row: number): Key | undefined;
  /** Returns the cached result for a key, as blocks of one row, or undefined. */
  find(key: Key): readonly Block[] | undefined;
  /** Copies the result in row `row` of the outputs into the cache. */
  cache(key: Key, outputs: readonly Block[], row: number): void;
}
