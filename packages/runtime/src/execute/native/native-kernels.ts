import type { KernelData } from '@brezel/core';

/** Instruction sets that kernels are built for. */
export type Isa = 'baseline' | 'avx2' | 'avx512';

/** What the runtime needs of the addon (`@brezel/native`); handed in as a value, so that a server without it still runs. */
export interface NativeKernels {
  isas(): Isa[];
  kernels(): string[];
  stageCreate(spec: {
    isa: Isa;
    slots: Int32Array;
    instructions: Int32Array;
    /** Handles, as a list: a typed array of few numbers gets memory of its own when the addon reads it. */
    parameters: readonly number[];
    inputs: Int32Array;
    outputs: Int32Array;
  }): number;
  stageRelease(stage: number): void;
  planCreate(spec: {
    stages: readonly number[];
    wiring: Int32Array;
    inputs: Int32Array;
    outputs: Int32Array;
    maxInputBytes: number;
  }): number;
  planRelease(plan: number): void;
  /** A budget for results of stages that are kept, and found again by their inputs; counted by `resultsStats`. */
  resultsCreate(maxBytes: number): number;
  resultsSwitch(results: number, isOn: boolean): void;
  resultsStats(results: number): { hits: number; misses: number; evictions: number; entries: number; bytes: number };
  resultsRelease(results: number): void;
  stageKeepResults(stage: number, results: number): void;
  stageForgetResults(stage: number): void;
  predictText(plan: number, text: string | Uint8Array, out: Float64Array): void;
  predictRows(
    plan: number,
    columns: readonly (readonly (string | Uint8Array)[] | Float64Array)[],
    rows: number,
    out: Float64Array,
  ): void;
  /** As `predictRows`, and adds the time of each stage to `nanoseconds`. */
  profileRows(
    plan: number,
    columns: readonly (readonly (string | Uint8Array)[] | Float64Array)[],
    rows: number,
    out: Float64Array,
    nanoseconds: Float64Array,
  ): void;
  /** Part of a plan: columns of any kind in and out. */
  runColumns(
    plan: number,
    columns: readonly NativeColumn[],
    rows: number,
    nanoseconds?: Float64Array | undefined,
  ): NativeColumn[];
  /** Kernels of tensor programs; a name's index is the kernel's number. */
  tensorKernels(): string[];
  /** Runs one of them: what it writes, what it reads, shapes and attributes. */
  tensorRun(isa: Isa, kernel: number, tensors: readonly (KernelData | undefined)[], numbers: Float64Array): void;
  schedulerCreate(completed: () => void, vectorsPerClass?: number, vectorBytes?: number): number;
  schedulerClose(scheduler: number): void;
  schedulerRef(scheduler: number, isHeld: boolean): void;
  schedulerStats(scheduler: number): { inputGrows: number; overflows: number; overflowBytes: number };
  groupCreate(scheduler: number, vectorsPerClass?: number, vectorBytes?: number): number;
  groupClose(scheduler: number, group: number): void;
  groupWaiting(scheduler: number, group: number): number;
  groupExecutors(scheduler: number, group: number): number;
  groupStats(scheduler: number, group: number): GroupCounters;
  groupVectors(scheduler: number, group: number, out: Float64Array): void;
  planSchedule(
    scheduler: number,
    plan: number,
    group: number,
    priority: number,
    weight: number,
    nanosPerRow: number,
    sparseBytesPerRow: number,
  ): number;
  planUnschedule(scheduler: number, queue: number): void;
  planTouch(plan: number): number;
  chunkSubmit(
    scheduler: number,
    ticket: number,
    queue: number,
    columns: readonly (readonly (string | Uint8Array)[] | Float64Array)[],
    first: number,
    end: number,
    total: number,
    isTimed?: boolean,
  ): number;
  chunkCancel(scheduler: number, ticket: number): void;
  chunkNext(scheduler: number): number;
  chunkTake(
    scheduler: number,
    ticket: number,
    out: Float64Array,
    nanoseconds?: Float64Array | undefined,
  ): ChunkFailure | undefined;
  executorRun(scheduler: number, group: number, runMs: number, lingerMs: number): number;
}

/** Why a chunk has no numbers. */
export interface ChunkFailure {
  readonly end: 'refused' | 'memory' | 'cancelled';
  readonly row: number;
  readonly message?: string;
}

/** What executors of a group did. */
export interface GroupCounters {
  readonly events: number;
  readonly chunks: number;
  readonly rows: number;
  readonly preempted: number;
  readonly parked: number;
  readonly scratchBytes: number;
  readonly grows: number;
  readonly vectorsMade: number;
  readonly vectorsRaised: number;
  readonly overflows: number;
  readonly overflowBytes: number;
  readonly released: number;
  readonly releasedBytes: number;
}

/** All rows of one value, in its own type. */
export type NativeColumn =
  | readonly (string | Uint8Array)[]
  | Float32Array
  | Float64Array
  | BigInt64Array
  | Int32Array
  | Uint8Array
  | { readonly offsets: Uint32Array; readonly ids: Uint32Array; readonly values: Float32Array };
