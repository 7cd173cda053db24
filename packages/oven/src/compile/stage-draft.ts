import type { LogicalNode, LogicalPlan } from '../logical-plan.js';
import type { RuleContext } from '../rule.js';

/** A stage while its kernels are chosen: nodes in order, and the slot of each value. */
export interface StageDraft {
  readonly plan: LogicalPlan;
  readonly nodes: readonly LogicalNode[];
  readonly slots: ReadonlyMap<number, number>;
  readonly outputs: readonly number[];
  readonly context: RuleContext;
}

/** One way to run a node, alone or together with nodes before it. */
export interface Candidate {
  readonly kernel: string;
  /** The nodes it stands for, in order, `node` at the end. */
  readonly covered: readonly LogicalNode[];
  /** Nodes whose values it reads. */
  readonly inputs: readonly number[];
  readonly attributes: readonly number[];
  /** What a row is expected to cost. */
  readonly nanosPerRow: number;
  /** Parameters in the kernel's order; derived ones are computed when the candidate was chosen. */
  parameters(): readonly string[];
}

/** A kernel for several operators at once. */
export interface FusedKernel {
  readonly name: string;
  /** What its parameters are, in order: for people. */
  readonly parameters: readonly string[];
  /** How it would run the nodes that end at `node`; undefined when it cannot. */
  canRun(node: LogicalNode, draft: StageDraft): Candidate | undefined;
}
