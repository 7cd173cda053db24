import type { NativeKernels } from '../../execute/native/native-kernels.js';
import type { ChunkDispatcher } from './chunk-dispatcher.js';
import type { ExecutorGroup } from './group.js';
import { type JavaScriptStatistics, NO_WORKERS } from './javascript/statistics.js';
import type { PlanOnExecutors } from './plan-on-executors.js';

/** Counts of a group of executors since the group was created. */
export interface GroupStatistics {
  /** The maximal number of threads. */
  readonly limit: number;
  /** Number of threads that run now. */
  readonly threads: number;
  /** Number of leases that exist now. */
  readonly leases: number;
  /** Number of leases that were started. */
  readonly started: number;
  /** Number of threads that ended unexpectedly. */
  readonly lost: number;
  /** Number of times that the calling thread ran chunks because no executor was ready. */
  readonly helped: number;
  /** Number of chunks that wait for an executor, in both queues. */
  readonly waiting: number;
  /**
   * The two queues of the group. New chunks wait in the low queue. A chunk that was interrupted
   * between two stages, or that the calling thread started, waits in the high queue. Executors take
   * chunks of the high queue first.
   */
  readonly queues: { readonly low: QueueStatistics; readonly high: QueueStatistics };
  /** Number of times that an executor ran a stage for a chunk. */
  readonly events: number;
  /** Number of finished chunks. */
  readonly chunks: number;
  /** Number of rows of finished chunks. */
  readonly rows: number;
  /**
   * Number of times that a chunk was interrupted between two stages by a plan with a higher
   * priority.
   */
  readonly preempted: number;
  /** Number of times that an executor went to sleep because no chunk was waiting. */
  readonly parked: number;
  /** Bytes of scratch memory and pooled vectors of all executors. Constant after warm-up. */
  readonly scratchBytes: number;
  /**
   * Number of times that the scratch memory or a pooled vector of an executor grew. Constant after
   * warm-up.
   */
  readonly grows: number;
  /**
   * Number of pooled vectors that executors allocated. Chunks reuse pooled vectors, so the number
   * is constant after warm-up.
   */
  readonly vectorsMade: number;
  /**
   * Number of times that a plan changed to a larger size class, because its chunks repeatedly
   * needed more memory than its statistics predicted.
   */
  readonly vectorsRaised: number;
  /**
   * Pooled vectors that were freed because unusually large rows made them larger than the class of
   * their plan. `overflowBytes` is the total size of these vectors.
   */
  readonly overflows: number;
  readonly overflowBytes: number;
}

/** Counts of one queue of a group. */
export interface QueueStatistics {
  /** Number of chunks that wait in the queue now. */
  readonly waiting: number;
  /** Number of chunks that executors have taken from the queue. */
  readonly taken: number;
}

export interface ExecutorStatistics {
  /**
   * The number of threads for native plans, from `createRuntime({ executors })`. The number is 0 if
   * the addon is not loaded.
   */
  readonly limit: number;
  /** Chunks in flight in all groups. */
  readonly chunks: number;
  /** Number of times that a buffer for the inputs of a chunk had to grow. */
  readonly inputGrows: number;
  /** Number of input buffers that were freed because they were too large to be cached. */
  readonly inputOverflows: number;
  /** Total bytes of the freed input buffers. */
  readonly inputOverflowBytes: number;
  readonly shared: GroupStatistics;
  /** One entry for each plan with reserved executors. */
  readonly reserved: readonly ReservedStatistics[];
  /** Worker threads for plans that run in JavaScript, completely or in part. */
  readonly javascript: JavaScriptStatistics;
}

export interface ReservedStatistics extends GroupStatistics {
  readonly plan: string;
  /**
   * The CPUs to which the threads are pinned. If undefined, the threads run on all CPUs of the
   * process.
   */
  readonly cpu: readonly number[] | undefined;
}

const NOTHING: GroupStatistics = {
  limit: 0,
  threads: 0,
  leases: 0,
  started: 0,
  lost: 0,
  helped: 0,
  waiting: 0,
  queues: { low: { waiting: 0, taken: 0 }, high: { waiting: 0, taken: 0 } },
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

/** The statistics of a runtime without native executors. */
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
    reserved: reserved.map(({ group, record }) => ({
      plan: record.name,
      cpu: group.cpus,
      ...groupStatistics(group),
    })),
    javascript: NO_WORKERS, // the facade replaces it
  };
}

/** Returns the total number of executors that these plans have reserved. */
export const reservedExecutors = (plans: readonly PlanOnExecutors[]): number =>
  plans.reduce((sum, { group }) => sum + group.leases.limit, 0);

function groupStatistics(group: ExecutorGroup): GroupStatistics {
  const { waitingHigh, takenLow, takenHigh, ...counters } = group.counters();
  const waiting = group.waiting();
  return {
    limit: group.leases.limit,
    ...group.leases.stats(),
    helped: group.helped,
    waiting,
    queues: {
      low: { waiting: Math.max(0, waiting - waitingHigh), taken: takenLow },
      high: { waiting: waitingHigh, taken: takenHigh },
    },
    ...counters,
  };
}
