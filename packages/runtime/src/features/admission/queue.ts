import { type Clock, type Dictionary, within } from '@brezel/core';
import { runtimeError } from '../../errors.js';
import { dictionaryBytes } from '../../execute/dictionaries.js';
import type { Column } from '../../execute/row-schema.js';

/** How much may wait for an answer at once, over all plans of a runtime. Default: any number. */
export interface QueueLimits {
  readonly maxQueuedRows?: number;
  /** A number counts as 8 bytes, a character of a text as one. */
  readonly maxQueuedBytes?: number;
}

/** What waits for an answer now. */
export interface QueueStatistics {
  readonly rows: number;
  readonly bytes: number;
  /** Predictions that were refused since the runtime was created. */
  readonly refused: number;
}

/**
 * Counts the rows of asynchronous predictions from the call to the answer, and refuses what would
 * be too many: a service that takes more than it can answer answers nobody in time.
 */
export class Queue {
  readonly #clock: Clock;
  readonly #maxRows: number;
  readonly #maxBytes: number;
  #rows = 0;
  #bytes = 0;
  #refused = 0;
  #whenEmpty: (() => void)[] = [];

  /** @throws ERR_RUNTIME_OPTION */
  constructor({ maxQueuedRows = Infinity, maxQueuedBytes = Infinity }: QueueLimits = {}, clock: Clock) {
    this.#clock = clock;
    this.#maxRows = checkedLimit('limits.maxQueuedRows', maxQueuedRows);
    this.#maxBytes = checkedLimit('limits.maxQueuedBytes', maxQueuedBytes);
  }

  /**
   * A place for the rows of a call, who gives it back by `leave`.
   *
   * @param isPaced counted, and never refused.
   * @throws ERR_RUNTIME_OVERLOADED
   */
  enter(plan: string, rows: number, isPaced = false): QueuePlace {
    if (!isPaced) this.#admit(plan, 'rows', this.#rows + rows, this.#maxRows);
    this.#rows += rows;
    return new QueuePlace(
      (bytes) => {
        if (!isPaced) this.#admit(plan, 'bytes', this.#bytes + bytes, this.#maxBytes);
        this.#bytes += bytes;
      },
      (bytes) => {
        this.#rows -= rows;
        this.#bytes -= bytes;
        if (this.#rows === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve();
      },
    );
  }

  get rows(): number {
    return this.#rows;
  }

  /** Resolves when nothing waits for an answer, or `withinMs` are over. */
  async drained(withinMs: number): Promise<void> {
    if (this.#rows === 0) return;
    const empty = new Promise<void>((resolve) => this.#whenEmpty.push(resolve));
    await within(this.#clock, withinMs, empty);
  }

  stats(): QueueStatistics {
    return { rows: this.#rows, bytes: this.#bytes, refused: this.#refused };
  }

  #admit(plan: string, unit: string, wanted: number, limit: number): void {
    if (wanted <= limit) return;
    this.#refused++;
    throw runtimeError('ERR_RUNTIME_OVERLOADED', { received: `${wanted} ${unit}, the limit is ${limit}`, at: plan });
  }
}

/** The rows of one call in the queue. */
export class QueuePlace {
  readonly #take: (bytes: number) => void;
  readonly #giveBack: (bytes: number) => void;
  #bytes = 0;
  #left = false;

  constructor(take: (bytes: number) => void, giveBack: (bytes: number) => void) {
    this.#take = take;
    this.#giveBack = giveBack;
  }

  /** Counts the bytes of some of its rows, as they were admitted. @throws ERR_RUNTIME_OVERLOADED */
  add(columns: readonly Column[]): void {
    const bytes = columns.reduce((sum, column) => sum + columnBytes(column), 0);
    this.#take(bytes);
    this.#bytes += bytes;
  }

  /** Once is enough, twice does no harm. */
  leave(): void {
    if (this.#left) return;
    this.#left = true;
    this.#giveBack(this.#bytes);
  }
}

function columnBytes(column: Column): number {
  if (!Array.isArray(column)) return column.byteLength;
  let bytes = 0;
  for (const value of column as (string | Uint8Array | Dictionary | undefined)[]) {
    if (value === undefined) continue; // no stage reads it
    bytes += value instanceof Map ? dictionaryBytes(value) : (value as string | Uint8Array).length;
  }
  return bytes;
}

function checkedLimit(option: string, limit: number): number {
  if (limit === Infinity || (Number.isSafeInteger(limit) && limit > 0)) return limit;
  throw runtimeError('ERR_RUNTIME_OPTION', { expected: `${option}, an integer from 1`, received: String(limit) });
}
