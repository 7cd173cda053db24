import type { Block, CompiledPlan } from '@brezel/core';

import type { NativeSegment } from '../../execute/native/native-segment.js';
import type { SegmentChunks } from '../../execute/native/segment-chunks.js';
import type { LaterOptions, Work } from '../../execute/work.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import { DISPATCH_NANOS } from './dispatch-thresholds.js';
import type { SegmentOnExecutors } from './segment-on-executors.js';

/**
 * Executors run a block only if it has at least this many nanoseconds of work. Sending a block to
 * executors and reading its answers takes about as long.
 */
const PAYING_BLOCK_NANOS = 20_000;

/** Returns the executors for a segment, or undefined if the runtime has no native executors. */
export type SegmentPlaces = (
  record: ServedPlan,
  chunks: SegmentChunks,
  nanosPerRow: number,
) => SegmentOnExecutors | undefined;

/**
 * Runs a segment between device stages or black boxes. The segment runs on executors if a request
 * has enough rows, otherwise on the calling thread.
 */
export class SegmentWork implements Work {
  readonly #segment: NativeSegment;
  readonly #find: () => SegmentOnExecutors | undefined;
  readonly #nanosPerRow: number;
  #target: SegmentOnExecutors | undefined;
  #isSought = false;

  /**
   * @param plan the plan with the stages of the segment
   * @param places returns the executors for the segment. The first request with enough rows calls
   * this function
   */
  constructor(segment: NativeSegment, record: ServedPlan, plan: CompiledPlan, places: SegmentPlaces) {
    this.#segment = segment;
    const nanosPerRow = segment.stages.reduce((sum, at) => sum + plan.stages[at]!.marks.nanosPerRow, 0);
    this.#nanosPerRow = nanosPerRow;
    const { chunks } = segment;
    this.#find = () => chunks && places(record, chunks, nanosPerRow);
  }

  run(...call: Parameters<Work['run']>): void {
    this.#segment.run(call[0], call[1], call[2], call[3]);
  }

  async runLater(slots: Block[], rows: number, first: number, call: LaterOptions): Promise<void> {
    if (this.runsElsewhere(rows, call) && (await this.#onExecutors(slots, rows, call))) return;
    call.signal?.throwIfAborted();
    call.check?.();
    this.#segment.run(slots, rows, first, call.nanoseconds);
  }

  runsElsewhere(rows: number, { requestRows = rows }: LaterOptions): boolean {
    if (requestRows * this.#nanosPerRow < DISPATCH_NANOS || rows * this.#nanosPerRow < PAYING_BLOCK_NANOS) return false;
    return this.#executors() !== undefined;
  }

  /**
   * Removes the segment from the executors. Call this method before the addon releases the segment.
   */
  end(): void {
    this.#isSought = true;
    this.#target?.end();
  }

  #executors(): SegmentOnExecutors | undefined {
    if (!this.#isSought) this.#target = this.#find();
    this.#isSought = true;
    return this.#target;
  }

  async #onExecutors(slots: Block[], rows: number, { signal, nanoseconds }: LaterOptions): Promise<boolean> {
    const { stages } = this.#segment;
    const times = nanoseconds && new Float64Array(stages.length);
    if (!(await this.#executors()!.run(slots, rows, signal, times))) return false;
    stages.forEach((stage, at) => {
      if (nanoseconds !== undefined) nanoseconds[stage] = nanoseconds[stage]! + times![at]!;
    });
    return true;
  }
}
