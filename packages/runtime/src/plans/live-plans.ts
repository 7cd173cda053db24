import { runtimeError } from '../errors.js';
import type { RegisteredTensors, TensorsRecord } from '../execute/tensors/registered-tensors.js';
import { PlanNames } from './plan-names.js';
import type { PlanRecord } from './plan-record.js';
import type { RegisteredPlan } from './registered-plan.js';

/** The registered plans of a runtime. This object also records whether the runtime is open. */
export class LivePlans {
  readonly plans = new Map<RegisteredPlan, PlanRecord>();
  readonly tensors = new Map<RegisteredTensors, TensorsRecord>();
  readonly names = new PlanNames();
  #closed = false;

  /** Closes the runtime for new calls. Calls in flight continue. */
  close(): void {
    this.#closed = true;
  }

  /**
   * Returns the record of a plan for a new call.
   * @throws ERR_RUNTIME_UNKNOWN_PLAN, ERR_RUNTIME_CLOSED
   */
  record(plan: RegisteredPlan): PlanRecord {
    const record = this.plans.get(plan);
    if (record !== undefined && !this.#closed) return record;
    throw this.goneError(plan);
  }

  /**
   * Throws if the plan of a call in flight was removed. Does not throw after `close()` while
   * `drainMs` lasts, because calls in flight continue.
   */
  checkThere(record: PlanRecord): void {
    if (!this.plans.has(record)) throw this.goneError(record);
  }

  /**
   * Returns the record of a tensor program for a new call.
   * @throws ERR_RUNTIME_UNKNOWN_PLAN, ERR_RUNTIME_CLOSED
   */
  tensorsRecord(tensors: RegisteredTensors): TensorsRecord {
    const record = this.tensors.get(tensors);
    if (record !== undefined && !this.#closed) return record;
    throw this.goneError(tensors);
  }

  /** Throws if the tensor program of a call in flight was removed. */
  checkTensors(record: TensorsRecord): void {
    if (!this.tensors.has(record)) throw this.goneError(record);
  }

  checkOpen(): void {
    if (this.#closed) throw runtimeError('ERR_RUNTIME_CLOSED');
  }

  goneError(plan: RegisteredPlan | RegisteredTensors): Error {
    if (this.#closed) return runtimeError('ERR_RUNTIME_CLOSED');
    return runtimeError('ERR_RUNTIME_UNKNOWN_PLAN', { received: plan?.name ?? String(plan) });
  }
}
