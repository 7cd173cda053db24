import { RuntimeError, runtimeError } from '../../../errors.js';
import { inLaterSlice, isTurnOver, startTurn } from '../../../execute/event-loop-slicing.js';
import type { JavaScriptEngines } from '../../../execute/javascript-engines.js';
import type { PlanPayload, WorkerResult } from '../../workers/protocol.js';
import { workerErrors } from '../../workers/sent-errors.js';
import { workerFailure } from '../../workers/worker-failure.js';
import { CallingThread } from './calling-thread.js';
import type { ChunkEnd, WorkerChunk } from './chunk.js';
import type { Ticket } from './two-level-queue.js';
import type { NoResult, WorkerThreads } from './worker-threads.js';

/**
 * After this many threads were lost while they ran the same chunk, the chunk fails with
 * ERR_RUNTIME_WORKER. The chunk may be the cause of the losses.
 */
const MOST_LOSSES = 3;
/**
 * While chunks are in flight, the dispatcher checks its threads at this interval in milliseconds,
 * because a thread may be lost at any time.
 */
const WATCH_MS = 20;

/** The methods of a plan that the dispatcher calls. */
export interface PlanOfChunks {
  readonly number: number;
  /** Returns the plan in the form that is sent to a worker. */
  payload(): PlanPayload;
  /**
   * Receives the time that a worker took for some rows, so that later chunks have the right size.
   */
  measured(rows: number, nanoseconds: number): void;
  /**
   * Is called when workers cannot load the plan. From then on, all its chunks run on the calling
   * thread.
   */
  stayHere(): void;
  readonly staysHere: boolean;
}

/**
 * Sends chunks to worker threads, and delivers their answers to their owners for a limited time in
 * each turn of the event loop. Every chunk ends exactly once, even if threads are lost.
 */
export class WorkerDispatcher {
  readonly #threads: WorkerThreads;
  readonly #here: CallingThread;
  /** For each chunk that was sent to a thread and has not ended, its plan. */
  readonly #sent = new Map<WorkerChunk, PlanOfChunks>();
  readonly #ended: [WorkerChunk, ChunkEnd][] = [];
  #isSettling = false;
  #watch: NodeJS.Timeout | undefined;
  #counts = { chunks: 0, rows: 0, repeated: 0, copiedBytes: 0 };
  #isClosed = false;

  constructor(threads: WorkerThreads, interpreter: JavaScriptEngines) {
    this.#threads = threads;
    this.#here = new CallingThread(interpreter, (chunk, end) => {
      this.#end(chunk, end);
      this.#help();
    });
  }

  get counts() {
    return { ...this.#counts, helped: this.#here.chunks };
  }

  /** Number of chunks in flight. */
  get open(): number {
    return this.#sent.size + this.#here.open + this.#ended.length;
  }

  submit(chunk: WorkerChunk, plan: PlanOfChunks): void {
    if (plan.staysHere || this.#threads.isResting) return this.#here.add(chunk);
    this.#sent.set(chunk, plan);
    this.#watch ??= setInterval(() => this.#look(), WATCH_MS).unref();
    void this.#send(chunk, plan, undefined);
    this.#help();
  }

  /** Cancels a chunk. If a thread already runs the chunk, the thread finishes it. */
  cancel(chunk: WorkerChunk): void {
    chunk.isCancelled = true;
    if (this.#threads.takeBack(chunk.ticket)) this.#sent.delete(chunk);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#watch);
  }

  async #send(chunk: WorkerChunk, plan: PlanOfChunks, payload: PlanPayload | undefined): Promise<void> {
    const { columns, rows, first, ticket } = chunk;
    const isTimed = chunk.record.stageClocks?.takesSample() === true;
    const task = { plan: plan.number, columns, rows, first, isTimed, ...(payload && { payload }) };
    try {
      const result = await this.#threads.run(task, ticket);
      if (this.#sent.has(chunk)) this.#answered(chunk, plan, result);
    } catch (error) {
      if (this.#sent.has(chunk)) this.#withoutResult(chunk, plan, error as NoResult);
    }
  }

  #answered(chunk: WorkerChunk, plan: PlanOfChunks, result: WorkerResult): void {
    if ('isMissing' in result && !this.#isClosed) return void this.#send(chunk, plan, plan.payload());
    this.#sent.delete(chunk);
    if ('values' in result) {
      const { values, nanoseconds, clock, copiedBytes } = result;
      if (clock !== undefined) chunk.record.stageClocks!.add(chunk.rows, clock);
      plan.measured(chunk.rows, nanoseconds);
      this.#counts.copiedBytes += copiedBytes;
      this.#end(chunk, { values });
    } else if ('error' in result && workerErrors.receive(result.error) instanceof RuntimeError) {
      this.#end(chunk, { error: workerFailure(result.error, chunk.record.name) });
    } else {
      // The worker cannot load the plan, or its error is unknown on this thread, so this thread
      // runs the chunk.
      if ('cannotHave' in result) plan.stayHere();
      this.#here.add(chunk);
    }
  }

  #withoutResult(chunk: WorkerChunk, plan: PlanOfChunks, { why, message, cause }: NoResult): void {
    if (chunk.isCancelled || this.#isClosed) return void this.#sent.delete(chunk);
    if (why === 'refused') plan.stayHere();
    if (why === 'lost') {
      this.#counts.repeated++;
      chunk.losses++;
    }
    if (chunk.losses >= MOST_LOSSES) {
      this.#sent.delete(chunk);
      const at = chunk.record.name;
      return this.#end(chunk, { error: runtimeError('ERR_RUNTIME_WORKER', { received: message, at, cause }) });
    }
    // If a worker thread was lost while it ran a chunk, never run the chunk on this thread: the
    // chunk may be the cause of the loss.
    if (chunk.losses > 0 || !(plan.staysHere || this.#threads.isResting))
      return void this.#send(chunk, plan, undefined);
    this.#sent.delete(chunk);
    this.#here.add(chunk);
  }

  #look(): void {
    if (this.#sent.size === 0) {
      clearInterval(this.#watch);
      this.#watch = undefined;
      return;
    }
    this.#threads.replaceIfStuck();
    this.#help();
  }

  /** Runs one waiting chunk on this thread if no worker thread is running a chunk. */
  #help(): void {
    if (this.#isClosed || !this.#here.isIdle || this.#threads.running > 0) return;
    const next = this.#threads.queue.next();
    const chunk = next && this.#chunkAt(next);
    if (chunk === undefined || chunk.losses > 0) return;
    this.#threads.takeBack(next!);
    this.#sent.delete(chunk);
    this.#here.add(chunk);
  }

  #chunkAt(ticket: Ticket): WorkerChunk | undefined {
    for (const chunk of this.#sent.keys()) if (chunk.ticket === ticket) return chunk;
    return undefined;
  }

  #end(chunk: WorkerChunk, end: ChunkEnd): void {
    this.#counts.chunks++;
    this.#counts.rows += chunk.rows;
    this.#ended.push([chunk, end]);
    if (!this.#isSettling) this.#settle();
  }

  #settle(): void {
    this.#isSettling = true;
    startTurn();
    for (let next = this.#ended.shift(); next !== undefined; next = this.#ended.shift()) {
      tell(...next);
      if (!isTurnOver() || this.#ended.length === 0) continue;
      return inLaterSlice(() => this.#settle());
    }
    this.#isSettling = false;
  }
}

function tell({ owner, number, first, isCancelled }: WorkerChunk, end: ChunkEnd): void {
  if (isCancelled) return;
  if ('error' in end) owner.chunkFailed(number, () => ({ row: first, error: end.error }));
  else owner.chunkAnswered(number, end.values);
}
