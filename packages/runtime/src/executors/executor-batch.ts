import { InternalError } from '@brezel/core';
import { admit, type Row } from '../admission.js';
import { type Answer, answerFromNumbers } from '../answers.js';
import type { BatchWatch } from '../engines/batch.js';
import { type RowFault, refusedRow } from '../engines/request-response.js';
import type { ChunkFault } from '../native.js';
import { type NativeInput, packColumns } from '../packed-dictionaries.js';
import type { ChunkOwner } from './chunk-desk.js';
import type { PlanOnExecutors } from './plan-on-executors.js';

/** Chunks of a batch that are on their way at once: executors never wait for the next, and a long batch takes no more memory than that. */
const MOST_CHUNKS = 64;
/** Checking and copying rows, before the event loop gets its turn. */
const SLICE_MS = 0.3;
/** Beyond it Node's timers fire at once; a batch that takes longer looks at its deadline before each chunk. */
const MOST_TIMER_MS = 2 ** 31 - 1;

interface Block {
  readonly columns: readonly NativeInput[];
  readonly at: number;
  readonly rows: number;
  done: number;
}

/**
 * One batch on its way through the executors: rows are checked and submitted while others are answered. It ends once, with all answers, with the
 * error of its first faulty row, or with what `watch` or `fail` says.
 */
export class ExecutorBatch implements ChunkOwner {
  readonly #plan: PlanOnExecutors;
  readonly #rows: readonly Row[];
  readonly #watch: BatchWatch;
  readonly #first: number;
  readonly #answers: Answer[];
  /** Ticket → where the chunk's rows are in the batch. */
  readonly #chunks = new Map<number, { readonly at: number; readonly rows: number }>();
  /** Rows that were checked and not all submitted. */
  #block: Block | undefined;
  #next = 0;
  #answered = 0;
  #fault: RowFault | undefined;
  #feeding: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;
  #resolve!: (answers: Answer[]) => void;
  #reject!: (error: unknown) => void;

  constructor(plan: PlanOnExecutors, rows: readonly Row[], watch: BatchWatch, first: number) {
    this.#plan = plan;
    this.#rows = rows.slice(); // the caller may go on with his list
    this.#watch = watch;
    this.#first = first;
    this.#answers = new Array(rows.length);
  }

  run(): Promise<Answer[]> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#watch.limits?.signal?.addEventListener('abort', this.#checkWatch);
      this.#startTimer();
      this.#feed();
    });
  }

  /** Ends it. Chunks on their way are cancelled; they come back and are ignored. */
  fail(error: unknown): void {
    if (this.#ended) return;
    this.#end();
    for (const ticket of this.#chunks.keys()) this.#plan.cancel(ticket);
    this.#reject(error);
  }

  chunkIsOver(ticket: number, numbers: Float64Array, fault: ChunkFault | undefined): void {
    this.#plan.group.left();
    const { at, rows } = this.#chunks.get(ticket)!;
    this.#chunks.delete(ticket);
    if (this.#ended) return;
    if (fault === undefined) this.#keep(numbers, at, rows);
    else this.#note(this.#rowFault(fault, at));
    if (this.#hasMore()) this.#feedSoon();
    else this.#settle();
  }

  #keep(numbers: Float64Array, at: number, rows: number): void {
    const { outputs, width } = this.#plan.record;
    for (let row = 0; row < rows; row++) this.#answers[at + row] = answerFromNumbers(outputs, numbers, row * width);
    this.#answered += rows;
  }

  #hasMore(): boolean {
    return this.#block !== undefined || this.#next < this.#rows.length;
  }

  #feedSoon(): void {
    if (this.#chunks.size > MOST_CHUNKS / 2) return;
    this.#feeding ??= setImmediate(() => {
      this.#feeding = undefined;
      this.#feed();
    });
  }

  /** Checks and submits rows until the slice of time is over, or enough are on their way. */
  #feed(): void {
    const end = performance.now() + SLICE_MS;
    try {
      while (this.#hasMore() && this.#chunks.size < MOST_CHUNKS) {
        this.#watch.check(this.#answered);
        if (this.#block === undefined) this.#admit();
        else this.#submit(this.#block);
        if (performance.now() > end && this.#hasMore()) return this.#feedSoon();
      }
      this.#settle();
    } catch (error) {
      this.fail(error);
    }
  }

  /** Checks the next rows, as many as are worth a stretch. */
  #admit(): void {
    const at = this.#next;
    const given = this.#rows.slice(at, at + this.#plan.blockRows);
    const columns = admit(this.#plan.record.inputs, given, this.#first + at);
    this.#watch.enter?.(columns);
    this.#next += given.length;
    // After a fault the other rows are only checked: one that does not fit the schema is told first, as everywhere.
    if (this.#fault !== undefined) return;
    const { inputs, maxInputBytes } = this.#plan.record;
    const packed = packColumns(inputs, columns, maxInputBytes, this.#first + at);
    this.#block = { columns: packed, at, rows: given.length, done: 0 };
  }

  #submit(block: Block): void {
    const { columns, at, rows, done } = block;
    try {
      const most = Math.min(rows, done + this.#plan.chunkRows);
      const submitted = this.#plan.submit(columns, done, most, rows, this);
      this.#chunks.set(submitted.ticket, { at: at + done, rows: submitted.rows });
      block.done += submitted.rows;
    } catch (error) {
      this.#note(this.#plan.refusal(error, columns, rows, done, this.#first + at));
    }
    if (block.done === rows || this.#fault !== undefined) this.#block = undefined;
  }

  /** Of several faults the first row's is told: all chunks before it were submitted, and are waited for. */
  #note(fault: RowFault): void {
    if (this.#fault === undefined || fault.row < this.#fault.row) this.#fault = fault;
  }

  #rowFault({ end, row, message }: ChunkFault, at: number): RowFault {
    if (end === 'refused') return refusedRow(message!, this.#first + at + row);
    const error = new InternalError(`executors failed in plan ${this.#plan.record.name}: ${end}`);
    return { row: this.#first + at, error };
  }

  #settle(): void {
    if (this.#ended || this.#hasMore() || this.#chunks.size > 0) return;
    if (this.#fault !== undefined) return this.fail(this.#fault.error);
    this.#end();
    this.#resolve(this.#answers);
  }

  #end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    if (this.#feeding !== undefined) clearImmediate(this.#feeding);
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
    clearTimeout(this.#timer);
    if (remainingMs < MOST_TIMER_MS) this.#timer = setTimeout(this.#checkWatch, Math.max(1, Math.ceil(remainingMs)));
  }
}
