import type { OwnedPlan, StoppedRules } from '@brezel/core';
import { Program } from '@brezel/flour';
import { ownPlan } from '@brezel/object-store';
import { CompilationContext } from './compilation-context.js';
import { emit } from './compile/emit.js';
import { type OvenOptions, optimize } from './driver.js';
import { ovenError } from './errors.js';
import { fromProgram, type LogicalPlan } from './logical-plan.js';
import { checkOperatorLimit } from './operator-limit.js';

/**
 * Optimizes a program and compiles it to a plan.
 *
 * @returns a plan. It holds a reference to each of its parameters in the object store until
 * `release()` is called.
 * @throws ERR_OVEN_GRAPH, ERR_OVEN_SCHEMA when the program is invalid or a rule made it invalid;
 * ERR_OVEN_RULE when two rules undo each other; ERR_OVEN_RULE_FAILED when a rule threw;
 * ERR_OVEN_NAME for an unknown rule or step; ERR_OVEN_LIMIT for a program with more operators than
 * `maxOperators`.
 * @example const plan = bake(program, { exact: true });
 */
export function bake(program: Program, options: OvenOptions = {}): OwnedPlan {
  return withLogicalPlan(program, options, (logical, context, stoppedRules) => {
    const { store } = program.context;
    const compiled = emit(logical, store, context);
    return ownPlan({ ...compiled, ...(stoppedRules && { stoppedRules }) }, store.hold(compiled.parameters));
  });
}

/**
 * Applies all rules to a program and calls `use` with the logical plan, before kernels are
 * selected. Tools that analyze logical plans call this function. When `use` has returned, the store
 * releases the parameters that rules have derived.
 *
 * @example const stages = withLogicalPlan(program, {}, (plan) => plan.stages.length);
 */
export function withLogicalPlan<T>(
  program: Program,
  options: OvenOptions,
  use: (plan: LogicalPlan, context: CompilationContext, stoppedRules?: StoppedRules) => T,
): T {
  if (!(program instanceof Program))
    throw ovenError('ERR_OVEN_GRAPH', {
      received: typeof program,
      hint: 'bake(flour.program({ score }))',
    });
  const logical = fromProgram(program);
  checkOperatorLimit(logical, program, options.maxOperators);
  const context = new CompilationContext(program.context.store, options.isa);
  try {
    const { plan, stoppedRules } = optimize(logical, context, options);
    return use(plan, context, stoppedRules);
  } finally {
    context.release();
  }
}
