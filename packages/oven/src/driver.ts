import type { StoppedRules } from '@brezel/core';
import type { CompilationContext } from './compilation-context.js';
import type { LogicalPlan } from './logical-plan.js';
import { MOST_CHANGED_NODES } from './rule-budget.js';
import { type RuleSelection, selectRules } from './select-rules.js';
import { type RuleEvent, StepRun } from './step-run.js';

/** Options of Oven: how it optimizes and compiles a program. */
export interface OvenOptions extends RuleSelection {
  /**
   * After this many changes in the step `optimize-stages`, Oven stops this step. Use it to find the
   * change that breaks an answer, with a binary search over this number. Default: the environment
   * variable OVEN_STOP_AFTER, otherwise no limit.
   */
  readonly stopAfter?: number;
  /**
   * The largest number of operators of a program. Compiling takes up to 0.2 ms for each operator
   * and blocks the thread. Default 5000. If the caller of an ONNX importer sets a greater
   * `limits.nodes`, the default for the imported program is this limit. Infinity removes the limit.
   */
  readonly maxOperators?: number;
  /**
   * Instruction set of the machine that will run the plan (`baseline`, `avx2`, `avx512`). The
   * choice of some kernels depends on the instruction set, but answers do not.
   */
  readonly isa?: string | undefined;
  /** Called after each change that a rule makes to the plan. */
  readonly observe?: (event: RuleEvent) => void;
}

/** A plan to which all rules were applied. */
export interface OptimizedPlan {
  readonly plan: LogicalPlan;
  /** The optional rules that Oven stopped although they could still change the plan. */
  readonly stoppedRules?: StoppedRules;
}

/**
 * Runs each step until none of its rules changes the plan, and checks all types after every change.
 *
 * Steps that build stages and steps that optimize them alternate until neither changes the plan.
 * This is necessary because folding an operator can make two stages adjacent, so that they can be
 * merged. In a very long program, only required rules continue to change the plan (see
 * `MOST_CHANGED_NODES`). The plan is then correct, but may be slower.
 */
export function optimize(plan: LogicalPlan, context: CompilationContext, options: OvenOptions = {}): OptimizedPlan {
  const stopAfter = options.stopAfter ?? Number(process.env.OVEN_STOP_AFTER ?? Number.POSITIVE_INFINITY);
  const runs = selectRules(options).map((step) => new StepRun(step, context, stopAfter, options.observe));
  const [build, optimized] = (['build-stages', 'optimize-stages'] as const).map((name) =>
    runs.findIndex((run) => run.name === name),
  ) as [number, number];
  const through = (from: number, to: number, start: LogicalPlan) =>
    runs.slice(from, to).reduce((current, run) => run.toFixedPoint(current), start);
  let current = through(0, build, plan);
  for (let before: LogicalPlan | undefined; before !== current; ) {
    before = current;
    current = through(build, optimized + 1, current);
  }
  const stopped = context.budget.isSpent ? runs.flatMap((run) => run.stoppedAt(current)) : [];
  return {
    plan: through(optimized + 1, runs.length, current),
    ...(stopped.length > 0 && { stoppedRules: { changedNodes: MOST_CHANGED_NODES, rules: stopped } }),
  };
}
