import type { NativeKernels } from '../native.js';
import type { ChunkDesk } from './chunk-desk.js';
import type { ExecutorGroup } from './group.js';
import { type JavaScriptStatistics, NO_WORKERS } from './javascript/statistics.js';
import type { PlanOnExecutors } from './plan-on-executors.js';

/** What executors of a group are, and what they did since it was created. */
export interface GroupStatistics {
  /** Most threads, threads that there are now, leases that run on them, leases that were started, and threads that were lost. */
  readonly limit: number;
  readonly threads: number;
  readonly leases: number;
  readonly started: number;
  readonly lost: number;
  /** Turns in which the calling thread worked itself, because no executor was there yet. */
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
  /** Vectors that were too large to be kept, for unusually large rows. */
  readonly overflows: number;
}

export interface ExecutorStatistics {
  /** Threads for native plans: `createRuntime({ executors })`, 0 where no addon loads. */
  readonly limit: number;
  /** Chunks on their way, those of all groups. */
  readonly chunks: number;
  /** How often the buffers of chunks grew, and how many were too large to be kept. */
  readonly inputGrows: number;
  readonly inputOverflows: number;
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
  overflows: 0,
};

/** Of a runtime without executors. */
export const NO_EXECUTORS: ExecutorStatistics = {
  limit: 0,
  chunks: 0,
  inputGrows: 0,
  inputOverflows: 0,
  shared: NOTHING,
  reserved: [],
  javascript: NO_WORKERS,
};

export function executorStatistics(
  { limit, open }: { readonly limit: number; readonly open: number },
  desk: ChunkDesk | undefined,
  kernels: NativeKernels,
  shared: ExecutorGroup | undefined,
  reserved: readonly PlanOnExecutors[],
): ExecutorStatistics {
  if (desk === undefined) return { ...NO_EXECUTORS, limit, shared: { ...NOTHING, limit: open } };
  const { inputGrows, overflows } = kernels.schedulerStats(desk.scheduler);
  return {
    limit,
    chunks: desk.chunks,
    inputGrows,
    inputOverflows: overflows,
    shared: shared === undefined ? { ...NOTHING, limit: open } : groupStatistics(shared),
    reserved: reserved.map(({ group, record }) => ({ plan: record.name, ...groupStatistics(group) })),
    javascript: NO_WORKERS, // the door knows
  };
}

/** How many executors work for one plan only. */
export const reservedExecutors = (plans: readonly PlanOnExecutors[]): number =>
  plans.reduce((sum, { group }) => sum + group.leases.limit, 0);

function groupStatistics(group: ExecutorGroup): GroupStatistics {
  const { overflowBytes, ...counters } = group.counters();
  return {
    limit: group.leases.limit,
    ...group.leases.stats(),
    helped: group.helped,
    waiting: group.waiting(),
    ...counters,
  };
}
