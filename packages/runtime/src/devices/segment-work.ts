import type { Block } from '@brezel/core';
import type { NativeSegment } from '../engines/native-segment.js';
import type { Work } from '../engines/work.js';
import { PAYING_NANOS } from '../executors/door.js';
import type { SegmentOnExecutors } from '../executors/segment-on-executors.js';
import type { DeviceCall } from './device-call.js';

/** A block of less work than this is not worth its way, however many come: submitting it and taking its answers out costs about as much. */
const PAYING_BLOCK_NANOS = 20_000;

/** Stages between those of a device: on executors where a request has enough rows, as batches of other plans are; else on this thread. */
export class SegmentWork implements Work {
  readonly #segment: NativeSegment;
  readonly #executors: SegmentOnExecutors;
  readonly #nanosPerRow: number;

  constructor(segment: NativeSegment, executors: SegmentOnExecutors, nanosPerRow: number) {
    this.#segment = segment;
    this.#executors = executors;
    this.#nanosPerRow = nanosPerRow;
  }

  run(...call: Parameters<Work['run']>): void {
    this.#segment.run(call[0], call[1], call[2], call[3]);
  }

  async runLater(slots: Block[], rows: number, first: number, call: DeviceCall): Promise<void> {
    if (this.isWorth(rows, call) && (await this.#executors.run(slots, rows, call.signal))) return;
    call.signal?.throwIfAborted();
    call.check?.();
    this.#segment.run(slots, rows, first);
  }

  isWorth(rows: number, { requestRows = rows }: DeviceCall): boolean {
    return requestRows * this.#nanosPerRow >= PAYING_NANOS && rows * this.#nanosPerRow >= PAYING_BLOCK_NANOS;
  }
}
