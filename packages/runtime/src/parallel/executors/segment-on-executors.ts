import type { Block } from '@brezel/core';
import type { ChunkFailure, NativeKernels } from '../../execute/native/native-kernels.js';
import type { SegmentChunks } from '../../execute/native/segment-chunks.js';
import type { ChunkDispatcher, ChunkOwner } from './chunk-dispatcher.js';
import type { ExecutorGroup } from './group.js';
import { isUrgent, PRIORITIES, type Scheduling } from './scheduling-options.js';

interface SegmentParts {
  readonly kernels: NativeKernels;
  readonly dispatcher: ChunkDispatcher;
  readonly group: ExecutorGroup;
  readonly scheduling: Scheduling;
  readonly nanosPerRow: number;
}

/**
 * Runs a segment on native executors. The segment has a dedicated queue in the native scheduler.
 */
export class SegmentOnExecutors {
  readonly #chunks: SegmentChunks;
  readonly #parts: SegmentParts;
  readonly #queue: number;
  readonly #calls = new Set<SegmentCall>();
  #ended = false;

  constructor(chunks: SegmentChunks, parts: SegmentParts) {
    this.#chunks = chunks;
    this.#parts = parts;
    const { kernels, dispatcher, group, scheduling, nanosPerRow } = parts;
    const priority = PRIORITIES.indexOf(scheduling.priority);
    this.#queue = kernels.planSchedule(
      dispatcher.scheduler,
      chunks.handle,
      group.number,
      priority,
      scheduling.weight,
      Math.max(1, Math.round(nanosPerRow)),
      0, // no estimate is needed, because sparse vectors stay inside a segment
    );
  }

  /**
   * Runs rows: reads the inputs of the segment from `slots` and writes its outputs to `slots`. Adds
   * the time of each stage to `nanoseconds`, if given.
   *
   * Returns false if the addon rejected a row, the signal aborted, or the plan was removed. In that
   * case the slots are unchanged, and the calling thread reports the reason.
   */
  async run(
    slots: Block[],
    rows: number,
    signal: AbortSignal | undefined,
    nanoseconds?: Float64Array | undefined,
  ): Promise<boolean> {
    if (this.#ended) return false;
    const call = new SegmentCall(rows, this.#chunks.width, this.#parts, nanoseconds);
    this.#calls.add(call);
    const leave = () => call.leave();
    signal?.addEventListener('abort', leave, { once: true });
    try {
      const numbers = await call.run(this.#queue, this.#chunks.columnsOf(slots));
      if (numbers !== undefined) this.#chunks.write(slots, numbers, rows);
      return numbers !== undefined;
    } finally {
      signal?.removeEventListener('abort', leave);
      this.#calls.delete(call);
    }
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const call of this.#calls) call.leave();
    this.#parts.kernels.planUnschedule(this.#parts.dispatcher.scheduler, this.#queue);
  }
}

/** The rows of one call, which run in one or more chunks. */
class SegmentCall implements ChunkOwner {
  readonly #rows: number;
  readonly #width: number;
  readonly #parts: SegmentParts;
  readonly #numbers: Float64Array;
  readonly #nanoseconds: Float64Array | undefined;
  /**
   * For each chunk in flight, by its ticket: the index of its first row, and its number of rows.
   */
  readonly #open = new Map<number, { readonly at: number; readonly rows: number }>();
  #isWhole = true;
  #resolve: (numbers: Float64Array | undefined) => void = () => undefined;

  constructor(rows: number, width: number, parts: SegmentParts, nanoseconds?: Float64Array) {
    this.#rows = rows;
    this.#width = width;
    this.#parts = parts;
    this.#numbers = new Float64Array(rows * width);
    this.#nanoseconds = nanoseconds;
  }

  run(queue: number, columns: ReturnType<SegmentChunks['columnsOf']>): Promise<Float64Array | undefined> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      const { dispatcher, group, scheduling } = this.#parts;
      try {
        for (let at = 0; at < this.#rows; ) {
          const source = { columns, at, end: this.#rows, total: this.#rows };
          const options = { timedStages: this.#nanoseconds?.length ?? 0, isUrgent: isUrgent(group, scheduling) };
          const { ticket, rows } = dispatcher.submit(queue, this.#width, source, this, options);
          group.entered();
          this.#open.set(ticket, { at, rows });
          at += rows;
        }
      } catch {
        this.leave(); // the calling thread reports the error of these rows
      }
    });
  }

  /** Cancels the call's chunks. A chunk that already runs is finished. */
  leave(): void {
    this.#isWhole = false;
    for (const ticket of this.#open.keys()) this.#parts.dispatcher.cancel(ticket);
    this.#resolve(undefined);
  }

  chunkIsOver(ticket: number, numbers: Float64Array, failure: ChunkFailure | undefined, clock?: Float64Array): void {
    this.#parts.group.left();
    const { at, rows } = this.#open.get(ticket)!;
    this.#open.delete(ticket);
    this.#addTimes(failure === undefined ? clock : undefined);
    if (failure !== undefined) this.#isWhole = false;
    else this.#numbers.set(numbers.subarray(0, rows * this.#width), at * this.#width);
    if (this.#open.size === 0) this.#resolve(this.#isWhole ? this.#numbers : undefined);
  }

  #addTimes(clock: Float64Array | undefined): void {
    const times = this.#nanoseconds;
    clock?.forEach((nanoseconds, stage) => {
      times![stage] = times![stage]! + nanoseconds;
    });
  }
}
