import type { NativeKernels } from '../../execute/native/native-kernels.js';
import type { ExecutorGroup } from './group.js';
import type { PlanOnExecutors } from './plan-on-executors.js';
import type { VectorLimits } from './vector-options.js';

/** The pooled vectors of one size class that executors hold: lent to chunks, or cached. */
export interface VectorClassStatistics {
  /** The size of a new pooled vector of the class, in bytes. */
  readonly classBytes: number;
  readonly vectors: number;
  /** The current bytes of all pooled vectors of the class. */
  readonly bytes: number;
}

/** The pooled vectors of a group of executors, and counts since the group was created. */
export interface VectorPoolStatistics extends VectorLimits {
  readonly vectors: number;
  readonly bytes: number;
  /** Size classes with at least one pooled vector. */
  readonly classes: readonly VectorClassStatistics[];
  /** Number of allocated pooled vectors. The number is constant after warm-up. */
  readonly made: number;
  /**
   * Number of times that a plan changed to a larger size class, because its chunks repeatedly
   * needed more memory than its statistics predicted.
   */
  readonly raised: number;
  /**
   * Pooled vectors that were freed because unusually large rows made them larger than the class of
   * their plan. `overflowBytes` is the total size of these vectors.
   */
  readonly overflows: number;
  readonly overflowBytes: number;
  /**
   * Pooled vectors that executors freed because of the limits `perClass` and `maxBytes`.
   * `releasedBytes` is the total size of these vectors.
   */
  readonly released: number;
  readonly releasedBytes: number;
}

/**
 * The memory of pooled vectors, for the shared executors and for each plan with reserved executors.
 */
export interface PoolStatistics {
  /** The pooled vectors of executors that all plans share. */
  readonly shared: VectorPoolStatistics;
  /** One entry for each plan with reserved executors: the pooled vectors of these executors. */
  readonly reserved: readonly ReservedPoolStatistics[];
}

/** The pooled vectors of executors that are reserved for one plan. */
export interface ReservedPoolStatistics extends VectorPoolStatistics {
  /** The name of the plan. */
  readonly plan: string;
}

/** The number of size classes in the addon. */
const CLASSES = 12;

/** Returns the statistics of a group without executors. */
const emptyPool = (limits: VectorLimits): VectorPoolStatistics => ({
  ...limits,
  vectors: 0,
  bytes: 0,
  classes: [],
  made: 0,
  raised: 0,
  overflows: 0,
  overflowBytes: 0,
  released: 0,
  releasedBytes: 0,
});

export function poolStatistics(
  kernels: NativeKernels | undefined,
  limits: VectorLimits,
  shared: ExecutorGroup | undefined,
  reserved: readonly PlanOnExecutors[],
): PoolStatistics {
  const of = (group: ExecutorGroup) => groupPool(kernels!, group);
  return {
    shared: shared === undefined ? emptyPool(limits) : of(shared),
    reserved: reserved.map(({ group, record }) => ({ plan: record.name, ...of(group) })),
  };
}

function groupPool(kernels: NativeKernels, group: ExecutorGroup): VectorPoolStatistics {
  const numbers = new Float64Array(3 * CLASSES);
  kernels.groupVectors(group.scheduler, group.number, numbers);
  const all = Array.from({ length: CLASSES }, (_, at): VectorClassStatistics => {
    const offset = 3 * at;
    return { classBytes: numbers[offset]!, vectors: numbers[offset + 1]!, bytes: numbers[offset + 2]! };
  });
  const classes = all.filter(({ vectors }) => vectors > 0);
  const sum = (of: 'vectors' | 'bytes') => classes.reduce((total, entry) => total + entry[of], 0);
  const { vectorsMade, vectorsRaised, overflows, overflowBytes, released, releasedBytes } = group.counters();
  return {
    ...group.vectors,
    vectors: sum('vectors'),
    bytes: sum('bytes'),
    classes,
    made: vectorsMade,
    raised: vectorsRaised,
    overflows,
    overflowBytes,
    released,
    releasedBytes,
  };
}
