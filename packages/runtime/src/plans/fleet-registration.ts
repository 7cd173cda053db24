import { type Backend, optionNames } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { runtimeError } from '../errors.js';
import { describe } from '../execute/rows/elements.js';
import { checkRuntimeOptions } from '../option-names.js';
import { FleetPlans } from './fleet-plans.js';
import type { FleetLease, FleetSource } from './fleet-source.js';
import type { LivePlans } from './live-plans.js';
import {
  type CheckedOptions,
  checkedOptions,
  NO_OPTIONS,
  type RegisterOptions,
  registerOptionNames,
} from './register-options.js';
import type { Registration } from './registration.js';

/** Options of `registerFleet`. They apply to each plan of the fleet. */
export type FleetRegisterOptions = Omit<RegisterOptions, 'name'>;

const { name: _, ...namesWithoutName } = registerOptionNames;
const fleetOptionNames = optionNames<FleetRegisterOptions>(
  namesWithoutName as Record<keyof FleetRegisterOptions, true>,
);

export interface FleetRegistrationParts {
  readonly live: LivePlans;
  readonly store: ObjectStore;
  readonly registration: Registration;
}

/** Adds fleets to a runtime. Each plan of a fleet is registered at its first use. */
export class FleetRegistration {
  readonly #parts: FleetRegistrationParts;
  readonly #fleets = new Set<FleetPlans>();

  constructor(parts: FleetRegistrationParts) {
    this.#parts = parts;
  }

  /** The number of plans of fleets that are not registered yet. */
  get unused(): number {
    let sum = 0;
    for (const { unused } of this.#fleets) sum += unused;
    return sum;
  }

  has(plans: unknown): plans is FleetPlans {
    return this.#fleets.has(plans as FleetPlans);
  }

  /** Adds a fleet. If the method throws, nothing is registered and no name is taken. */
  add(source: FleetSource, options: FleetRegisterOptions, backends: readonly Backend[]): FleetPlans {
    const { live, registration } = this.#parts;
    const checked = checkedFleetOptions(options);
    const lease = this.#lease(source);
    const taken = new Map<string, string>();
    let plans: FleetPlans | undefined;
    try {
      const early = lease.names.filter((name) => isEarly(options) || !registration.arePlain(lease.steps(name)));
      for (const name of lease.names) {
        taken.set(name, live.names.nameFor(undefined, name));
        live.names.add(taken.get(name)!);
      }
      const register = (plan: Parameters<Registration['addTaken']>[0], name: string) =>
        registration.addTaken(plan, { ...checked, name }, backends);
      plans = new FleetPlans(taken, { live, lease, register, remove: (record) => registration.remove(record) });
      for (const name of early) plans.plan(name);
      this.#fleets.add(plans);
      return plans;
    } catch (error) {
      if (plans !== undefined) plans.end();
      else for (const name of taken.values()) live.names.delete(name);
      lease.release();
      throw error;
    }
  }

  /** Removes a fleet with all its plans. */
  remove(plans: FleetPlans): void {
    this.#fleets.delete(plans);
    plans.end();
  }

  /** Removes all fleets. */
  end(): void {
    for (const plans of this.#fleets) this.remove(plans);
  }

  #lease(source: FleetSource): FleetLease {
    const expected = (what: string, received: string, hint: string) =>
      runtimeError('ERR_RUNTIME_OPTION', { expected: what, received, at: 'registerFleet', hint });
    if (typeof source?.lease !== 'function')
      throw expected('an open fleet', describe(source), 'registerFleet(await openFleet(path))');
    if (source.store === this.#parts.store) return source.lease();
    const hint = 'createRuntime({ store: fleet.store }), or openFleet(path, { store: runtime.store })';
    throw expected("a fleet with the runtime's store", 'a fleet with another store', hint);
  }
}

/**
 * Returns the checked options of a fleet. They are a copy, because plans read them later, when the
 * caller may have changed its object.
 */
function checkedFleetOptions(options: FleetRegisterOptions): CheckedOptions {
  if (options === NO_OPTIONS) return checkedOptions('registerFleet', NO_OPTIONS);
  checkRuntimeOptions(options, fleetOptionNames, 'registerFleet');
  return structuredClone(checkedOptions('registerFleet', options));
}

/**
 * Returns whether options require that all plans are registered at once: they reserve executors, or
 * they need a device or a backend that may be missing.
 */
const isEarly = ({ reserve, device, providers, lowering }: FleetRegisterOptions): boolean =>
  reserve !== undefined || device !== undefined || providers !== undefined || lowering !== undefined;
