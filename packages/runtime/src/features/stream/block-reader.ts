import { runtimeError } from '../../errors.js';

export type Source<T> = Iterable<T> | AsyncIterable<T>;
type Result<T> = IteratorResult<T, unknown>;

/**
 * Reads a source block by block: what it has at once, at most `maxRows`. Where the source is
 * asynchronous, at once means in one turn of the event loop. Nothing is read ahead but one result,
 * which was asked for and did not come in that turn.
 */
export class BlockReader<T> {
  readonly #iterator: Iterator<T, unknown> | AsyncIterator<T, unknown>;
  readonly #isAsync: boolean;
  readonly #maxRows: number;
  readonly #signal: AbortSignal | undefined;
  /** Asked for, and not here yet. */
  #pending: Promise<Result<T>> | undefined;
  #isDone = false;
  /** What the source threw after rows that are to be answered first. */
  #failure: { readonly error: unknown } | undefined;
  /**
   * Ends the wait for a result. One listener and one place for it: a promise raced again and again
   * would keep every race.
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
   * The next block, empty at the end.
   *
   * @throws what the source throws, and the signal's reason.
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
   * Gives the source its chance to clean up, if it is not at its end. Does not wait for a source
   * that owes a result: it may never come.
   */
  async close(): Promise<void> {
    this.#signal?.removeEventListener('abort', this.#onAbort);
    if (this.#isDone) return;
    this.#isDone = true;
    const closed = (async () => this.#iterator.return?.())();
    if (this.#pending === undefined) await closed;
    else closed.catch(() => {}); // its reader has left
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

  /** The next result; undefined when the wait for it was ended. */
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

  /** Notes when the source is at its end: it said so, or threw. */
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
