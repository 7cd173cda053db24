import { runtimeError } from '../../errors.js';

export type Source<T> = Iterable<T> | AsyncIterable<T>;
type Result<T> = IteratorResult<T, unknown>;

/**
 * Reads a source block by block. A block has at most `maxRows` rows. From an asynchronous source, a
 * block ends earlier if no more rows arrive in the same turn of the event loop. The reader requests
 * at most one row that is not in the current block.
 */
export class BlockReader<T> {
  readonly #iterator: Iterator<T, unknown> | AsyncIterator<T, unknown>;
  readonly #isAsync: boolean;
  readonly #maxRows: number;
  readonly #signal: AbortSignal | undefined;
  /** A row that was requested from the source and has not arrived. */
  #pending: Promise<Result<T>> | undefined;
  #isDone = false;
  /** An error of the source, which `next` throws after the rows before the error are answered. */
  #failure: { readonly error: unknown } | undefined;
  /**
   * Rejects the current wait for a row. It replaces `Promise.race`, because repeated races on the
   * same pending promise leak memory.
   */
  #failWait: ((error: unknown) => void) | undefined;
  #endWait: (() => void) | undefined;
  readonly #onAbort = () => this.#failWait?.(this.#signal!.reason);

  constructor(source: Source<T>, maxRows: number, signal: AbortSignal | undefined) {
    this.#isAsync = Symbol.asyncIterator in source;
    this.#iterator = this.#isAsync
      ? (source as AsyncIterable<T>)[Symbol.asyncIterator]()
      : (source as Iterable<T>)[Symbol.iterator]();
    this.#maxRows = maxRows;
    this.#signal = signal;
    signal?.addEventListener('abort', this.#onAbort);
  }

  /**
   * Returns the next block, or an empty block at the end of the source.
   *
   * @throws the errors of the source, and the reason of the signal.
   */
  async next(): Promise<T[]> {
    this.#signal?.throwIfAborted();
    if (this.#failure !== undefined) throw this.#failure.error;
    const rows: T[] = [];
    try {
      if (!this.#isDone) await (this.#isAsync ? this.#gather(rows) : this.#take(rows));
    } catch (error) {
      if (rows.length === 0 || this.#signal?.aborted) throw error;
      this.#failure = { error };
    }
    return rows;
  }

  /**
   * Closes a source before its end. Does not wait for a pending row, because the row may never
   * arrive.
   */
  async close(): Promise<void> {
    this.#signal?.removeEventListener('abort', this.#onAbort);
    if (this.#isDone) return;
    this.#isDone = true;
    const closed = (async () => this.#iterator.return?.())();
    if (this.#pending === undefined) await closed;
    else closed.catch(() => {}); // ignore errors, because the reader no longer waits for the source
  }

  #take(rows: T[]): void {
    while (rows.length < this.#maxRows) {
      const result = this.#asEnd(() => this.#iterator.next() as Result<T>);
      if (result.done) return;
      rows.push(result.value);
    }
  }

  async #gather(rows: T[]): Promise<void> {
    let isTurnOver = false;
    let turn: NodeJS.Immediate | undefined;
    try {
      while (rows.length < this.#maxRows && !isTurnOver) {
        const result = await this.#result();
        if (result === undefined || result.done) return;
        rows.push(result.value);
        turn ??= setImmediate(() => {
          isTurnOver = true;
          this.#endWait?.();
        });
      }
    } finally {
      clearImmediate(turn);
    }
  }

  /** Returns the next result of the source, or undefined if `#endWait` was called first. */
  async #result(): Promise<Result<T> | undefined> {
    this.#pending ??= (async () => this.#iterator.next())();
    const pending = this.#pending;
    try {
      const result = await new Promise<Result<T> | undefined>((resolve, reject) => {
        this.#failWait = reject;
        this.#endWait = () => resolve(undefined);
        pending.then(resolve, (error) => {
          this.#isDone = true; // after an error, the source has ended
          reject(error);
        });
      });
      if (result === undefined) return undefined;
      this.#pending = undefined;
      return this.#asEnd(() => result);
    } finally {
      this.#failWait = undefined;
      this.#endWait = undefined;
    }
  }

  /**
   * Returns a result of the source, which `next` returns. After the last result or an error, marks
   * the source as ended.
   */
  #asEnd(next: () => Result<T>): Result<T> {
    let isDone: boolean | undefined = true;
    try {
      const result = next();
      if (typeof result !== 'object' || result === null)
        throw runtimeError('ERR_RUNTIME_INPUT', { expected: 'an iterator’s result', received: String(result) });
      isDone = result.done;
      return result;
    } finally {
      if (isDone) this.#isDone = true;
    }
  }
}
