import type { OwnedPlan } from '@brezel/core';
import { Program } from '@brezel/flour';
import { ownPlan } from '@brezel/object-store';
import { CompilationContext } from './compilation-context.js';
import { emit } from './compile/emit.js';
import { type OvenOptions, optimize } from './driver.js';
import { ovenError } from './errors.js';
import { fromProgram, type LogicalPlan } from './logical-plan.js';
import type { RuleContext } from './rule.js';

/**
 * Optimizes a program and compiles it.
 *
 * @returns a plan that holds one reference to each parameter it needs, until `release()`.
 * @throws ERR_OVEN_GRAPH, ERR_OVEN_SCHEMA when the program (or a rule) is not well formed.
 * @example const plan = bake(program, { exact: true });
 */
export function bake(program: Program, options: OvenOptions = {}): OwnedPlan {
  return withLogicalPlan(program, options, (logical, context) => {
    const { store } = program.context;
    const compiled = emit(logical, store, context);
    return ownPlan(compiled, store.hold(compiled.parameters));
  });
}

/**
 * Optimizes a program and shows the result to `use`, before kernels are chosen: for tools that work on logical plans. Parameters that rules derived
 * are gone afterwards.
 *
 * @example const stages = withLogicalPlan(program, {}, (plan) => plan.stages.length);
 */
export function withLogicalPlan<T>(
  program: Program,
  options: OvenOptions,
  use: (plan: LogicalPlan, context: RuleContext) => T,
): T {
  if (!(program instanceof Program))
    throw ovenError('ERR_OVEN_GRAPH', {
      received: `${typeof program}, no program`,
      hint: 'bake(flour.program({ score }))',
    });
  const context = new CompilationContext(program.context.store, options.isa);
  try {
    return use(optimize(fromProgram(program), context, options), context);
  } finally {
    context.release();
  }
}
