import { type Clock, type Dictionary, within } from '@brezel/core';
import { runtimeError } from '../../errors.js';
import { dictionaryBytes } from '../../execute/rows/dictionaries.js';
import type { Column } from '../../execute/rows/row-schema.js';

/** Limits of the queue for all plans of a runtime together. Default: no limits. */
export interface QueueLimits {
  readonly maxQueuedRows?: number;
  /**
   * The maximal number of queued bytes. A number counts as 8 bytes, and a character of a text as
   * one byte.
   */
  readonly maxQueuedBytes?: number;
}

/** The current content of the queue. */
export interface QueueStatistics {
  readonly rows: number;
  readonly bytes: number;
  /** Number of rejected predictions since the runtime was created. */
  readonly refused: number;
}

/**
 * Counts the rows of asynchronous predictions from the call to the answer. Rejects rows above the
 * limits. Without limits, an overloaded service would answer every caller too late.
 */
export class Queue {
  readonly #clock: Clock;
  readonly #maxRows: number;
  readonly #maxBytes: number;
  #rows = 0;
  #bytes = 0;
  #refused = 0;
  #whenEmpty: (() => void)[] = [];

  /** @throws ERR_RUNTIME_OPTION for an invalid limit. */
  constructor({ maxQueuedRows = Infinity, maxQueuedBytes = Infinity }: QueueLimits = {}, clock: Clock) {
    this.#clock = clock;
    this.#maxRows = checkedLimit('limits.maxQueuedRows', maxQueuedRows);
    this.#maxBytes = checkedLimit('limits.maxQueuedBytes', maxQueuedBytes);
  }

  /**
   * Adds the rows of a call to the queue. The caller must call `leave` of the result to remove
   * them.
   *
   * @param isPaced if true, the queue counts the rows but never rejects them.
   * @throws ERR_RUNTIME_OVERLOADED if the rows exceed `maxQueuedRows`.
   */
  enter(plan: string, rows: number, isPaced = false): QueuePlace {
    if (!isPaced) this.#admit(plan, 'rows', this.#rows + rows, this.#maxRows);
    this.#rows += rows;
    return new QueuePlace(
      rows,
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

  /**
   * Returns a place in the queue for rows of a call. If the call already has a place, the method
   * `add` of the result adds bytes to this place. The method `leave` of the result then does
   * nothing, because the owner of the place removes the rows.
   *
   * @throws ERR_RUNTIME_OVERLOADED
   */
  placeOf({ place, isPaced }: PlacedCall, plan: string, rows: number): Pick<QueuePlace, 'add' | 'leave'> {
    if (place === undefined) return this.enter(plan, rows, isPaced);
    return { add: (columns) => place.add(columns), leave: () => {} };
  }

  get rows(): number {
    return this.#rows;
  }

  /** Returns the number of queued rows of all calls except the call with this place. */
  rowsBeside(place: CallPlace | undefined): number {
    return this.#rows - (place?.rows ?? 0);
  }

  /** Waits until the queue is empty, but at most `withinMs` milliseconds. */
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

/** The place of a call in the queue, for code that may not remove it from the queue. */
export type CallPlace = Pick<QueuePlace, 'rows' | 'add'>;

interface PlacedCall {
  readonly place?: CallPlace | undefined;
  readonly isPaced?: boolean;
}

/** The rows of one call in the queue. */
export class QueuePlace {
  /** The number of rows of the call. */
  readonly rows: number;
  readonly #take: (bytes: number) => void;
  readonly #giveBack: (bytes: number) => void;
  #bytes = 0;
  #left = false;

  constructor(rows: number, take: (bytes: number) => void, giveBack: (bytes: number) => void) {
    this.rows = rows;
    this.#take = take;
    this.#giveBack = giveBack;
  }

  /**
   * Adds the bytes of some checked rows to the queue.
   * @throws ERR_RUNTIME_OVERLOADED if the bytes exceed `maxQueuedBytes`.
   */
  add(columns: readonly Column[]): void {
    const bytes = columns.reduce((sum, column) => sum + columnBytes(column), 0);
    this.#take(bytes);
    this.#bytes += bytes;
  }

  /** Removes the call's rows from the queue. A second call does nothing. */
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
    if (value === undefined) continue; // an unused input
    bytes += value instanceof Map ? dictionaryBytes(value) : (value as string | Uint8Array).length;
  }
  return bytes;
}

function checkedLimit(option: string, limit: number): number {
  if (limit === Infinity || (Number.isSafeInteger(limit) && limit > 0)) return limit;
  throw runtimeError('ERR_RUNTIME_OPTION', { expected: `${option}, an integer from 1`, received: String(limit) });
}
