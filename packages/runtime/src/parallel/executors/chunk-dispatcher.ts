import { countUrgent, inFirstSlice, inLaterSlice, isTurnOver, startTurn } from '../../execute/event-loop-slicing.js';
import type { ChunkFailure, NativeKernels } from '../../execute/native/native-kernels.js';
import type { VectorLimits } from './vector-options.js';

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
  readonly isUrgent: boolean;
}

/** Options of a chunk that few chunks need. */
export interface ChunkOptions {
  /** The number of stages of the plan if they are timed, otherwise 0. Default 0. */
  readonly timedStages?: number;
  /**
   * Whether the scheduler returns the chunk before other chunks: it belongs to a reservation or has
   * the highest priority. Default false.
   */
  readonly isUrgent?: boolean;
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
  #out = new Float64Array(1024);
  #stageNanos = new Float64Array(16);
  /** Number of urgent chunks in flight. */
  #urgent = 0;
  #isDraining = false;
  #closed = false;

  constructor(kernels: NativeKernels, { perClass, maxBytes }: VectorLimits) {
    this.#kernels = kernels;
    this.scheduler = kernels.schedulerCreate(() => this.#drain(), perClass, maxBytes);
  }

  /** Number of chunks in flight. */
  get chunks(): number {
    return this.#open.size;
  }

  /**
   * Submits the first rows of `source` as one chunk, until the chunk is full. Returns the number of
   * these rows, and the ticket that identifies the chunk.
   */
  submit(
    queue: number,
    width: number,
    source: ChunkSource,
    owner: ChunkOwner,
    { timedStages = 0, isUrgent = false }: ChunkOptions = {},
  ) {
    const { columns, at, end, total } = source;
    const ticket = this.#freeTickets.at(-1) ?? this.#tickets;
    const rows = this.#kernels.chunkSubmit(this.scheduler, ticket, queue, columns, at, end, total, timedStages > 0);
    if (ticket === this.#tickets) this.#tickets++;
    else this.#freeTickets.pop();
    if (this.#open.size === 0) this.#kernels.schedulerRef(this.scheduler, true);
    this.#open.set(ticket, { owner, numbers: rows * width, timedStages, isUrgent });
    if (isUrgent) this.#countUrgent(1);
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
    while (this.#urgent > 0) this.#countUrgent(-1);
    this.#kernels.schedulerClose(this.scheduler);
  }

  /**
   * Delivers answers when the scheduler announces them. Node may announce answers several times in
   * a turn of the event loop. The method does nothing when the time of the turn is over.
   */
  #drain(): void {
    if (this.#isDraining) return;
    startTurn();
    this.#isDraining = true;
    if (isTurnOver()) this.#deliverLater();
    else this.#deliver();
  }

  #deliverLater(): void {
    const later = this.#urgent > 0 ? inFirstSlice : inLaterSlice;
    later(() => this.#deliver());
  }

  /** Delivers the answers of at least one chunk, until the turn is over or no chunk is complete. */
  #deliver(): void {
    while (!this.#closed) {
      const ticket = this.#kernels.chunkNext(this.scheduler);
      if (ticket < 0) break;
      this.#settle(ticket);
      if (isTurnOver()) return this.#deliverLater();
    }
    this.#isDraining = false;
  }

  #countUrgent(change: 1 | -1): void {
    this.#urgent += change;
    countUrgent(change);
  }

  #settle(ticket: number): void {
    const { owner, numbers, timedStages, isUrgent } = this.#open.get(ticket)!;
    if (this.#out.length < numbers) this.#out = new Float64Array(numbers);
    if (this.#stageNanos.length < timedStages) this.#stageNanos = new Float64Array(timedStages);
    const clock = timedStages > 0 ? this.#stageNanos.subarray(0, timedStages) : undefined;
    const failure = this.#kernels.chunkTake(this.scheduler, ticket, this.#out, clock);
    this.#open.delete(ticket);
    if (isUrgent) this.#countUrgent(-1);
    this.#freeTickets.push(ticket);
    if (this.#open.size === 0) this.#kernels.schedulerRef(this.scheduler, false);
    owner.chunkIsOver(ticket, this.#out, failure, clock);
  }
}
