import type { CompiledPlan } from '@brezel/core';
import type { AnswerSink, Collect } from '../../execute/answers/answer-sink.js';
import type { BatchWatch } from '../../execute/batch.js';
import type { NativeKernels } from '../../execute/native/native-kernels.js';
import { type NativeInput, packColumns } from '../../execute/native/packed-dictionaries.js';
import { type RowFailure, rowFailure, rowsOf } from '../../execute/native/request-response.js';
import type { RowList } from '../../execute/rows/copied-rows.js';
import type { Column } from '../../execute/rows/row-schema.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import {
  atMostBlock,
  type BatchSource,
  type BatchTarget,
  type PlanExecution,
  runForAnswers,
  type SubmittedRows,
  stretchOf,
} from './batch-target.js';
import type { ChunkDispatcher, ChunkOwner } from './chunk-dispatcher.js';
import { ExecutorBatch } from './executor-batch.js';
import type { ExecutorGroup } from './group.js';
import { isUrgent, PRIORITIES, type Scheduling } from './scheduling-options.js';

/**
 * A chunk has about this many nanoseconds of work. Dispatching a chunk takes much less time, and
 * the chunks of other plans do not wait for long.
 */
const CHUNK_NANOS = 500_000;
/** The bytes of a sparse entry: an id and a value. */
const BYTES_PER_ENTRY = 8;

/**
 * Runs batches of a plan on native executors. The plan has a dedicated queue in the native
 * scheduler.
 */
export class PlanOnExecutors implements BatchTarget, PlanExecution {
  readonly record: ServedPlan;
  readonly group: ExecutorGroup;
  readonly blockRows: number;
  readonly chunkRows: number;
  readonly isUrgent: boolean;
  readonly #kernels: NativeKernels;
  readonly #dispatcher: ChunkDispatcher;
  readonly #queue: number;
  readonly #batches = new Set<ExecutorBatch>();

  constructor(
    record: ServedPlan,
    kernels: NativeKernels,
    dispatcher: ChunkDispatcher,
    group: ExecutorGroup,
    scheduling: Scheduling,
  ) {
    this.record = record;
    this.group = group;
    this.#kernels = kernels;
    this.#dispatcher = dispatcher;
    this.blockRows = stretchOf(record.inputs);
    this.chunkRows = atMostBlock(CHUNK_NANOS / record.nanosPerRow);
    this.isUrgent = isUrgent(group, scheduling);
    this.#queue = kernels.planSchedule(
      dispatcher.scheduler,
      record.planHandle!,
      group.number,
      PRIORITIES.indexOf(scheduling.priority),
      scheduling.weight,
      record.nanosPerRow,
      sparseBytesPerRow(record.compiled),
    );
  }

  /**
   * If the plan has a reservation, allocates pooled vectors for each reserved executor and for the
   * calling thread, and holds them for the plan. Does nothing if a limit of pooled vectors is 0.
   */
  holdVectors(): void {
    const { isReserved, leases, vectors } = this.group;
    if (!isReserved || vectors.perClass === 0 || vectors.maxBytes === 0) return;
    this.#kernels.vectorsHold(this.#dispatcher.scheduler, this.#queue, leases.limit + 1);
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
    this.#batches.add(batch);
    try {
      await batch.run();
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
    const { width, stages, stageClocks } = this.record;
    const timedStages = stageClocks?.takesSample() ? stages.length : 0;
    const submitted = this.#dispatcher.submit(this.#queue, width, chunk, owner, {
      timedStages,
      isUrgent: this.isUrgent,
    });
    this.group.entered();
    return submitted;
  }

  /** Returns the failed row and the error that `runRows` would throw for the same rows. */
  rejection(error: unknown, { columns, at, total, first }: SubmittedRows): RowFailure {
    const rows = rowsOf(this.record, columns as readonly NativeInput[], at, total);
    return rowFailure(error, this.record, rows, total - at, this.#kernels, first + at);
  }

  chunkLeft(): void {
    this.group.left();
  }

  cancel(ticket: number): void {
    this.#dispatcher.cancel(ticket);
  }

  end(error: () => Error): void {
    for (const batch of [...this.#batches]) batch.fail(error());
    this.#kernels.planUnschedule(this.#dispatcher.scheduler, this.#queue);
  }
}

/**
 * Returns the expected bytes of the sparse vectors of a row, from the statistics of the program.
 * Vectors without statistics are not counted.
 */
function sparseBytesPerRow({ stages }: CompiledPlan): number {
  let entries = 0;
  for (const { stage, marks } of stages) {
    stage.outputs.forEach((slot, at) => {
      const type = stage.steps[slot - stage.inputs.length]?.type;
      const most = marks.maxVectorSizes[at]!;
      if (type?.kind === 'sparse' && most < type.size) entries += most;
    });
  }
  return entries * BYTES_PER_ENTRY;
}
