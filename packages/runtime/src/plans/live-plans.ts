import { runtimeError } from '../errors.js';
import type { RegisteredTensors, TensorsRecord } from '../execute/tensors/registered-tensors.js';
import type { PlanRecord } from './plan-record.js';
import type { RegisteredPlan } from './registered-plan.js';

/** What is registered in a runtime, and whether the runtime is open. */
export class LivePlans {
  readonly plans = new Map<RegisteredPlan, PlanRecord>();
  readonly tensors = new Map<RegisteredTensors, TensorsRecord>();
  #closed = false;

  /** What waits is told so. */
  close(): void {
    this.#closed = true;
  }

  /** For a new call. @throws ERR_RUNTIME_UNKNOWN_PLAN, ERR_RUNTIME_CLOSED */
  record(plan: RegisteredPlan): PlanRecord {
    const record = this.plans.get(plan);
    if (record !== undefined && !this.#closed) return record;
    throw this.goneError(plan);
  }

  /** For a call that is on its way: while the runtime drains it goes on. */
  checkThere(record: PlanRecord): void {
    if (!this.plans.has(record)) throw this.goneError(record);
  }

  checkOpen(): void {
    if (this.#closed) throw runtimeError('ERR_RUNTIME_CLOSED');
  }

  goneError(plan: RegisteredPlan | RegisteredTensors): Error {
    if (this.#closed) return runtimeError('ERR_RUNTIME_CLOSED');
    return runtimeError('ERR_RUNTIME_UNKNOWN_PLAN', { received: plan?.name ?? String(plan) });
  }
}
