import type { Block } from '@brezel/core';

/** Results of stages that were kept, as engines ask for them. */
export interface CachedResults {
  /** Results of a stage, where they are kept. */
  of(stageKey: string): CachedStageResults | undefined;
}

/** Those of one stage. Who keeps them decides what a key is. */
export interface CachedStageResults<Key = unknown> {
  /** Undefined: the stage may run without asking, and without keeping. */
  keyOf(inputs: readonly Block[]): Key | undefined;
  /** What the stage made of such a row. */
  find(key: Key): readonly Block[] | undefined;
  /** Keeps a copy of what the stage made. */
  cache(key: Key, made: readonly Block[]): void;
}
