import { sizeOf } from '@brezel/core';
import type { AnswerSink, Collect } from '../../../execute/answers/answer-sink.js';
import { type BatchWatch, callsUsers } from '../../../execute/batch.js';
import type { RowFailure } from '../../../execute/native/request-response.js';
import type { RowList } from '../../../execute/rows/copied-rows.js';
import type { Column } from '../../../execute/rows/row-schema.js';
import type { ServedPlan } from '../../../plans/registered-plan.js';
import type { PlanPayload } from '../../workers/protocol.js';
import { type WorkerSetting, withOwnBytes, workerPlan } from '../../workers/worker-plan.js';
import {
  atMostBlock,
  type BatchOwner,
  type BatchSource,
  type BatchTarget,
  type PlanExecution,
  runForAnswers,
  type SubmittedRows,
  stretchOf,
} from '../batch-target.js';
import { ExecutorBatch } from '../executor-batch.js';
import { isUrgent, PRIORITIES } from '../scheduling-options.js';
import type { WorkerChunk } from './chunk.js';
import type { QueuedRequest, Share } from './two-level-queue.js';
import type { PlanOfChunks, WorkerDispatcher } from './worker-dispatcher.js';
import type { WorkerThreads } from './worker-threads.js';

/**
 * A chunk has about this many nanoseconds of work. Sending it to a worker and receiving the answers
 * takes at most a tenth of this time.
 */
const CHUNK_NANOS = 2e6;
/**
 * The texts of a chunk have at most this many characters, because the event loop cannot run while
 * they are copied.
 */
const CHUNK_TEXT = 2 ** 18;
/** The weight of the newest chunk in the moving average of a plan's measured time per row. */
const NEWEST = 0.2;
/**
 * `start` waits at most this many milliseconds for threads, because each thread must load all of
 * Brezel. The wait uses the clock of the process, because threads start in real time.
 */
const START_MS = 30_000;

/** Runs batches of a plan in JavaScript on worker threads. */
export class PlanOnWorkers implements BatchTarget, PlanExecution, PlanOfChunks {
  readonly record: ServedPlan;
  readonly number: number;
  readonly blockRows: number;
  readonly #dispatcher: WorkerDispatcher;
  readonly #threads: WorkerThreads;
  readonly #setting: WorkerSetting;
  readonly #share: Share;
  readonly #sizes: readonly number[];
  readonly #gone = new Int32Array(new SharedArrayBuffer(4));
  readonly #batches = new Map<BatchOwner, QueuedRequest>();
  readonly #chunks = new Map<number, WorkerChunk>();
  #nextChunk = 0;
  #nanosPerRow: number;
  #staysHere = false;

  constructor(
    record: ServedPlan,
    number: number,
    dispatcher: WorkerDispatcher,
    threads: WorkerThreads,
    setting: WorkerSetting,
  ) {
    this.record = record;
    this.number = number;
    this.#dispatcher = dispatcher;
    this.#threads = threads;
    this.#setting = setting;
    const { priority, weight } = record.scheduling;
    this.#share = { priority: PRIORITIES.indexOf(priority), weight, time: 0 };
    this.#sizes = record.inputs.map((port) => sizeOf(port.type));
    this.#nanosPerRow = record.nanosPerRow;
    this.blockRows = stretchOf(record.inputs);
  }

  /**
   * The number of rows in a chunk. The number depends on measured times, because the time that
   * custom operators take is unknown before they have run.
   */
  get chunkRows(): number {
    return atMostBlock(CHUNK_NANOS / this.#nanosPerRow);
  }

  get isUrgent(): boolean {
    const { reserve, priority } = this.record.scheduling;
    return isUrgent({ isReserved: reserve !== undefined }, { priority });
  }

  get staysHere(): boolean {
    return this.#staysHere;
  }

  run<Result>(
    rows: RowList | BatchSource,
    watch: BatchWatch,
    first: number,
    collect: Collect<Result>,
  ): Promise<Result> {
    return runForAnswers(this, rows, watch, first, collect);
  }

  async runInto(source: BatchSource, watch: BatchWatch, first: number, sink: AnswerSink): Promise<void> {
    const batch = new ExecutorBatch(this, source, watch, first, sink);
    this.#batches.set(batch, { share: this.#share, taken: 0, waiting: [] });
    try {
      await batch.run();
    } finally {
      this.#batches.delete(batch);
    }
  }

  async start(): Promise<number> {
    const end = performance.now() + START_MS;
    const { limit, staysOpen } = this.#threads;
    // one ping for each thread, so that every thread starts
    if (staysOpen) await Promise.all(Array.from({ length: limit }, () => this.#ping()));
    const isWanted = () => !this.#threads.isResting && performance.now() < end && Atomics.load(this.#gone, 0) === 0;
    while (this.#threads.ready < limit && isWanted()) {
      if (this.#threads.threads < limit) void this.#ping();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    // a thread is ready before it has loaded the plan
    while (this.#threads.running > 0 && isWanted()) await this.#ping();
    return this.#threads.ready;
  }

  /** Sends a task without rows, so that a thread starts and loads the plan. */
  async #ping(): Promise<void> {
    const request = { share: { ...this.#share }, taken: 0, waiting: [] };
    const task = { plan: this.number, payload: this.payload(), columns: [], rows: 0, first: 0 };
    // ignore a lost thread, because the caller pings again
    await this.#threads.run(task, { request, nanoseconds: 0 }).catch(() => {});
  }

  prepare(columns: readonly Column[]): readonly Column[] {
    return columns;
  }

  submit({ columns, at, end, total, first }: SubmittedRows, owner: BatchOwner) {
    const request = this.#batches.get(owner)!;
    const to = this.#fitting(columns, at, end);
    const rows = to - at;
    const number = this.#nextChunk++;
    const some = at === 0 && to === total ? columns : columns.map((column, input) => this.#some(column, input, at, to));
    const chunk: WorkerChunk = {
      number,
      record: this.record,
      owner,
      columns: some.map(withOwnBytes),
      rows,
      first: first + at,
      ticket: { request, nanoseconds: rows * this.#nanosPerRow },
      losses: 0,
      isCancelled: false,
    };
    this.#chunks.set(number, chunk);
    this.#dispatcher.submit(chunk, this);
    return { ticket: number, rows };
  }

  rejection(error: unknown): RowFailure {
    throw error; // a row is rejected when it runs, not when it is submitted
  }

  cancel(ticket: number): void {
    const chunk = this.#chunks.get(ticket);
    if (chunk !== undefined) this.#dispatcher.cancel(chunk);
    this.#chunks.delete(ticket);
  }

  chunkLeft(ticket: number): void {
    this.#chunks.delete(ticket);
  }

  payload(): PlanPayload {
    return workerPlan(this.record, this.#setting, this.#gone);
  }

  measured(rows: number, nanoseconds: number): void {
    const newest = nanoseconds / rows;
    if (rows > 0) this.#nanosPerRow += NEWEST * (newest - this.#nanosPerRow);
  }

  stayHere(): void {
    this.#staysHere = true;
  }

  /** Ends all batches of a removed plan. */
  end(error: () => Error): void {
    for (const batch of [...this.#batches.keys()]) batch.fail(error());
    Atomics.store(this.#gone, 0, 1);
  }

  /**
   * Returns the number of rows from index `at` on whose texts together have at most CHUNK_TEXT
   * characters, at least one.
   */
  #fitting(columns: readonly Column[], at: number, end: number): number {
    let left = CHUNK_TEXT;
    for (let row = at; row < end; row++) {
      columns.forEach((column, input) => {
        if (Array.isArray(column)) left -= textOf(column, row * this.#sizes[input]!, this.#sizes[input]!);
      });
      if (left < 0) return Math.max(at + 1, row);
    }
    return end;
  }

  #some(column: Column, input: number, from: number, to: number): Column {
    const size = this.#sizes[input]!;
    return column.slice(from * size, to * size);
  }
}

function textOf(column: readonly unknown[], from: number, count: number): number {
  let length = 0;
  for (let at = from; at < from + count; at++) length += (column[at] as { length?: number } | undefined)?.length ?? 0;
  return length;
}

/**
 * Returns the reason why worker threads cannot run a plan in JavaScript, or undefined if they can.
 */
export function obstacle(record: ServedPlan, { store, modules }: WorkerSetting): string | undefined {
  if (record.engine === 'native') return 'a plan that runs in the addon';
  if (record.boxes !== undefined) return 'a plan with a black box';
  if (record.isolated !== undefined) return 'a plan with a deadline, which has workers of its own';
  if (store.memory.sharing === undefined) return 'a store whose memory threads cannot share';
  if (modules.length === 0 && callsUsers(record)) return 'an operator of a user in a runtime without operatorModules';
  return undefined;
}
