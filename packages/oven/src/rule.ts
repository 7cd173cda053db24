import type { ParameterId, ParameterValue } from '@brezel/core';
import type { NumberFunctions, ParameterInfo, ParameterRange, StringFunctions } from '@brezel/object-store';
import type { LogicalNode, LogicalPlan, LogicalStage } from './logical-plan.js';

/**
 * The four rewriting steps of the paper (4.1.2), in order. `OvenOptions.steps` can insert others.
 */
export const stepNames = ['validate-input', 'build-stages', 'optimize-stages', 'validate-output'] as const;
/** The name of a step: one of the four of Oven, or a step of the caller. */
export type StepName = (typeof stepNames)[number] | (string & {});

/** The functions with which rules read parameters and derive new parameters. */
export interface RuleContext {
  parameter(id: ParameterId): ParameterValue;
  info(id: ParameterId): ParameterInfo;
  /**
   * Returns a parameter that is derived from others, and derives it only once. `key` identifies the
   * function, and `from` lists its inputs.
   */
  derive(
    key: string,
    from: readonly ParameterId[],
    build: () => ParameterValue | Uint8Array | ParameterRange,
  ): ParameterId;
  /** Instruction set of the machine that will run the plan, or undefined if it is unknown. */
  readonly isa?: string | undefined;
  /**
   * A dictionary of a file, set while a plan of the file is compared. A dictionary that is built
   * now gets the same positions of entries as this one, because the file does not contain the
   * statistics that determined the positions.
   */
  readonly placedLike?: { readonly id: ParameterId; readonly bytes: Uint8Array } | undefined;
  /** The addon's functions for encoded strings, or undefined without the addon. */
  readonly strings?: StringFunctions | undefined;
  /** The addon's functions for arrays of numbers, or undefined without the addon. */
  readonly numbers?: NumberFunctions | undefined;
}

interface RuleBase {
  /** Name of the rule. It is the rule's file name, and its name in EXPLAIN and in `disable`. */
  readonly name: string;
  /** A short sentence that describes the rule, for `explain({ verbose: true })`. */
  readonly summary?: string;
  readonly step: StepName;
  /** False if the rule changes the order of a float sum. `{ exact: true }` disables such rules. */
  readonly exact: boolean;
  /** True if compilation needs the rule. `disable` then rejects it. */
  readonly required?: true;
}

/**
 * `top-down` goes from the inputs to the outputs, and `bottom-up` from the outputs to the inputs.
 */
export type Direction = 'top-down' | 'bottom-up';

/** A rule about single nodes. It is tried at every node that `targets` accepts. */
export interface NodeRule extends RuleBase {
  readonly over: 'nodes';
  readonly order: Direction;
  targets(node: LogicalNode): boolean;
  /** Returns the rewritten plan, or undefined if the rule does not apply. */
  apply(node: LogicalNode, plan: LogicalPlan, context: RuleContext): LogicalPlan | undefined;
}

/** A rule about stages. It is tried at every stage that `targets` accepts. */
export interface StageRule extends RuleBase {
  readonly over: 'stages';
  readonly order: Direction;
  targets(stage: LogicalStage, plan: LogicalPlan): boolean;
  apply(stage: LogicalStage, plan: LogicalPlan, context: RuleContext): LogicalPlan | undefined;
}

/** A rule about the whole plan, such as validation or the first division into stages. */
export interface PlanRule extends RuleBase {
  readonly over: 'plan';
  apply(plan: LogicalPlan, context: RuleContext): LogicalPlan | undefined;
}

/**
 * A rewrite of a logical plan. Oven tries it at single nodes, at stages, or once for the whole
 * plan.
 */
export type Rule = NodeRule | StageRule | PlanRule;

/** Checks the type of a rule at compile time, and returns the rule unchanged. */
export const rule = <R extends Rule>(definition: R): R => definition;
