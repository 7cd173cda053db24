import {
  type CompiledPlan,
  type InputPort,
  type InspectParameters,
  inspectKey,
  inspectView,
  type OutputPort,
  type OwnedPlan,
  type ParameterId,
  type PlannedStage,
  portTypes,
  type StoppedRules,
} from '@brezel/core';
import type { ParameterLease } from './store.js';

/**
 * Returns a plan that owns references to its parameters. `lease` is released when `release` of the
 * plan is called, or when the plan is garbage collected.
 */
export const ownPlan = (compiled: CompiledPlan, lease: Pick<ParameterLease, 'release'>): OwnedPlan =>
  Object.freeze(new HeldPlan(compiled, lease));

/**
 * Returns a plan that owns its parameters, as `ownPlan` does, and has the additional properties
 * `fields`.
 */
export const ownPlanWith = <Fields extends object>(
  compiled: CompiledPlan,
  lease: Pick<ParameterLease, 'release'>,
  fields: Fields,
): OwnedPlan & Fields => Object.freeze(Object.assign(new HeldPlan(compiled, lease), fields));

/**
 * A plan that owns references to its parameters. It is a class, so that all plans of a fleet have
 * the same hidden class in V8. The lease is a private field, because other code reads the plan as
 * plain data.
 */
class HeldPlan implements OwnedPlan {
  readonly version: number;
  readonly name: string;
  readonly inputs: readonly InputPort[];
  readonly outputs: readonly OutputPort[];
  readonly stages: readonly PlannedStage[];
  readonly parameters: readonly ParameterId[];
  readonly width: number;
  readonly nanosPerRow: number;
  declare readonly stoppedRules?: StoppedRules;
  readonly #lease: Pick<ParameterLease, 'release'>;

  constructor(compiled: CompiledPlan, lease: Pick<ParameterLease, 'release'>) {
    this.version = compiled.version;
    this.name = compiled.name;
    this.inputs = compiled.inputs;
    this.outputs = compiled.outputs;
    this.stages = compiled.stages;
    this.parameters = compiled.parameters;
    this.width = compiled.width;
    this.nanosPerRow = compiled.nanosPerRow;
    // Set only if it exists: only plans of very long programs have it, and an undefined property
    // would be printed for all other plans.
    if (compiled.stoppedRules !== undefined) this.stoppedRules = compiled.stoppedRules;
    this.#lease = lease;
  }

  release(): void {
    this.#lease.release();
  }

  [inspectKey](...parameters: InspectParameters): string {
    const { name, inputs, outputs, stages, nanosPerRow } = this;
    const ports = { inputs: portTypes(inputs), outputs: portTypes(outputs) };
    const fields = { name, ...ports, stages: stages.length, parameters: this.parameters.length, nanosPerRow };
    return inspectView('CompiledPlan', fields, parameters);
  }
}
