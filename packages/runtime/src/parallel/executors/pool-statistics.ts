import type { NativeKernels } from '../../execute/native/native-kernels.js';
import type { ExecutorGroup } from './group.js';
import type { PlanOnExecutors } from './plan-on-executors.js';
import type { VectorLimits } from './vector-options.js';

/** Vectors of one size class that executors have: lent to chunks, or cached. */
export interface VectorClassStatistics {
  /** Size of the vectors that the class is for. */
  readonly classBytes: number;
  readonly vectors: number;
  /** Current size of its vectors. */
  readonly bytes: number;
}

/** Vectors of the executors of a group, and counts since it was created. */
export interface VectorPoolStatistics extends VectorLimits {
  readonly vectors: number;
  readonly bytes: number;
  /** Size classes with at least one vector. */
  readonly classes: readonly VectorClassStatistics[];
  /** Number of allocated vectors: flat once warm. */
  readonly made: number;
  /**
   * How often a plan moved to a larger class, because its chunks repeatedly needed more than its
   * statistics predicted.
   */
  readonly raised: number;
  /**
   * Vectors that outgrew the class of their plan for unusually large rows and were freed, and their
   * bytes.
   */
  readonly overflows: number;
  readonly overflowBytes: number;
  /** Vectors that executors freed because of `perClass` and `maxBytes`, and their bytes. */
  readonly released: number;
  readonly releasedBytes: number;
}

export interface PoolStatistics {
  /** Vectors of the executors that all plans share. */
  readonly shared: VectorPoolStatistics;
  /** Vectors of executors that are reserved for one plan. */
  readonly reserved: readonly ReservedPoolStatistics[];
}

export interface ReservedPoolStatistics extends VectorPoolStatistics {
  readonly plan: string;
}

/** The number of size classes in the addon. */
const CLASSES = 12;

/** Returns the statistics of a pool without executors. */
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
    const place = 3 * at;
    return { classBytes: numbers[place]!, vectors: numbers[place + 1]!, bytes: numbers[place + 2]! };
  });
  const classes = all.filter(({ vectors }) => vectors > 0);
  const sum = (of: 'vectors' | 'bytes') => classes.reduce((total, one) => total + one[of], 0);
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
