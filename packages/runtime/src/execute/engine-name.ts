import { runtimeError } from '../errors.js';

/**
 * `request-response`: on the calling thread, at once, row by row. `batch`: in blocks of rows,
 * between which the event loop gets its turn. `auto`: one of the two, by estimated cost, rows and
 * load. `reference`: slow, the definition of the answer.
 */
export type EngineName = 'request-response' | 'batch' | 'auto' | 'reference';

/**
 * The engine of a call, and why this one. Goes with the steps of the call to
 * `node:diagnostics_channel`.
 */
export interface EngineChoice {
  /**
   * What caller or registration asked for; undefined: nothing, which is `auto` for `predict`
   * without a look at the load, and `batch` for batches.
   */
  readonly asked: EngineName | undefined;
  readonly engine: Exclude<EngineName, 'auto'> | 'worker';
  /** In a few words, for people. */
  readonly reason: string;
  /** What the rows are expected to cost: rows times `plan.nanosPerRow`. */
  readonly expectedNanoseconds: number;
  /** Rows of other calls that waited for an answer. */
  readonly queuedRows: number;
}

/** What to throw. */
export const unknownEngine = (expected: string, received: unknown) =>
  runtimeError('ERR_RUNTIME_ENGINE', { expected, received: String(received) });
