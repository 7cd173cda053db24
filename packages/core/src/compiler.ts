import type { CompiledPlan } from './plan.js';
import type { Answer, Row } from './rows.js';

/**
 * A compiled plan that holds a reference to each of its parameters in the object store. It drops
 * the references when the owner calls `release` or when the plan is garbage collected.
 */
export interface OwnedPlan<R = Row, A = Answer> extends CompiledPlan<R, A> {
  release(): void;
}

/**
 * The interface through which `FlourContext` calls the compiler Oven. Flour does not import Oven;
 * the package `brezel` passes Oven in.
 */
export interface Compiler<Program> {
  // biome-ignore lint/suspicious/noExplicitAny: the program knows its types, the optimizer does not
  plan(program: Program): OwnedPlan<any, any>;
}
