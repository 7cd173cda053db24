import { type CompiledPlan, type InspectParameters, inspectKey, inspectView } from '@brezel/core';
import { runtimeError } from '../errors.js';
import type { FleetLease } from './fleet-source.js';
import type { LivePlans } from './live-plans.js';
import type { PlanRecord } from './plan-record.js';
import type { RegisteredPlan } from './registered-plan.js';

/** The objects with which `FleetPlans` registers plans and removes them. */
export interface FleetPlansParts {
  readonly live: LivePlans;
  readonly lease: FleetLease;
  /** Registers a plan under a name that was already taken for the plan. */
  readonly register: (plan: CompiledPlan, name: string) => PlanRecord;
  readonly remove: (record: PlanRecord) => void;
}

/**
 * The state of one plan: the name that is taken for it in the runtime, or its record after the
 * first use.
 */
type Entry = string | PlanRecord;

/** The number of names that an error lists. */
const LISTED_NAMES = 5;

/**
 * The plans of a fleet in a runtime. `registerFleet` returns it. A plan is loaded and registered
 * when `plan` is first called with its name.
 */
export class FleetPlans {
  /** Names of the plans, in the order of the fleet. */
  readonly names: readonly string[];
  readonly #parts: FleetPlansParts;
  readonly #entries: Map<string, Entry>;
  #unused: number;

  /**
   * @param names for each plan of the fleet, the name that is taken for it in the runtime.
   */
  constructor(names: ReadonlyMap<string, string>, parts: FleetPlansParts) {
    this.#parts = parts;
    this.names = parts.lease.names;
    this.#entries = new Map(names);
    this.#unused = names.size;
    if (names.size === 0) parts.lease.release();
  }

  /** The number of plans that are not registered yet. Removed plans do not count. */
  get unused(): number {
    return this.#unused;
  }

  /** Returns whether the fleet has a plan with this name that was not removed. */
  has(name: string): boolean {
    const entry = this.#entries.get(name);
    return typeof entry === 'string' || (entry !== undefined && this.#parts.live.plans.has(entry));
  }

  /**
   * Returns a plan. The first call with a name loads the plan and registers it, as `register` does.
   * If this fails, the next call tries again. Later calls return the same plan.
   *
   * Cost: the first call takes as long as `fleet.plan` and `register`, about 0.05 ms for a plan
   * that shares its featurizer with registered plans.
   *
   * @throws ERR_RUNTIME_UNKNOWN_PLAN for a plan that does not exist or was removed;
   * ERR_RUNTIME_CLOSED; at the first call the errors of `fleet.plan` and ERR_RUNTIME_NATIVE.
   * @example
   * const fleet = await openFleet(`${folder}/fleet.brezel`);
   * const runtime = createRuntime({ store: fleet.store });
   * const plans = runtime.registerFleet(fleet);
   * runtime.predictSync(plans.plan(plans.names[0]), 'a good film');
   */
  plan(name: string): RegisteredPlan {
    const { live } = this.#parts;
    live.checkOpen();
    const entry = this.#entries.get(name);
    if (entry === undefined) throw this.#unknown(name);
    return typeof entry === 'string' ? this.#register(name, entry) : live.record(entry);
  }

  /**
   * Removes a plan, whether it is registered or not.
   *
   * @throws ERR_RUNTIME_UNKNOWN_PLAN for a plan that does not exist or was removed;
   * ERR_RUNTIME_CLOSED
   */
  unregister(name: string): void {
    const { live } = this.#parts;
    live.checkOpen();
    const entry = this.#entries.get(name);
    if (entry === undefined) throw this.#unknown(name);
    if (typeof entry !== 'string') live.record(entry);
    this.#remove(name, entry);
  }

  /** Removes all plans. The runtime calls it when it closes or removes the fleet. */
  end(): void {
    for (const [name, entry] of this.#entries) this.#remove(name, entry);
  }

  [inspectKey](...parameters: InspectParameters): string {
    return inspectView('FleetPlans', { names: [...this.names], unused: this.#unused }, parameters);
  }

  #register(name: string, taken: string): PlanRecord {
    const { lease, register } = this.#parts;
    const compiled = lease.plan(name);
    try {
      const record = register(compiled, taken);
      this.#entries.set(name, record);
      this.#used();
      return record;
    } finally {
      compiled.release();
    }
  }

  #remove(name: string, entry: Entry): void {
    const { live, remove } = this.#parts;
    this.#entries.delete(name);
    if (typeof entry === 'string') {
      live.names.delete(entry);
      this.#used();
    } else if (live.plans.has(entry)) {
      remove(entry);
    }
  }

  /** Counts a plan that was registered or removed. After the last such plan, releases the fleet. */
  #used(): void {
    if (--this.#unused === 0) this.#parts.lease.release();
  }

  #unknown(name: string): Error {
    const { names } = this;
    const listed = names.slice(0, LISTED_NAMES).join(', ');
    const hint = names.includes(name)
      ? 'the plan was removed from the runtime'
      : `the fleet has the plans ${listed}${names.length > LISTED_NAMES ? ', ...' : ''}`;
    return runtimeError('ERR_RUNTIME_UNKNOWN_PLAN', { received: JSON.stringify(name) ?? typeof name, hint });
  }
}
