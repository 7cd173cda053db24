import type { Clock } from '@brezel/core';
import { ListedAnswers, listedAnswers } from '../../execute/answers/answer-sink.js';
import type { Answer } from '../../execute/answers/answers.js';
import type { Call, Execute } from '../../execute/execute.js';
import { columnsOfRow } from '../../execute/native/request-response.js';
import type { Column, Row } from '../../execute/rows/row-schema.js';
import { inSlices } from '../../execute/slices.js';
import type { RowExecution } from '../../parallel/executors/batch-target.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import type { ExecutionLocation, PredictionTrace } from '../../telemetry/prediction-trace.js';
import type { Queue, QueuePlace } from '../admission/queue.js';
import { Feature, type FeatureParts } from '../feature.js';
import { type GatheredRow, joined, sendBlock } from './gathered-block.js';
import type { BatchingOptions } from './options.js';

/** Statistics of the delayed batching of one plan. */
export interface BatchingStatistics {
  /** Number of blocks that ran. */
  readonly blocks: number;
  /** Number of rows in these blocks. */
  readonly rows: number;
  /** Number of rows without an answer: rows that wait for a block, and rows in running blocks. */
  readonly waiting: number;
}

/** A row that waits for its answer. */
interface Waiting extends GatheredRow {
  readonly trace: PredictionTrace | undefined;
  readonly place: Pick<QueuePlace, 'leave'>;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
  onAbort?: () => void;
}

/**
 * Gathers rows of one plan and runs them in one block. A timer runs only while rows wait. A row
 * that fails, is aborted or misses its deadline does not affect other callers.
 */
export class DelayedBatching extends Feature implements FeatureParts {
  readonly queuesBecause = 'gathered with other calls';
  readonly #clock: Clock;
  readonly #record: ServedPlan;
  readonly #queue: Queue;
  readonly #maxDelayMs: number;
  readonly #maxBatch: number;
  /** The rows that the next block will contain. */
  readonly #waiting = new Set<Waiting>();
  /** All rows without an answer: the waiting rows, and the unanswered rows of started blocks. */
  readonly #open = new Set<Waiting>();
  #cancelTimer: (() => void) | undefined;
  #dueAt = 0;
  #blocks = 0;
  #rows = 0;

  constructor(record: ServedPlan, queue: Queue, options: Required<BatchingOptions>, clock: Clock, next: Execute) {
    super(next);
    this.#clock = clock;
    this.#record = record;
    this.#queue = queue;
    this.#maxDelayMs = options.maxDelayMs;
    this.#maxBatch = options.maxBatch;
  }

  /** Answers a row after its block has run, or immediately from the prediction cache. */
  override async rowLater(row: Row, call: Call): Promise<Answer> {
    if (!call.isQueued) return this.next.rowLater(row, call);
    const { limits, trace } = call;
    const columns = ownColumns(this.#record, row);
    const known = this.next.cachedAnswer(columns);
    if (known !== undefined) {
      trace?.started();
      return known;
    }
    const place = this.#queue.placeOf(call, this.#record.name, 1);
    try {
      place.add(columns);
      trace?.queued();
      return await new Promise((resolve, reject) => this.#add({ columns, limits, trace, place, resolve, reject }));
    } finally {
      place.leave();
    }
  }

  /** Rejects every row without an answer when the plan is removed. */
  end(error: () => Error): void {
    this.#stopTimer();
    for (const waiter of [...this.#open]) this.#settle(waiter, () => waiter.reject(error()));
  }

  stats(): { readonly batching: BatchingStatistics } {
    return { batching: { blocks: this.#blocks, rows: this.#rows, waiting: this.#open.size } };
  }

  #add(waiter: Waiting): void {
    const { limits } = waiter;
    this.#waiting.add(waiter);
    this.#open.add(waiter);
    if (limits?.signal !== undefined) {
      waiter.onAbort = () => this.#settle(waiter, () => waiter.reject(limits.signal!.reason));
      limits.signal.addEventListener('abort', waiter.onAbort, { once: true });
    }
    if (this.#waiting.size === 1) this.#startTimer();
    const isHurried = limits !== undefined && limits.remainingMs <= this.#dueAt - this.#clock.now();
    if (isHurried || this.#waiting.size >= this.#maxBatch) this.#start();
  }

  #startTimer(): void {
    const start = () => this.#start();
    this.#dueAt = this.#clock.now() + this.#maxDelayMs;
    if (this.#maxDelayMs === 0) {
      const turn = setImmediate(start);
      this.#cancelTimer = () => clearImmediate(turn);
    } else {
      const timer = this.#clock.setTimeout(start, this.#maxDelayMs);
      this.#cancelTimer = () => timer.cancel();
    }
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #start(): void {
    this.#stopTimer();
    const block = [...this.#waiting];
    this.#waiting.clear();
    this.#blocks++;
    this.#rows += block.length;
    const executors = this.next.executorsFor(block.length);
    if (executors !== undefined) return this.#send(executors, block);
    const { nanosPerRow } = this.#record;
    void inSlices(this.#clock, block.length, nanosPerRow, (from, to) => this.#answer(block.slice(from, to)));
  }

  #send(executors: RowExecution, block: readonly Waiting[]): void {
    const rows = this.#startable(block, 'executors');
    if (rows.length === 0) return;
    void sendBlock(executors, rows, listedAnswers(this.#record), {
      waits: (waiter) => this.#isInTime(waiter),
      answered: (waiter, answer) => this.#settle(waiter, () => waiter.resolve(answer)),
      failed: (waiter, error) => this.#settle(waiter, () => waiter.reject(error)),
    });
  }

  /**
   * Returns the rows of a block whose calls still wait for an answer, and marks these calls as
   * started.
   */
  #startable(block: readonly Waiting[], where: ExecutionLocation): Waiting[] {
    const rows = block.filter((waiter) => this.#open.has(waiter) && this.#isInTime(waiter));
    for (const { trace } of rows) trace?.started(where);
    return rows;
  }

  #answer(block: readonly Waiting[]): void {
    const rows = this.#startable(block, 'here');
    if (rows.length === 0) return;
    const answers = new ListedAnswers(this.#record, rows.length);
    try {
      this.next.block({ columns: joined(rows), rows: rows.length, first: 0 }, answers, 0);
    } catch (error) {
      if (rows.length > 1) for (const waiter of rows) this.#answer([waiter]);
      else this.#settle(rows[0]!, () => rows[0]!.reject(error));
      return;
    }
    rows.forEach((waiter, at) => {
      this.#settle(waiter, () => waiter.resolve(answers.result[at]!));
    });
  }

  #isInTime(waiter: Waiting): boolean {
    try {
      waiter.limits?.check(0, 1);
      return true;
    } catch (error) {
      this.#settle(waiter, () => waiter.reject(error));
      return false;
    }
  }

  /**
   * Ends the call of a row: calls `settle`, removes its listeners, and removes the row from all
   * lists.
   */
  #settle(waiter: Waiting, settle: () => void): void {
    this.#open.delete(waiter);
    if (this.#waiting.delete(waiter) && this.#waiting.size === 0) this.#stopTimer();
    if (waiter.onAbort !== undefined) waiter.limits!.signal!.removeEventListener('abort', waiter.onAbort);
    waiter.place.leave();
    waiter.onSettled?.();
    settle();
  }
}

/** Converts a row to columns and copies them, because the caller may change the row. */
function ownColumns(record: ServedPlan, row: Row): Column[] {
  return columnsOfRow(record, row).map((column) =>
    Array.isArray(column) ? (column as unknown[]).map(own) : column.slice(),
  ) as Column[];
}

/**
 * Copies a text that consists of bytes, because the caller may change the bytes. Strings are
 * immutable, and dictionaries were copied when the row was converted.
 */
const own = (value: unknown) => (value instanceof Uint8Array ? value.slice() : value);
