import type { CompiledPlan } from './plan.js';

/** A plan that holds one reference to each of its parameters until it is released (or garbage collected). */
export interface OwnedPlan extends CompiledPlan {
  release(): void;
}

/** How a `FlourContext` reaches the optimizer without importing it: `brezel` puts Oven here. */
export interface Compiler<Program> {
  plan(program: Program): OwnedPlan;
}
