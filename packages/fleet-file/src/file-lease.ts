import type { OwnedPlan, Step } from '@brezel/core';
import type { FilePlans } from './file-plans.js';

/**
 * Access to the plans of a fleet file that does not end when the file is closed. The holder must
 * call `release`: the file is closed only after all its leases are released.
 */
export class FileLease {
  readonly names: readonly string[];
  readonly #plans: FilePlans;
  readonly #take: (name: string) => OwnedPlan;
  #end: (() => void) | undefined;

  constructor(plans: FilePlans, take: (name: string) => OwnedPlan, end: () => void) {
    this.names = plans.names;
    this.#plans = plans;
    this.#take = take;
    this.#end = end;
  }

  /**
   * Returns the operators of each stage of a plan. It reads a few numbers of the manifest, and no
   * parameters. Stages with the same program return the same array.
   *
   * @throws ERR_STORE_MISSING, ERR_STORE_VERSION, ERR_STORE_FORMAT
   */
  steps(name: string): readonly (readonly Omit<Step, 'parameters'>[])[] {
    return this.#plans.steps(name);
  }

  /** Returns a plan as `FleetFile.plan` does, and throws the same errors. */
  plan(name: string): OwnedPlan {
    return this.#take(name);
  }

  /** Ends the lease. Later calls of `release` have no effect. */
  release(): void {
    this.#end?.();
    this.#end = undefined;
  }
}
