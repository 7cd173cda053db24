import { runtimeError } from '../../errors.js';

export type Source<T> = Iterable<T> | AsyncIterable<T>;
type Result<T> = IteratorResult<T, unknown>;

/**
 * Reads a source block by block: the rows that are available at once, at most `maxRows`. From an
 * asynchronous source, it takes rows that arrive in one turn of the event loop. It reads at most
 * one result ahead, whose promise was still pending at the end of that turn.
 */
export class BlockReader<T> {
  readonly #iterator: Iterator<T, unknown> | AsyncIterator<T, unknown>;
  readonly #isAsync: boolean;
  readonly #maxRows: number;
  readonly #signal: AbortSignal | undefined;
  /** A requested result that has not arrived. */
  #pending: Promise<Result<T>> | undefined;
  #isDone = false;
  /** An error of the source that is thrown after the rows before it are answered. */
  #failure: { readonly error: unknown } | undefined;
  /**
   * Ends the wait for a result. One shared listener, because repeated `Promise.race` calls on a
   * pending promise leak memory.
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
   * Returns the next block; empty at the end.
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
   * Closes a source that is not at its end. Does not wait for a source with a pending result,
   * because the result may never arrive.
   */
  async close(): Promise<void> {
    this.#signal?.removeEventListener('abort', this.#onAbort);
    if (this.#isDone) return;
    this.#isDone = true;
    const closed = (async () => this.#iterator.return?.())();
    if (this.#pending === undefined) await closed;
    else closed.catch(() => {}); // the reader no longer waits for it
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

  /** Returns the next result; undefined when the wait was ended. */
  async #result(): Promise<Result<T> | undefined> {
    this.#pending ??= (async () => this.#iterator.next())();
    const pending = this.#pending;
    try {
      const result = await new Promise<Result<T> | undefined>((resolve, reject) => {
        this.#failWait = reject;
        this.#endWait = () => resolve(undefined);
        pending.then(resolve, (error) => {
          this.#isDone = true; // a source that failed has ended
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

  /** Calls the source, and records its end: a last result or an error. */
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
