import type { Clock } from '@brezel/core';
import { inLaterSlice } from '../../execute/event-loop-slicing.js';
import type { ChunkFailure, NativeKernels } from '../../execute/native/native-kernels.js';
import type { VectorLimits } from './vector-options.js';

/**
 * In one turn of the event loop, the dispatcher delivers answers for about this many milliseconds.
 */
const SLICE_MS = 0.3;

/** The owner of a chunk, which gets its answers. */
export interface ChunkOwner {
  /**
   * Receives the end of a chunk: its answers in `numbers`, or its error in `failure`. `clock` holds
   * the nanoseconds of its stages if they were timed. The owner may read both arrays only during
   * this call.
   */
  chunkIsOver(
    ticket: number,
    numbers: Float64Array,
    failure: ChunkFailure | undefined,
    clock: Float64Array | undefined,
  ): void;
}

/** The rows from index `at` up to but not including `end`, in columns with `total` rows. */
export interface ChunkSource {
  readonly columns: readonly (readonly (string | Uint8Array)[] | Float64Array | BigInt64Array)[];
  readonly at: number;
  readonly end: number;
  readonly total: number;
}

interface OpenChunk {
  readonly owner: ChunkOwner;
  readonly numbers: number;
  readonly timedStages: number;
}

/**
 * Submits chunks to the native scheduler, and delivers their answers to their owners. The
 * dispatcher delivers for a limited time in each turn of the event loop, so that it does not block
 * the event loop.
 */
export class ChunkDispatcher {
  readonly #kernels: NativeKernels;
  readonly scheduler: number;
  readonly #open = new Map<number, OpenChunk>();
  readonly #freeTickets: number[] = [];
  #tickets = 0;
  readonly #clock: Clock;
  #out = new Float64Array(1024);
  #stageNanos = new Float64Array(16);
  #isDraining = false;
  #closed = false;

  constructor(kernels: NativeKernels, { perClass, maxBytes }: VectorLimits, clock: Clock) {
    this.#kernels = kernels;
    this.#clock = clock;
    this.scheduler = kernels.schedulerCreate(() => this.#drain(), perClass, maxBytes);
  }

  /** Number of chunks in flight. */
  get chunks(): number {
    return this.#open.size;
  }

  /**
   * Submits the first rows of `source` as one chunk, until the chunk is full. Returns the number of
   * these rows, and the ticket that identifies the chunk.
   *
   * @param timedStages the number of stages of the plan if they are timed, otherwise 0
   */
  submit(queue: number, width: number, source: ChunkSource, owner: ChunkOwner, timedStages = 0) {
    const { columns, at, end, total } = source;
    const ticket = this.#freeTickets.at(-1) ?? this.#tickets;
    const rows = this.#kernels.chunkSubmit(this.scheduler, ticket, queue, columns, at, end, total, timedStages > 0);
    if (ticket === this.#tickets) this.#tickets++;
    else this.#freeTickets.pop();
    if (this.#open.size === 0) this.#kernels.schedulerRef(this.scheduler, true);
    this.#open.set(ticket, { owner, numbers: rows * width, timedStages });
    return { ticket, rows };
  }

  /**
   * Cancels a chunk. The owner still receives the end of the chunk: a cancellation, or the answers
   * if the chunk was already finished.
   */
  cancel(ticket: number): void {
    if (!this.#closed) this.#kernels.chunkCancel(this.scheduler, ticket);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#open.clear();
    this.#kernels.schedulerClose(this.scheduler);
  }

  #drain(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    const end = this.#clock.now() + SLICE_MS;
    while (!this.#closed) {
      const ticket = this.#kernels.chunkNext(this.scheduler);
      if (ticket < 0) break;
      this.#settle(ticket);
      if (this.#clock.now() < end) continue;
      return inLaterSlice(() => {
        this.#isDraining = false;
        this.#drain();
      });
    }
    this.#isDraining = false;
  }

  #settle(ticket: number): void {
    const { owner, numbers, timedStages } = this.#open.get(ticket)!;
    if (this.#out.length < numbers) this.#out = new Float64Array(numbers);
    if (this.#stageNanos.length < timedStages) this.#stageNanos = new Float64Array(timedStages);
    const clock = timedStages > 0 ? this.#stageNanos.subarray(0, timedStages) : undefined;
    const failure = this.#kernels.chunkTake(this.scheduler, ticket, this.#out, clock);
    this.#open.delete(ticket);
    this.#freeTickets.push(ticket);
    if (this.#open.size === 0) this.#kernels.schedulerRef(this.scheduler, false);
    owner.chunkIsOver(ticket, this.#out, failure, clock);
  }
}
