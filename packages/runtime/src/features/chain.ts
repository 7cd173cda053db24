import type { Clock, KernelTable } from '@brezel/core';
import type { Checksum, ObjectStore } from '@brezel/object-store';
import type { Execute } from '../execute/execute.js';
import type { PlanEngines } from '../execute/plan-engines.js';
import { PlanExecute } from '../execute/plan-execute.js';
import { ReferenceExecute } from '../execute/reference-execute.js';
import { ExecutorExecute } from '../parallel/executors/executor-execute.js';
import type { ExecutorFacade } from '../parallel/executors/executor-facade.js';
import { IsolatedExecute } from '../parallel/isolated/isolated-execute.js';
import type { Isolation } from '../parallel/isolated/isolation.js';
import type { CheckedOptions } from '../plans/register-options.js';
import type { ServedPlan } from '../plans/registered-plan.js';
import { Admission } from './admission/admission.js';
import type { Queue } from './admission/queue.js';
import { DelayedBatching } from './batching/delayed-batching.js';
import { cachingEngine } from './cache/cached-answers.js';
import { PredictionCaching } from './cache/prediction-caching.js';
import { CircuitBreaker } from './circuit-breaker/circuit-breaker.js';
import type { PlanGuard } from './circuit-breaker/plan-guard.js';
import { DeviceExecute } from './devices/device-execute.js';
import type { Devices } from './devices/devices.js';
import { planDevices } from './devices/plan-devices-of.js';
import type { Feature, FeatureParts } from './feature.js';
import { QualityCounting } from './quality/counting.js';
import type { InputChecks } from './quality/input-checks.js';

/** The objects of a runtime that serving features use. */
export interface ChainParts {
  readonly engines: PlanEngines;
  readonly executors: ExecutorFacade;
  readonly isolation: Isolation | undefined;
  readonly devices: Devices;
  readonly queue: Queue;
  readonly checksum: Checksum;
  readonly kernels: KernelTable;
  readonly store: ObjectStore;
  readonly clock: Clock;
}

/** A plan that is being registered, with the objects from which its chain of features is built. */
export interface Registered {
  readonly plan: ServedPlan;
  readonly guard: PlanGuard;
  readonly options: CheckedOptions;
  /** The data quality checks of the inputs. Empty without the option `quality`. */
  readonly checks: readonly InputChecks[];
  readonly parts: ChainParts;
}

type Wrap = (registered: Registered, next: Execute) => (Feature & FeatureParts) | undefined;

/**
 * One function for each serving feature, starting with the innermost feature. Each function wraps
 * the previous feature, or returns undefined if the plan does not use its feature. To add a
 * feature, add a folder beside this file and a function here.
 */
const wraps: readonly Wrap[] = [
  // Executors are the innermost feature, because they run the plan itself. A plan with isolated
  // workers has no executors.
  ({ plan, parts }, next) =>
    plan.isolated === undefined ? new ExecutorExecute(plan, parts.executors, next) : undefined,
  // The prediction cache wraps the executors, because only the misses of a batch are sent to
  // executors.
  ({ plan, options: { cache }, parts: { engines, executors, checksum } }, next) => {
    if (cache === undefined) return undefined;
    const engine = cachingEngine(plan, engines.kernels, () => engines.javascript(plan));
    return new PredictionCaching(plan, engine, checksum, cache, (rows) => executors.forRows(plan, rows), next);
  },
  // Devices wrap the executors, because a batch that runs on a device does not go to executors as a
  // whole.
  ({ plan, options, parts }, next) => {
    const devices = planDevices(plan, options, parts.devices);
    return devices && new DeviceExecute(plan, devices, next);
  },
  // Data quality is inside admission, because admission copies the caller's list of rows.
  ({ plan, options: { quality }, checks }, next) =>
    quality && new QualityCounting(plan, checks, quality.sampleEvery, next),
  // Admission wraps all features that run rows, because rows count as queued until they are
  // answered.
  ({ plan, parts }, next) => new Admission(parts.queue, plan, next),
  // Delayed batching wraps admission, because gathered rows are queued one by one and not as a
  // block.
  ({ plan, options: { batching }, parts }, next) =>
    batching && new DelayedBatching(plan, parts.queue, batching, parts.clock, next),
  // The circuit breaker is the outermost feature. Therefore a rejected call is not queued, and
  // every other call is counted once with its outcome.
  ({ guard }, next) => new CircuitBreaker(guard, next),
];

/**
 * Builds the chain of a plan: its engine, wrapped by its serving features. If a feature rejects the
 * plan, closes the features that were built before.
 */
export function chainOf(registered: Registered): {
  readonly execute: Execute;
  readonly features: readonly FeatureParts[];
} {
  const { plan, parts } = registered;
  let execute: Execute =
    plan.isolated === undefined ? new PlanExecute(plan, parts.engines) : new IsolatedExecute(plan, parts.isolation!);
  const features: FeatureParts[] = [];
  try {
    for (let index = 0; index < wraps.length; index++) {
      const feature = wraps[index]!(registered, execute);
      if (feature === undefined) continue;
      features.unshift(feature);
      execute = feature;
    }
    return { execute, features };
  } catch (error) {
    for (const feature of features) feature.close?.();
    throw error;
  }
}

/**
 * Builds the chain that answers batches with reference kernels. The chain contains only the circuit
 * breaker and admission, which count, reject and queue calls as in other chains.
 */
export function referenceChain(
  plan: ServedPlan & { readonly guard: PlanGuard },
  { engines, queue }: Pick<ChainParts, 'engines' | 'queue'>,
): Execute {
  return new CircuitBreaker(plan.guard, new Admission(queue, plan, new ReferenceExecute(plan, engines)));
}
