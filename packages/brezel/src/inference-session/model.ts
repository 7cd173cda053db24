import type { Fetches, Results, RunOptions, ValueMetadata } from './types.js';

/** The model of a session: a row program or a program over whole tensors. */
export interface SessionModel {
  readonly inputs: readonly ValueMetadata[];
  readonly outputs: readonly ValueMetadata[];
  /** Inputs that a run may omit. */
  readonly optional: ReadonlySet<string>;
  /**
   * Answers one request. `names` are the outputs that the caller wants. Undefined means all outputs
   * that are tensors.
   */
  run(
    feeds: Readonly<Record<string, unknown>>,
    names: readonly string[] | undefined,
    options: RunOptions,
  ): Promise<Results>;
  release(): void;
}

/** The arguments of `run` after the feeds, in the forms of onnxruntime. */
export type FetchArguments = readonly [(Fetches | RunOptions)?, RunOptions?];
