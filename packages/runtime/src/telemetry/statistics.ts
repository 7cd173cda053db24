import type { PlanEngine } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import type { TensorsRecord } from '../execute/tensors/registered-tensors.js';
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

/** Bytes and objects behind one plan. */
export interface PlanStatistics {
  readonly name: string;
  readonly engine: PlanEngine;
  readonly stages: number;
  /** Stages that other plans run too. */
  readonly sharedStages: number;
  /** Bytes of all its parameters. */
  readonly parameterBytes: number;
  /** Bytes that no other plan needs: what the plan costs on top of the others. */
  readonly marginalBytes: number;
  /**
   * What the plan costs when each shared parameter is divided among the plans that hold it; the sum
   * over plans is the total.
   */
  readonly attributedBytes: number;
  /** How its calls ended, since it was registered. */
  readonly calls: CallStatistics;
  /** Of a plan that was registered with a quarantine. */
  readonly quarantine?: QuarantineStatistics;
  /** Of a plan that was registered with a cache. */
  readonly cache?: CacheStatistics;
  /** Of a plan that was registered with delayed batching. */
  readonly batching?: BatchingStatistics;
  /**
   * In a runtime with `latencies`: from call to answer, in nanoseconds. Predictions that failed are
   * left out.
   */
  readonly latencies?: LatencyStatistics;
  /**
   * In a runtime with `latencies: { stagesEvery }`: of the stages that ran so far, in the order of
   * the plan; then of those that a device runs, and of others that the plan was cut into for it. A
   * stage that plans share and that `predictMany` ran once counts in full at each of them.
   */
  readonly stageLatencies?: readonly StageLatency[];
}

export interface RuntimeStatistics extends ParameterStatistics {
  /** What waits for an answer. */
  readonly queue: QueueStatistics;
  /** Results of stages that plans share, unless the runtime keeps none. */
  readonly materialization?: MaterializationStatistics;
  /** In a runtime with `operatorModules`. */
  readonly isolation?: IsolationStatistics;
  readonly executors: ExecutorStatistics;
  /** Memory between the stages of chunks, which executors of the addon keep. */
  readonly pools: PoolStatistics;
  /** Devices that plans were registered for. */
  readonly devices: readonly DeviceStatistics[];
  /**
   * In a runtime with `eventLoopLag`: how much later than they should timers fired, in nanoseconds.
   */
  readonly eventLoopLag?: Percentiles;
}

/** What the plans of a runtime are made of. */
export interface ParameterStatistics {
  readonly isa: string | undefined;
  readonly plans: readonly PlanStatistics[];
  /** Distinct stages, and the number there would be without sharing. */
  readonly stages: { readonly distinct: number; readonly used: number };
  /** Bytes of distinct parameters, the sum over plans without sharing, and the difference. */
  readonly parameters: {
    readonly objects: number;
    readonly bytes: number;
    readonly unsharedBytes: number;
    readonly savedBytes: number;
  };
  readonly tensors: readonly TensorsStatistics[];
}

/** What a tensor program holds: constants of its own, in JavaScript memory, shared with nobody. */
export interface TensorsStatistics {
  readonly name: string;
  readonly constantBytes: number;
}

/** Counts what the registered plans hold; a parameter that two plans share counts once. */
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

/** Bytes of the parameters of some plans, each counted once. */
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
