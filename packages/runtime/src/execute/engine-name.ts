import { runtimeError } from '../errors.js';

/**
 * `request-response`: on the calling thread, row by row, without pauses. `batch`: in blocks of
 * rows, with pauses for the event loop. `auto`: the runtime chooses one of the two by estimated
 * cost, rows and load. `reference`: slow; it defines the answer.
 */
export type EngineName = 'request-response' | 'batch' | 'auto' | 'reference';

/**
 * The engine of a call, and the reason for it. Part of the messages on `node:diagnostics_channel`.
 */
export interface EngineChoice {
  /**
   * The engine that the call or the registration requested. Undefined means none: then `predict`
   * chooses as `auto` does but ignores the load, and `predictBatch` uses `batch`.
   */
  readonly asked: EngineName | undefined;
  readonly engine: Exclude<EngineName, 'auto'> | 'worker';
  /** The reason in a few words. */
  readonly reason: string;
  /** The estimated cost of the rows: rows times `plan.nanosPerRow`. */
  readonly expectedNanoseconds: number;
  /** The number of rows of other calls in the queue. */
  readonly queuedRows: number;
}

/** Returns the error for an unknown engine. */
export const unknownEngine = (expected: string, received: unknown) =>
  runtimeError('ERR_RUNTIME_ENGINE', { expected, received: String(received) });
