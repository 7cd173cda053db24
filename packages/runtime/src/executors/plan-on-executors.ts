import { sizeOf } from '@brezel/core';
import type { Column, Row } from '../admission.js';
import type { Answer } from '../answers.js';
import type { BatchWatch } from '../engines/batch.js';
import { type RowFault, rowFault, rowsOf } from '../engines/request-response.js';
import type { NativeKernels } from '../native.js';
import { type NativeInput, packColumns } from '../packed-dictionaries.js';
import type { PlanRecord } from '../registered-plan.js';
import { type BatchPlan, type BatchSource, type PlanExecution, type SubmittedRows, sourceOf } from './batch-plan.js';
import type { ChunkDesk, ChunkOwner } from './chunk-desk.js';
import { ExecutorBatch } from './executor-batch.js';
import type { ExecutorGroup } from './group.js';
import { PRIORITIES, type Scheduling } from './scheduling-options.js';

/** Work of one chunk: enough to be worth its way, little enough that others soon get their turn. */
const CHUNK_NANOS = 500_000;
const MOST_CHUNK_ROWS = 256;
/** Numbers and texts that are checked at a stretch. */
const CHUNK_VALUES = 8192;

/** A plan with a queue of its own in the native scheduler, and the batches that run. */
export class PlanOnExecutors implements BatchPlan, PlanExecution {
  readonly record: PlanRecord;
  readonly group: ExecutorGroup;
  readonly blockRows: number;
  readonly chunkRows: number;
  readonly #kernels: NativeKernels;
  readonly #desk: ChunkDesk;
  readonly #queue: number;
  readonly #batches = new Set<ExecutorBatch>();

  constructor(
    record: PlanRecord,
    kernels: NativeKernels,
    desk: ChunkDesk,
    group: ExecutorGroup,
    scheduling: Scheduling,
  ) {
    this.record = record;
    this.group = group;
    this.#kernels = kernels;
    this.#desk = desk;
    this.blockRows = atMost(CHUNK_VALUES / record.inputs.reduce((sum, port) => sum + sizeOf(port.type), 0));
    this.chunkRows = atMost(CHUNK_NANOS / record.nanosPerRow);
    this.#queue = kernels.planSchedule(
      desk.scheduler,
      record.native!,
      group.number,
      PRIORITIES.indexOf(scheduling.priority),
      scheduling.weight,
      record.nanosPerRow,
    );
  }

  async run(rows: readonly Row[] | BatchSource, watch: BatchWatch, first: number): Promise<Answer[]> {
    const source = 'admit' in rows ? rows : sourceOf(this.record.inputs, rows);
    const batch = new ExecutorBatch(this, source, watch, first);
    this.#batches.add(batch);
    try {
      return await batch.run();
    } finally {
      this.#batches.delete(batch);
    }
  }

  start(): Promise<number> {
    return this.group.start();
  }

  prepare(columns: readonly Column[], first: number): readonly NativeInput[] {
    return packColumns(this.record.inputs, columns, this.record.maxInputBytes, first);
  }

  submit({ columns, at, end, total }: SubmittedRows, owner: ChunkOwner) {
    const chunk = { columns: columns as readonly NativeInput[], at, end, total };
    const submitted = this.#desk.submit(this.#queue, this.record.width, chunk, owner);
    this.group.entered();
    return submitted;
  }

  /** What `runRows` throws for them. */
  refusal(error: unknown, { columns, at, total, first }: SubmittedRows): RowFault {
    const rows = rowsOf(this.record, columns as readonly NativeInput[], at, total);
    return rowFault(error, this.record, rows, total - at, this.#kernels, first + at);
  }

  chunkLeft(): void {
    this.group.left();
  }

  cancel(ticket: number): void {
    this.#desk.cancel(ticket);
  }

  end(error: () => Error): void {
    for (const batch of [...this.#batches]) batch.fail(error());
    this.#kernels.planUnschedule(this.#desk.scheduler, this.#queue);
  }
}

/** Few rows where one is dear or wide. */
const atMost = (rows: number): number => Math.max(1, Math.min(MOST_CHUNK_ROWS, Math.floor(rows)));

/** Whether executors can run a plan: whole in the addon, and nothing before it that belongs to this thread. */
export const runsOnExecutors = ({ native, cached }: PlanRecord): boolean =>
  native !== undefined && cached === undefined;
