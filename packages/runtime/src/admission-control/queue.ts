import type { Row } from '../admission.js';
import { runtimeError } from '../errors.js';

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
 * Counts the rows of asynchronous predictions from the call to the answer, and refuses what would be too many: a service that takes more than it can
 * answer answers nobody in time.
 */
export class Queue {
  readonly #maxRows: number;
  readonly #maxBytes: number;
  #rows = 0;
  #bytes = 0;
  #refused = 0;

  /** @throws ERR_RUNTIME_OPTION */
  constructor({ maxQueuedRows = Infinity, maxQueuedBytes = Infinity }: QueueLimits = {}) {
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
      },
    );
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

  /** Counts the bytes of some of its rows. @throws ERR_RUNTIME_OVERLOADED */
  add(rows: readonly Row[]): void {
    let bytes = 0;
    for (const row of rows) bytes += rowBytes(row);
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

/** Of a row as it was given: it may be wrong in any way. */
function rowBytes(row: unknown): number {
  if (typeof row !== 'object' || row === null) return elementBytes(row);
  let bytes = 0;
  for (const name in row) bytes += valueBytes((row as Record<string, unknown>)[name]);
  return bytes;
}

/** A list, a dictionary as Map or object, or one element. */
function valueBytes(value: unknown): number {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (value instanceof Map) {
    let bytes = 0;
    for (const [key, entry] of value) bytes += elementBytes(key) + entryBytes(entry);
    return bytes;
  }
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return entryBytes(value);
  let bytes = 0;
  for (const key in value) bytes += key.length + entryBytes((value as Record<string, unknown>)[key]);
  return bytes;
}

/** An element, or a list of them. */
function entryBytes(entry: unknown): number {
  if (!Array.isArray(entry)) return elementBytes(entry);
  let bytes = 0;
  for (const element of entry) bytes += elementBytes(element);
  return bytes;
}

const elementBytes = (element: unknown): number => (typeof element === 'string' ? element.length : 8);

function checkedLimit(option: string, limit: number): number {
  if (limit === Infinity || (Number.isSafeInteger(limit) && limit > 0)) return limit;
  throw runtimeError('ERR_RUNTIME_OPTION', { expected: `${option}, an integer from 1`, received: String(limit) });
}
