import type { NativeKernels } from '../../execute/native/native-kernels.js';
import type { ChunkDispatcher } from './chunk-dispatcher.js';
import type { ExecutorGroup } from './group.js';
import { type JavaScriptStatistics, NO_WORKERS } from './javascript/statistics.js';
import type { PlanOnExecutors } from './plan-on-executors.js';

/** Statistics of a group of executors since it was created. */
export interface GroupStatistics {
  /**
   * Largest number of threads, threads that run now, leases that run on them, leases that were
   * started, and threads that were lost.
   */
  readonly limit: number;
  readonly threads: number;
  readonly leases: number;
  readonly started: number;
  readonly lost: number;
  /** Number of slices that the calling thread ran, because no executor was ready. */
  readonly helped: number;
  /** Number of chunks that wait for an executor. */
  readonly waiting: number;
  /** Stages of chunks that ran; chunks that have ended, and their rows. */
  readonly events: number;
  readonly chunks: number;
  readonly rows: number;
  /** Chunks that were put back between two stages, for plans of a higher priority. */
  readonly preempted: number;
  /** Number of times that an executor slept. */
  readonly parked: number;
  /** Scratch memory and vectors of all executors, and how often it grew: flat once warm. */
  readonly scratchBytes: number;
  readonly grows: number;
  /**
   * Number of vectors that executors allocated. Vectors are lent to chunks and reused, so the
   * number is flat once warm.
   */
  readonly vectorsMade: number;
  /**
   * How often a plan moved to a larger size class, because its chunks repeatedly needed more than
   * its statistics predicted.
   */
  readonly vectorsRaised: number;
  /**
   * Vectors that outgrew the class of their plan for unusually large rows and were freed, and their
   * bytes.
   */
  readonly overflows: number;
  readonly overflowBytes: number;
}

export interface ExecutorStatistics {
  /** Threads for native plans: `createRuntime({ executors })`, 0 where no addon loads. */
  readonly limit: number;
  /** Chunks in flight of all groups. */
  readonly chunks: number;
  /**
   * How often the buffers of chunks grew, how many were too large to be reused, and their bytes.
   */
  readonly inputGrows: number;
  readonly inputOverflows: number;
  readonly inputOverflowBytes: number;
  readonly shared: GroupStatistics;
  /** Executors that are reserved for one plan. */
  readonly reserved: readonly ReservedStatistics[];
  /** Executors of plans that run in JavaScript, completely or in part. */
  readonly javascript: JavaScriptStatistics;
}

export interface ReservedStatistics extends GroupStatistics {
  readonly plan: string;
}

const NOTHING: GroupStatistics = {
  limit: 0,
  threads: 0,
  leases: 0,
  started: 0,
  lost: 0,
  helped: 0,
  waiting: 0,
  events: 0,
  chunks: 0,
  rows: 0,
  preempted: 0,
  parked: 0,
  scratchBytes: 0,
  grows: 0,
  vectorsMade: 0,
  vectorsRaised: 0,
  overflows: 0,
  overflowBytes: 0,
};

/** The statistics of a runtime without executors. */
export const NO_EXECUTORS: ExecutorStatistics = {
  limit: 0,
  chunks: 0,
  inputGrows: 0,
  inputOverflows: 0,
  inputOverflowBytes: 0,
  shared: NOTHING,
  reserved: [],
  javascript: NO_WORKERS,
};

export function executorStatistics(
  { limit, open }: { readonly limit: number; readonly open: number },
  dispatcher: ChunkDispatcher | undefined,
  kernels: NativeKernels,
  shared: ExecutorGroup | undefined,
  reserved: readonly PlanOnExecutors[],
): ExecutorStatistics {
  if (dispatcher === undefined) return { ...NO_EXECUTORS, limit, shared: { ...NOTHING, limit: open } };
  const { inputGrows, overflows, overflowBytes } = kernels.schedulerStats(dispatcher.scheduler);
  return {
    limit,
    chunks: dispatcher.chunks,
    inputGrows,
    inputOverflows: overflows,
    inputOverflowBytes: overflowBytes,
    shared: shared === undefined ? { ...NOTHING, limit: open } : groupStatistics(shared),
    reserved: reserved.map(({ group, record }) => ({ plan: record.name, ...groupStatistics(group) })),
    javascript: NO_WORKERS, // the facade fills it in
  };
}

/** Returns the number of executors that work for one plan only. */
export const reservedExecutors = (plans: readonly PlanOnExecutors[]): number =>
  plans.reduce((sum, { group }) => sum + group.leases.limit, 0);

function groupStatistics(group: ExecutorGroup): GroupStatistics {
  return {
    limit: group.leases.limit,
    ...group.leases.stats(),
    helped: group.helped,
    waiting: group.waiting(),
    ...group.counters(),
  };
}
