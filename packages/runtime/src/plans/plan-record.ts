import type { EngineName } from '../execute/engine-name.js';
import type { DelayedBatching } from '../features/batching/delayed-batching.js';
import type { CachedPlan } from '../features/cache/cached-plan.js';
import type { PlanGuard } from '../features/circuit-breaker/plan-guard.js';
import type { PlanDevices } from '../features/devices/plan-devices.js';
import type { ServedPlan } from './registered-plan.js';

/** What the runtime keeps of a plan: what runs it, and what lies between that and its callers. */
export interface PlanRecord extends ServedPlan {
  /** The engine of calls that ask for none, where it was registered with one. */
  readonly answersBy: EngineName | undefined;
  /** Counts how its calls end, and turns them away while it rests. */
  readonly guard: PlanGuard;
  /** Its stages that a device may run, where it was registered so. */
  devices?: PlanDevices;
  /** The plan with a prediction cache before it, where it was registered with one. */
  cached?: CachedPlan;
  /** Rows of `predict` that wait to be answered together, where it was registered so. */
  batching?: DelayedBatching;
}
