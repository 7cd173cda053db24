import type { Block } from '@brezel/core';

/** Cached results of stages, as engines use them. */
export interface CachedResults {
  /** Returns the cache of a stage, or undefined when its results are not cached. */
  of(stageKey: string): CachedStageResults | undefined;
}

/** The cached results of one stage. The implementation defines its keys. */
export interface CachedStageResults<Key = unknown> {
  /** Returns the key of an input; undefined when the stage should run without the cache. */
  keyOf(inputs: readonly Block[]): Key | undefined;
  /** Returns the cached result of a stage. */
  find(key: Key): readonly Block[] | undefined;
  /** Caches a copy of a result. */
  cache(key: Key, made: readonly Block[]): void;
}
