import type { ParameterId, ParameterValue } from '@brezel/core';
import type { ParameterInfo, ParameterRange, StringFunctions } from '@brezel/object-store';
import type { LogicalNode, LogicalPlan, LogicalStage } from './logical-plan.js';

/**
 * The four rewriting steps of the paper, in order (4.1.2). `OvenOptions.steps` can insert others.
 */
export const stepNames = ['validate-input', 'build-stages', 'optimize-stages', 'validate-output'] as const;
export type StepName = (typeof stepNames)[number] | (string & {});

/** Services for rules: reading parameters and deriving new ones. */
export interface RuleContext {
  parameter(id: ParameterId): ParameterValue;
  info(id: ParameterId): ParameterInfo;
  /**
   * Returns a parameter that is derived once from others. `key` names the function, `from` its
   * inputs.
   */
  derive(
    key: string,
    from: readonly ParameterId[],
    build: () => ParameterValue | Uint8Array | ParameterRange,
  ): ParameterId;
  /** Instruction set of the machine that will run the plan; undefined if unknown. */
  readonly isa?: string | undefined;
  /** The addon's functions for encoded strings; undefined without the addon. */
  readonly strings?: StringFunctions | undefined;
}

interface RuleBase {
  /** Name of the rule: its file name, and its name in EXPLAIN and in `disable`. */
  readonly name: string;
  /** A short sentence that describes the rule, for `explain({ verbose: true })`. */
  readonly summary?: string;
  readonly step: StepName;
  /** False if the rule regroups a float sum. `{ exact: true }` disables such rules. */
  readonly exact: boolean;
  /** True if compilation needs the rule; `disable` rejects it. */
  readonly required?: true;
}

/** From the inputs to the outputs, or from the outputs to the inputs. */
export type Direction = 'top-down' | 'bottom-up';

/** A rule about single nodes, tried at every node that `targets` accepts. */
export interface NodeRule extends RuleBase {
  readonly over: 'nodes';
  readonly order: Direction;
  targets(node: LogicalNode): boolean;
  /** Returns the rewritten plan; undefined if there is nothing to do. */
  apply(node: LogicalNode, plan: LogicalPlan, context: RuleContext): LogicalPlan | undefined;
}

/** A rule about stages, tried at every stage that `targets` accepts. */
export interface StageRule extends RuleBase {
  readonly over: 'stages';
  readonly order: Direction;
  targets(stage: LogicalStage, plan: LogicalPlan): boolean;
  apply(stage: LogicalStage, plan: LogicalPlan, context: RuleContext): LogicalPlan | undefined;
}

/** A rule about the plan as a whole: validation, the first split into stages. */
export interface PlanRule extends RuleBase {
  readonly over: 'plan';
  apply(plan: LogicalPlan, context: RuleContext): LogicalPlan | undefined;
}

export type Rule = NodeRule | StageRule | PlanRule;

/** Declares a rule with a checked type. Returns it unchanged. */
export const rule = <R extends Rule>(definition: R): R => definition;
