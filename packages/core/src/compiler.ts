import type { CompiledPlan } from './plan.js';
import type { Answer, Row } from './rows.js';

/**
 * A compiled plan that owns one reference to each of its parameters until `release` is called or
 * the plan is garbage collected.
 */
export interface OwnedPlan<R = Row, A = Answer> extends CompiledPlan<R, A> {
  release(): void;
}

/**
 * The optimizer as `FlourContext` sees it. Flour does not import the optimizer; `brezel` passes
 * Oven in through this interface.
 */
export interface Compiler<Program> {
  // biome-ignore lint/suspicious/noExplicitAny: the program knows its types, the optimizer does not
  plan(program: Program): OwnedPlan<any, any>;
}
