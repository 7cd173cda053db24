import { type ClockTimer, InternalError } from '@brezel/core';
import type { AnswerSink } from '../../execute/answers/answer-sink.js';
import type { RowValues } from '../../execute/answers/answers.js';
import type { BatchWatch } from '../../execute/batch.js';
import { inFirstSlice, inLaterSlice, isTurnOver, startTurn, withdraw } from '../../execute/event-loop-slicing.js';
import type { ChunkFailure } from '../../execute/native/native-kernels.js';
import { type RowFailure, rejectedRow } from '../../execute/native/request-response.js';
import type { Column } from '../../execute/rows/row-schema.js';
import type { BatchOwner, BatchSource, BatchTarget } from './batch-target.js';

/**
 * The largest number of chunks in flight for one batch. With so many chunks, executors need not
 * wait for the next chunk. The limit keeps the memory of long batches small.
 */
const MOST_CHUNKS = 64;
/** A block of checked rows. `done` is the number of its rows that were submitted. */
interface Block {
  readonly columns: readonly Column[];
  readonly at: number;
  readonly rows: number;
  done: number;
}

/**
 * Runs one batch on executors. It checks and submits rows while executors answer earlier rows. The
 * batch ends with all answers, with the error of its first invalid row, or with an error of `watch`
 * or `fail`.
 */
export class ExecutorBatch implements BatchOwner {
  readonly #plan: BatchTarget;
  readonly #source: BatchSource;
  readonly #watch: BatchWatch;
  readonly #first: number;
  readonly #sink: AnswerSink;
  /**
   * For each chunk in flight, by its ticket: the index of its first row in the batch, and its
   * number of rows.
   */
  readonly #chunks = new Map<number, { readonly at: number; readonly rows: number }>();
  /** The block that is being submitted. */
  #block: Block | undefined;
  #next = 0;
  #answered = 0;
  #failure: RowFailure | undefined;
  #feeding: (() => void) | undefined;
  #timer: ClockTimer | undefined;
  #ended = false;
  #resolve!: () => void;
  #reject!: (error: unknown) => void;

  constructor(plan: BatchTarget, source: BatchSource, watch: BatchWatch, first: number, sink: AnswerSink) {
    this.#plan = plan;
    this.#source = source;
    this.#watch = watch;
    this.#first = first;
    this.#sink = sink;
  }

  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#watch.limits?.signal?.addEventListener('abort', this.#checkWatch);
      this.#startTimer();
      startTurn();
      // The first block is always checked and counted at once. Errors and limits of the queue
      // therefore do not depend on the other work of this turn.
      this.#feed();
    });
  }

  /** Ends the batch. Cancels the chunks in flight, and ignores their results. */
  fail(error: unknown): void {
    if (this.#ended) return;
    this.#end();
    for (const ticket of this.#chunks.keys()) this.#plan.cancel(ticket);
    this.#reject(error);
  }

  chunkIsOver(ticket: number, numbers: Float64Array, failure: ChunkFailure | undefined, clock?: Float64Array): void {
    if (failure !== undefined) return this.chunkFailed(ticket, (at) => this.#rowFailure(failure, at));
    if (clock !== undefined) this.#plan.record.stageClocks?.add(this.#chunks.get(ticket)!.rows, clock);
    this.chunkAnswered(ticket, numbers);
  }

  rowsAnswered(ticket: number, from: number, rows: number, values: RowValues): void {
    if (!this.#ended) this.#sink.take(values, rows, this.#chunks.get(ticket)!.at + from);
  }

  chunkAnswered(ticket: number, values?: RowValues): void {
    this.#chunkEnded(ticket, (at, rows) => {
      if (values !== undefined) this.#sink.take(values, rows, at);
      this.#answered += rows;
    });
  }

  chunkFailed(ticket: number, failureOf: (at: number) => RowFailure): void {
    this.#chunkEnded(ticket, (at) => this.#note(failureOf(at)));
  }

  #chunkEnded(ticket: number, end: (at: number, rows: number) => void): void {
    this.#plan.chunkLeft(ticket);
    const { at, rows } = this.#chunks.get(ticket)!;
    this.#chunks.delete(ticket);
    if (this.#ended) return;
    end(at, rows);
    if (this.#hasMore()) this.#feedSoon();
    else this.#settle();
  }

  #hasMore(): boolean {
    return this.#block !== undefined || this.#next < this.#source.rows;
  }

  #feedSoon(): void {
    if (this.#chunks.size > MOST_CHUNKS / 2) return;
    if (this.#feeding !== undefined) return;
    this.#feeding = () => {
      this.#feeding = undefined;
      this.#feed();
    };
    const later = this.#plan.isUrgent ? inFirstSlice : inLaterSlice;
    later(this.#feeding);
  }

  /**
   * Checks and submits rows until the turn of the event loop is over or `MOST_CHUNKS` chunks are in
   * flight.
   */
  #feed(): void {
    try {
      while (this.#hasMore() && this.#chunks.size < MOST_CHUNKS) {
        this.#watch.check(this.#answered);
        if (this.#block === undefined) this.#admit();
        else this.#submit(this.#block);
        if (isTurnOver() && this.#hasMore()) return this.#feedSoon();
      }
      this.#settle();
    } catch (error) {
      this.fail(error);
    }
  }

  /** Checks the rows of the next block. */
  #admit(): void {
    const at = this.#next;
    const to = Math.min(this.#source.rows, at + this.#plan.blockRows);
    const columns = this.#source.admit(at, to, this.#first + at);
    this.#watch.enter?.(columns);
    this.#next = to;
    // After a failure, the remaining rows are only checked, because a row that does not match the
    // schema is reported first.
    if (this.#failure !== undefined) return;
    this.#block = { columns: this.#plan.prepare(columns, this.#first + at), at, rows: to - at, done: 0 };
  }

  #submit(block: Block): void {
    const { columns, at, rows, done } = block;
    const end = Math.min(rows, done + this.#plan.chunkRows);
    const submitted = { columns, at: done, end, total: rows, first: this.#first + at };
    try {
      const chunk = this.#plan.submit(submitted, this);
      this.#chunks.set(chunk.ticket, { at: at + done, rows: chunk.rows });
      block.done += chunk.rows;
    } catch (error) {
      this.#note(this.#plan.rejection(error, submitted));
    }
    if (block.done === rows || this.#failure !== undefined) this.#block = undefined;
  }

  /**
   * Stores a failure if its row index is smaller than the index of the stored failure. The batch
   * waits for all submitted chunks, so it finally reports the first invalid row.
   */
  #note(failure: RowFailure): void {
    if (this.#failure === undefined || failure.row < this.#failure.row) this.#failure = failure;
  }

  #rowFailure({ end, row, message }: ChunkFailure, at: number): RowFailure {
    if (end === 'refused') return rejectedRow(message!, this.#first + at + row);
    const error = new InternalError(`executors failed in plan ${this.#plan.record.name}: ${end}`);
    return { row: this.#first + at, error };
  }

  #settle(): void {
    if (this.#ended || this.#hasMore() || this.#chunks.size > 0) return;
    if (this.#failure !== undefined) return this.fail(this.#failure.error);
    this.#end();
    this.#resolve();
  }

  #end(): void {
    this.#ended = true;
    this.#timer?.cancel();
    if (this.#feeding !== undefined) withdraw(this.#feeding);
    this.#watch.limits?.signal?.removeEventListener('abort', this.#checkWatch);
  }

  readonly #checkWatch = (): void => {
    if (this.#ended) return;
    try {
      this.#watch.check(this.#answered);
      this.#startTimer();
    } catch (error) {
      this.fail(error);
    }
  };

  #startTimer(): void {
    const remainingMs = this.#watch.limits?.remainingMs ?? Infinity;
    this.#timer?.cancel();
    if (remainingMs !== Infinity) this.#timer = this.#watch.limits!.later(this.#checkWatch);
  }
}
