import { runtimeError } from '../errors.js';

/**
 * The name of an engine. `request-response` runs row by row on the calling thread, without pauses.
 * `batch` runs blocks of rows, with pauses for the event loop. `auto` selects one of these two by
 * estimated cost, number of rows and load. `reference` is slow and defines the answer.
 */
export type EngineName = 'request-response' | 'batch' | 'auto' | 'reference';

/**
 * The engine of a call, and why it was selected. It is a part of the messages on
 * `node:diagnostics_channel`.
 */
export interface EngineChoice {
  /**
   * The engine that the call or the registration requested. Undefined if neither requested an
   * engine. Then `predict` selects an engine as `auto` does, but ignores the load, and
   * `predictBatch` uses `batch`.
   */
  readonly asked: EngineName | undefined;
  readonly engine: Exclude<EngineName, 'auto'> | 'worker';
  /** Why the engine was selected, in a few words. */
  readonly reason: string;
  /** The estimated time for the rows of the call: the number of rows times `plan.nanosPerRow`. */
  readonly expectedNanoseconds: number;
  /** The number of rows of other calls in the queue. */
  readonly queuedRows: number;
}

/** Returns the error for an unknown engine name. */
export const unknownEngine = (expected: string, received: unknown) =>
  runtimeError('ERR_RUNTIME_ENGINE', { expected, received: String(received) });
