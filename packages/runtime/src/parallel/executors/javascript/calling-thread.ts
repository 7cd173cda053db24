import { sizeOf } from '@brezel/core';
import type { RowValues } from '../../../execute/answers/answers.js';
import { ownSlice } from '../../../execute/event-loop-slicing.js';
import type { JavaScriptEngines } from '../../../execute/javascript-engines.js';
import { inSlices } from '../../../execute/slices.js';
import { sampled } from '../../../telemetry/stage-clocks.js';
import type { ChunkEnd, WorkerChunk } from './chunk.js';

/**
 * Runs chunks one after another on the thread that submitted them. The event loop runs between
 * chunks.
 */
export class CallingThread {
  readonly #interpreter: JavaScriptEngines;
  readonly #ended: (chunk: WorkerChunk, end: ChunkEnd) => void;
  readonly #waiting: WorkerChunk[] = [];
  /**
   * Whether the loop over the chunks runs. `#isBusy` is true only while a chunk waits for its turn
   * of the event loop or runs.
   */
  #isRunning = false;
  #isBusy = false;
  #chunks = 0;

  constructor(interpreter: JavaScriptEngines, ended: (chunk: WorkerChunk, end: ChunkEnd) => void) {
    this.#interpreter = interpreter;
    this.#ended = ended;
  }

  /** Number of chunks that this thread has answered. */
  get chunks(): number {
    return this.#chunks;
  }

  get isIdle(): boolean {
    return !this.#isBusy && this.#waiting.length === 0;
  }

  /** Number of chunks that wait or run on this thread. */
  get open(): number {
    return this.#waiting.length + Number(this.#isBusy);
  }

  add(chunk: WorkerChunk): void {
    this.#waiting.push(chunk);
    if (!this.#isRunning) void this.#runAll();
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    for (let chunk = this.#waiting.shift(); chunk !== undefined; chunk = this.#waiting.shift()) {
      this.#isBusy = true;
      await ownSlice();
      if (chunk.isCancelled) continue;
      this.#chunks++;
      const end = await this.#run(chunk);
      this.#isBusy = false;
      this.#ended(chunk, end); // `#ended` may submit another chunk
    }
    this.#isRunning = false;
    this.#isBusy = false;
  }

  async #run(chunk: WorkerChunk): Promise<ChunkEnd> {
    const { record, rows } = chunk;
    try {
      await inSlices(record.clock, rows, record.nanosPerRow, (from, to) => {
        if (chunk.isCancelled) return;
        const values = this.#slice(chunk, from, to);
        // immediately, because the next slice overwrites the values
        if (!chunk.isCancelled) chunk.owner.rowsAnswered(chunk.number, from, to - from, values);
      });
      return { values: undefined };
    } catch (error) {
      return { error: error as Error };
    }
  }

  #slice({ record, columns, first }: WorkerChunk, from: number, to: number): RowValues {
    const sizes = record.inputs.map((port) => sizeOf(port.type));
    const some = columns.map((column, at) => column.slice(from * sizes[at]!, to * sizes[at]!));
    return sampled(record, to - from, (clock) =>
      this.#interpreter.valuesOf(record, some, to - from, first + from, clock),
    );
  }
}
