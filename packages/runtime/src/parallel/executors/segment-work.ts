import type { Block, CompiledPlan } from '@brezel/core';

import type { NativeSegment } from '../../execute/native/native-segment.js';
import type { SegmentChunks } from '../../execute/native/segment-chunks.js';
import type { LaterOptions, Work } from '../../execute/work.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import { DISPATCH_NANOS } from './dispatch-thresholds.js';
import type { SegmentOnExecutors } from './segment-on-executors.js';

/**
 * A block of less work than this is not worth its way, however many come: submitting it and taking
 * its answers out costs about as much.
 */
const PAYING_BLOCK_NANOS = 20_000;

/** Finds executors for a part of a plan, where there are any. */
export type SegmentPlaces = (
  record: ServedPlan,
  chunks: SegmentChunks,
  nanosPerRow: number,
) => SegmentOnExecutors | undefined;

/**
 * Stages between those of a device or a black box: on executors where a request has enough rows, as
 * batches of other plans are; else on this thread.
 */
export class SegmentWork implements Work {
  readonly #segment: NativeSegment;
  readonly #find: () => SegmentOnExecutors | undefined;
  readonly #nanosPerRow: number;
  #place: SegmentOnExecutors | undefined;
  #isSought = false;

  /**
   * @param plan whose stages the segment has. Executors are found when the first request is worth
   * the way.
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

  /** Executors let go of it, before the addon does, and none are found any more. */
  end(): void {
    this.#isSought = true;
    this.#place?.end();
  }

  #executors(): SegmentOnExecutors | undefined {
    if (!this.#isSought) this.#place = this.#find();
    this.#isSought = true;
    return this.#place;
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
