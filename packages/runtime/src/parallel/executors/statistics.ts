import type { NativeKernels } from '../../execute/native/native-kernels.js';
import type { ChunkDispatcher } from './chunk-dispatcher.js';
import type { ExecutorGroup } from './group.js';
import { type JavaScriptStatistics, NO_WORKERS } from './javascript/statistics.js';
import type { PlanOnExecutors } from './plan-on-executors.js';

/** What executors of a group are, and what they did since it was created. */
export interface GroupStatistics {
  /**
   * Most threads, threads that there are now, leases that run on them, leases that were started,
   * and threads that were lost.
   */
  readonly limit: number;
  readonly threads: number;
  readonly leases: number;
  readonly started: number;
  readonly lost: number;
  /**
   * EventLoopSlices in which the calling thread worked itself, because no executor was there yet.
   */
  readonly helped: number;
  /** Chunks that no executor has. */
  readonly waiting: number;
  /** Stages of chunks that ran; chunks that are over, and their rows. */
  readonly events: number;
  readonly chunks: number;
  readonly rows: number;
  /** Chunks that were put back between two stages, for plans of a higher priority. */
  readonly preempted: number;
  /** Times that an executor slept. */
  readonly parked: number;
  /** Scratch and vectors of all executors, and how often some of it grew: flat once warm. */
  readonly scratchBytes: number;
  readonly grows: number;
  /**
   * Vectors of pipelines that executors made: they are lent to chunks and come back, so that this
   * is flat once warm.
   */
  readonly vectorsMade: number;
  /**
   * How often a plan went to a larger size class, because its chunks kept asking for more than its
   * statistics foresaw.
   */
  readonly vectorsRaised: number;
  /**
   * Vectors that grew beyond their plan's class for unusually large rows and were given back to the
   * system, and their bytes.
   */
  readonly overflows: number;
  readonly overflowBytes: number;
}

export interface ExecutorStatistics {
  /** Threads for native plans: `createRuntime({ executors })`, 0 where no addon loads. */
  readonly limit: number;
  /** Chunks on their way, those of all groups. */
  readonly chunks: number;
  /** How often the buffers of chunks grew, how many were too large to be kept, and their bytes. */
  readonly inputGrows: number;
  readonly inputOverflows: number;
  readonly inputOverflowBytes: number;
  readonly shared: GroupStatistics;
  /** Of plans with a reservation. */
  readonly reserved: readonly ReservedStatistics[];
  /** Of plans that run in JavaScript, whole or in part. */
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

/** Of a runtime without executors. */
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
    javascript: NO_WORKERS, // the door knows
  };
}

/** How many executors work for one plan only. */
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
