import type { NativeKernels } from '../../execute/native/native-kernels.js';
import type { ExecutorGroup } from './group.js';
import type { PlanOnExecutors } from './plan-on-executors.js';
import type { VectorLimits } from './vector-options.js';

/** Vectors of a size class that executors have: lent to chunks, or kept for the next. */
export interface VectorClassStatistics {
  /** What the class is for. */
  readonly classBytes: number;
  readonly vectors: number;
  /** What they hold now. */
  readonly bytes: number;
}

/** Vectors of the executors of a group, and what happened to them since it was created. */
export interface VectorPoolStatistics extends VectorLimits {
  readonly vectors: number;
  readonly bytes: number;
  /** Classes of which there are any. */
  readonly classes: readonly VectorClassStatistics[];
  /** Vectors that were made: flat once warm. */
  readonly made: number;
  /**
   * How often a plan went to a larger class, because its chunks kept asking for more than its
   * statistics foresaw.
   */
  readonly raised: number;
  /**
   * Vectors that grew beyond their plan's class for unusually large rows and were given back to the
   * system, and their bytes.
   */
  readonly overflows: number;
  readonly overflowBytes: number;
  /** Vectors that `perClass` and `maxBytes` did not let an executor keep, and their bytes. */
  readonly released: number;
  readonly releasedBytes: number;
}

export interface PoolStatistics {
  /** Of the executors that all plans share. */
  readonly shared: VectorPoolStatistics;
  /** Of plans with a reservation. */
  readonly reserved: readonly ReservedPoolStatistics[];
}

export interface ReservedPoolStatistics extends VectorPoolStatistics {
  readonly plan: string;
}

/** The addon's size classes. */
const CLASSES = 12;

/** Of executors that there are not, or not yet. */
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
