import type { PlanEngine, QualityStatistics } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import type { TensorsRecord } from '../execute/tensors/registered-tensors.js';
import type { WasmStatistics } from '../execute/wasm/store-kernels.js';
import type { QueueStatistics } from '../features/admission/queue.js';
import type { BatchingStatistics } from '../features/batching/delayed-batching.js';
import type { MaterializationStatistics } from '../features/cache/materialization.js';
import type { CacheStatistics } from '../features/cache/prediction-cache.js';
import type { CallStatistics, QuarantineStatistics } from '../features/circuit-breaker/plan-guard.js';
import type { DeviceStatistics } from '../features/devices/statistics.js';
import type { PoolStatistics } from '../parallel/executors/pool-statistics.js';
import type { ExecutorStatistics } from '../parallel/executors/statistics.js';
import type { IsolationStatistics } from '../parallel/isolated/isolation.js';
import { type CatalogStage, parametersOf } from '../plans/catalog.js';
import type { PlanRecord } from '../plans/plan-record.js';
import type { LatencyStatistics } from './latencies.js';
import type { Percentiles } from './percentiles.js';
import type { StageLatency } from './stage-times.js';

/** Statistics of one plan. */
export interface PlanStatistics {
  readonly name: string;
  readonly engine: PlanEngine;
  readonly stages: number;
  /** Number of stages that other plans also run. */
  readonly sharedStages: number;
  /** Bytes of all parameters of the plan. */
  readonly parameterBytes: number;
  /** Bytes of the parameters that no other plan uses. */
  readonly marginalBytes: number;
  /**
   * Bytes of the plan's parameters, where the bytes of a shared parameter are divided equally among
   * its plans. The sum over all plans is the memory of all parameters.
   */
  readonly attributedBytes: number;
  /** Counts of the plan's calls by outcome, since the plan was registered. */
  readonly calls: CallStatistics;
  /** Set if the plan was registered with a quarantine. */
  readonly quarantine?: QuarantineStatistics;
  /** Set if the plan was registered with a cache. */
  readonly cache?: CacheStatistics;
  /** Set if the plan was registered with `quality`. */
  readonly quality?: QualityStatistics;
  /** Set if the plan was registered with delayed batching. */
  readonly batching?: BatchingStatistics;
  /**
   * Nanoseconds from call to answer, without failed predictions. Set in a runtime with `latencies`.
   */
  readonly latencies?: LatencyStatistics;
  /**
   * Times of the stages that have run: first the stages of the compiled plan in order, then the
   * stages of the plan that was divided for a device. If `predictMany` runs a stage once for
   * several plans, each plan records the full time. Set in a runtime with `latencies: { stagesEvery
   * }`.
   */
  readonly stageLatencies?: readonly StageLatency[];
}

/** Statistics of a runtime, as `Runtime.stats` returns them. */
export interface RuntimeStatistics extends ParameterStatistics {
  /**
   * The number of plans of `registerFleet` that are not registered yet, because no caller has used
   * them. `plans`, `stages` and `parameters` do not include these plans.
   */
  readonly unusedPlans: number;
  /** The rows and bytes in the queue, and the number of rejected predictions. */
  readonly queue: QueueStatistics;
  /**
   * Statistics of the cache for results of shared stages. Undefined if the runtime has no such
   * cache.
   */
  readonly materialization?: MaterializationStatistics;
  /** Set in a runtime with `operatorModules`. */
  readonly isolation?: IsolationStatistics;
  /** Counts of executors and of their work. */
  readonly executors: ExecutorStatistics;
  /** Memory of the pooled vectors of native executors. */
  readonly pools: PoolStatistics;
  /**
   * Memory of the kernels in WebAssembly. All runtimes of the thread share it. Set without the
   * addon.
   */
  readonly wasm?: WasmStatistics;
  /** Statistics of each device that a plan has selected, even if the plan was removed later. */
  readonly devices: readonly DeviceStatistics[];
  /** How late timers fired, in nanoseconds. Set in a runtime with `eventLoopLag`. */
  readonly eventLoopLag?: Percentiles;
}

/** Stages and parameters of the plans of a runtime. */
export interface ParameterStatistics {
  readonly isa: string | undefined;
  readonly plans: readonly PlanStatistics[];
  /** `distinct`: the number of different stages. `used`: the sum of the stages of all plans. */
  readonly stages: { readonly distinct: number; readonly used: number };
  /**
   * `objects`: the number of different parameters. `bytes`: their bytes. `unsharedBytes`: the sum
   * of the plans' parameter bytes, as if no plan shared a parameter. `savedBytes`: `unsharedBytes`
   * minus `bytes`.
   */
  readonly parameters: {
    readonly objects: number;
    readonly bytes: number;
    readonly unsharedBytes: number;
    readonly savedBytes: number;
  };
  readonly tensors: readonly TensorsStatistics[];
}

/**
 * Memory of a tensor program: the bytes of its constants. Constants are in JavaScript memory and
 * are not shared.
 */
export interface TensorsStatistics {
  readonly name: string;
  readonly constantBytes: number;
}

/**
 * Computes the memory statistics of registered plans. A parameter that several plans share counts
 * once.
 */
export function runtimeStatistics(
  plans: readonly PlanRecord[],
  stages: readonly CatalogStage[],
  store: ObjectStore,
  isa: string | undefined,
  tensors: readonly TensorsRecord[],
): ParameterStatistics {
  const usersOf = new Map<string, number>();
  for (const plan of plans) for (const id of parametersOfPlan(plan)) usersOf.set(id, (usersOf.get(id) ?? 0) + 1);
  const sum = (ids: Iterable<string>) => [...ids].reduce((bytes, id) => bytes + store.info(id).bytes, 0);
  const perPlan = plans.map((plan): PlanStatistics => {
    const ids = parametersOfPlan(plan);
    return {
      name: plan.name,
      engine: plan.engine,
      stages: plan.stages.length,
      sharedStages: plan.stages.filter((stage) => stage.plans > 1).length,
      parameterBytes: sum(ids),
      marginalBytes: sum([...ids].filter((id) => usersOf.get(id) === 1)),
      attributedBytes: [...ids].reduce((bytes, id) => bytes + store.info(id).bytes / usersOf.get(id)!, 0),
      calls: plan.guard.calls(),
      ...Object.assign({}, ...plan.features.map((feature) => feature.stats?.())),
      ...(plan.latencies !== undefined && { latencies: plan.latencies.stats() }),
      ...(plan.stageTimes !== undefined && { stageLatencies: plan.stageTimes.stats() }),
    };
  });
  const bytes = sum(usersOf.keys());
  const unsharedBytes = perPlan.reduce((total, plan) => total + plan.parameterBytes, 0);
  return {
    isa,
    plans: perPlan,
    stages: { distinct: stages.length, used: stages.reduce((total, stage) => total + stage.plans, 0) },
    parameters: { objects: usersOf.size, bytes, unsharedBytes, savedBytes: unsharedBytes - bytes },
    tensors: tensors.map(({ name, program }) => ({ name, constantBytes: program.constantBytes })),
  };
}

/** Returns the bytes of the parameters of some plans. Each parameter counts once. */
export function parameterBytesOf(plans: Iterable<PlanRecord>, store: ObjectStore): number {
  const ids = new Set<string>();
  for (const plan of plans) for (const id of parametersOfPlan(plan)) ids.add(id);
  let bytes = 0;
  for (const id of ids) bytes += store.info(id).bytes;
  return bytes;
}

function parametersOfPlan(plan: PlanRecord): Set<string> {
  return new Set(plan.stages.flatMap(({ stage }) => [...parametersOf(stage)]));
}
