import type { CompiledPlan } from './plan.js';

/**
 * A compiled plan that owns one reference to each of its parameters until `release` is called or
 * the plan is garbage collected.
 */
export interface OwnedPlan extends CompiledPlan {
  release(): void;
}

/**
 * The optimizer as `FlourContext` sees it. Flour does not import the optimizer; `brezel` passes
 * Oven in through this interface.
 */
export interface Compiler<Program> {
  plan(program: Program): OwnedPlan;
}
