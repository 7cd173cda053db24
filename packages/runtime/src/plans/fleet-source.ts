import type { OwnedPlan, Step } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';

/** Many compiled plans with names, such as an open fleet file. `Fleet` of `brezel` is one. */
export interface FleetSource {
  /** The store that receives the parameters of the plans. */
  readonly store: ObjectStore;
  /** Returns access to the plans that lasts until it is released. */
  lease(): FleetLease;
}

/** Access to the plans of a fleet. The holder must call `release`. */
export interface FleetLease {
  readonly names: readonly string[];
  /**
   * Returns the operators of each stage of a plan, without loading the plan. Stages with the same
   * program return the same array.
   */
  steps(name: string): readonly (readonly Operator[])[];
  /** Loads a plan. The caller releases it. */
  plan(name: string): OwnedPlan;
  release(): void;
}

/** The name and the version of an operator. */
export type Operator = Pick<Step, 'operator' | 'version'>;
