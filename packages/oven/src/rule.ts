import type { ParameterId, ParameterValue } from '@brezel/core';
import type { ParameterInfo } from '@brezel/object-store';
import type { LogicalNode, LogicalPlan } from './logical-plan.js';

/** The paper's four rewriting steps, in order (4.1.2). */
export const stepNames = ['validate-input', 'build-stages', 'optimize-stages', 'validate-output'] as const;
export type StepName = (typeof stepNames)[number];

/** What a rule may ask for: parameters, and new ones computed from them. */
export interface RuleContext {
  parameter(id: ParameterId): ParameterValue;
  info(id: ParameterId): ParameterInfo;
  /** A parameter computed once from others; `key` names the function, `from` its inputs. */
  derive(key: string, from: readonly ParameterId[], build: () => ParameterValue | Uint8Array): ParameterId;
}

interface RuleBase {
  /** File name, name in EXPLAIN and in `disable`. */
  readonly name: string;
  readonly step: StepName;
  /** False where a float sum is regrouped: `{ exact: true }` leaves the rule out. */
  readonly exact: boolean;
}

/** A rule over single nodes: tried at every node that `targets` lets pass, from the inputs down or from the outputs up. */
export interface NodeRule extends RuleBase {
  readonly order: 'top-down' | 'bottom-up';
  targets(node: LogicalNode): boolean;
  /** The rewritten plan, or undefined: nothing to do. */
  apply(node: LogicalNode, plan: LogicalPlan, context: RuleContext): LogicalPlan | undefined;
}

/** A rule over the whole plan: validation, stage building. */
export interface PlanRule extends RuleBase {
  readonly order: 'whole-plan';
  apply(plan: LogicalPlan, context: RuleContext): LogicalPlan | undefined;
}

export type Rule = NodeRule | PlanRule;

/** Declares a rule; its type is checked, nothing else happens. */
export const rule = <R extends Rule>(definition: R): R => definition;
