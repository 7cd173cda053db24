import type { Block } from '@brezel/core';

/** Results of stages that were kept, as engines ask for them. */
export interface KeptResults {
  /** Results of a stage, where they are kept. */
  of(stageKey: string): KeptResultsOfStage | undefined;
}

/** Those of one stage. Who keeps them decides what a key is. */
export interface KeptResultsOfStage<Key = unknown> {
  /** Undefined: the stage may run without asking, and without keeping. */
  keyOf(inputs: readonly Block[]): Key | undefined;
  /** What the stage made of such a row. */
  find(key: Key): readonly Block[] | undefined;
  /** Keeps a copy of what the stage made. */
  keep(key: Key, made: readonly Block[]): void;
}
