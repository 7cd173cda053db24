import type { ParameterId, ParameterValue } from '@brezel/core';
import type { NumberFunctions, ParameterInfo, ParameterRange, StringFunctions } from '@brezel/object-store';
import type { LogicalNode, LogicalPlan, LogicalStage } from './logical-plan.js';
import type { RuleBudget } from './rule-budget.js';

/**
 * The four rewriting steps of the PRETZEL paper (section 4.1.2), in order. `OvenOptions.steps` can
 * insert further steps.
 */
export const stepNames = ['validate-input', 'build-stages', 'optimize-stages', 'validate-output'] as const;
/** The name of a step: one of the four of Oven, or a step of the caller. */
export type StepName = (typeof stepNames)[number] | (string & {});

/** The functions that a rule may call: they read parameters and derive new parameters. */
export interface RuleContext {
  parameter(id: ParameterId): ParameterValue;
  info(id: ParameterId): ParameterInfo;
  /**
   * Returns a parameter that `build` computes from the parameters `from`. `key` identifies the
   * computation. The store calls `build` only if it does not contain the result of the same
   * computation yet.
   */
  derive(
    key: string,
    from: readonly ParameterId[],
    build: () => ParameterValue | Uint8Array | ParameterRange,
  ): ParameterId;
  /**
   * The work that optional rules may still do. A rule that examines the whole plan more than once
   * in one call spends the number of nodes each time. It returns when the budget is spent. Oven
   * itself spends the nodes of plans that rules return.
   */
  readonly budget?: RuleBudget;
  /** Instruction set of the machine that will run the plan, or undefined if it is unknown. */
  readonly isa?: string | undefined;
  /**
   * A dictionary of a fleet file. Set only while a plan of the file is compared with a newly
   * compiled plan. A rule that builds a dictionary then gives its entries the positions of this
   * dictionary. The positions depend on training statistics that the file does not contain.
   */
  readonly placedLike?: { readonly id: ParameterId; readonly bytes: Uint8Array } | undefined;
  /** The addon's functions for encoded strings, or undefined without the addon. */
  readonly strings?: StringFunctions | undefined;
  /** The addon's functions for arrays of numbers, or undefined without the addon. */
  readonly numbers?: NumberFunctions | undefined;
}

interface RuleBase {
  /** Name of the rule in EXPLAIN and in `disable`. The file of the rule has the same name. */
  readonly name: string;
  /** A short sentence that describes the rule, for `explain({ verbose: true })`. */
  readonly summary?: string;
  readonly step: StepName;
  /**
   * False if the rule may change the last bits of an answer, for example by another order of a sum.
   * `{ exact: true }` disables such rules.
   */
  readonly exact: boolean;
  /** True if Oven cannot compile without the rule. `disable` then rejects its name. */
  readonly required?: true;
}

/**
 * `top-down` goes from the inputs to the outputs, and `bottom-up` from the outputs to the inputs.
 */
export type Direction = 'top-down' | 'bottom-up';

/** A rule that rewrites single nodes. Oven tries the rule at every node that `targets` accepts. */
export interface NodeRule extends RuleBase {
  readonly over: 'nodes';
  readonly order: Direction;
  targets(node: LogicalNode): boolean;
  /** Returns the rewritten plan, or undefined if the rule does not apply. */
  apply(node: LogicalNode, plan: LogicalPlan, context: RuleContext): LogicalPlan | undefined;
}

/** A rule that rewrites stages. Oven tries the rule at every stage that `targets` accepts. */
export interface StageRule extends RuleBase {
  readonly over: 'stages';
  readonly order: Direction;
  targets(stage: LogicalStage, plan: LogicalPlan): boolean;
  apply(stage: LogicalStage, plan: LogicalPlan, context: RuleContext): LogicalPlan | undefined;
}

/**
 * A rule that reads or rewrites the whole plan, such as a check or the first division into stages.
 */
export interface PlanRule extends RuleBase {
  readonly over: 'plan';
  apply(plan: LogicalPlan, context: RuleContext): LogicalPlan | undefined;
}

/**
 * A named rewrite of a logical plan. Depending on its kind, Oven tries it at single nodes, at
 * stages, or once for the whole plan.
 */
export type Rule = NodeRule | StageRule | PlanRule;

/** Returns the rule unchanged, so that TypeScript checks its type where it is defined. */
export const rule = <R extends Rule>(definition: R): R => definition;
