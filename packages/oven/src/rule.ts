import type { ParameterId, ParameterValue } from '@brezel/core';
import type { ParameterInfo, ParameterRange } from '@brezel/object-store';
import type { LogicalNode, LogicalPlan, LogicalStage } from './logical-plan.js';

/** The paper's four rewriting steps, in order (4.1.2). `OvenOptions.steps` puts others between them. */
export const stepNames = ['validate-input', 'build-stages', 'optimize-stages', 'validate-output'] as const;
export type StepName = (typeof stepNames)[number] | (string & {});

/** What a rule may ask for: parameters, and new ones computed from them. */
export interface RuleContext {
  parameter(id: ParameterId): ParameterValue;
  info(id: ParameterId): ParameterInfo;
  /** A parameter computed once from others; `key` names the function, `from` its inputs. */
  derive(
    key: string,
    from: readonly ParameterId[],
    build: () => ParameterValue | Uint8Array | ParameterRange,
  ): ParameterId;
  /** Instruction set of the machine that will run the plan, where that is known. */
  readonly isa?: string | undefined;
}

interface RuleBase {
  /** File name, name in EXPLAIN and in `disable`. */
  readonly name: string;
  /** What it does, in a sentence of a few words, for `explain({ verbose: true })`. */
  readonly summary?: string;
  readonly step: StepName;
  /** False where a float sum is regrouped: `{ exact: true }` leaves the rule out. */
  readonly exact: boolean;
  /** Plans cannot do without it: it is not for `disable`. */
  readonly required?: true;
}

/** From the inputs down, or from the outputs up. */
export type Direction = 'top-down' | 'bottom-up';

/** A rule over single nodes: tried at every node that `targets` lets pass. */
export interface NodeRule extends RuleBase {
  readonly over: 'nodes';
  readonly order: Direction;
  targets(node: LogicalNode): boolean;
  /** The rewritten plan, or undefined: nothing to do. */
  apply(node: LogicalNode, plan: LogicalPlan, context: RuleContext): LogicalPlan | undefined;
}

/** A rule over stages: tried at every stage that `targets` lets pass. */
export interface StageRule extends RuleBase {
  readonly over: 'stages';
  readonly order: Direction;
  targets(stage: LogicalStage, plan: LogicalPlan): boolean;
  apply(stage: LogicalStage, plan: LogicalPlan, context: RuleContext): LogicalPlan | undefined;
}

/** A rule over the plan as a whole: validation, the first cut into stages. */
export interface PlanRule extends RuleBase {
  readonly over: 'plan';
  apply(plan: LogicalPlan, context: RuleContext): LogicalPlan | undefined;
}

export type Rule = NodeRule | StageRule | PlanRule;

/** Declares a rule; its type is checked, nothing else happens. */
export const rule = <R extends Rule>(definition: R): R => definition;
