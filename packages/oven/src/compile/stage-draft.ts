import type { LogicalNode, LogicalPlan } from '../logical-plan.js';
import type { RuleContext } from '../rule.js';

/** A stage during kernel selection: its nodes in order, and the slot of each value. */
export interface StageDraft {
  readonly plan: LogicalPlan;
  readonly nodes: readonly LogicalNode[];
  readonly slots: ReadonlyMap<number, number>;
  readonly outputs: readonly number[];
  readonly context: RuleContext;
}

/** One way to run a node: alone, or fused with preceding nodes. */
export interface Candidate {
  readonly kernel: string;
  /** The nodes that the candidate implements, in order. The last one is the node itself. */
  readonly covered: readonly LogicalNode[];
  /** Ids of the nodes whose values the candidate reads. */
  readonly inputs: readonly number[];
  readonly attributes: readonly number[];
  /** Expected cost per row, in nanoseconds. */
  readonly nanosPerRow: number;
  /**
   * Returns the parameters in the kernel's order. Parameters are derived only if the candidate is
   * selected.
   */
  parameters(): readonly string[];
}

/** A kernel that implements several operators. */
export interface FusedKernel {
  readonly name: string;
  /** Descriptions of the kernel's parameters in order, for EXPLAIN. */
  readonly parameters: readonly string[];
  /**
   * Returns a candidate that runs `node` and preceding nodes, or undefined if the kernel cannot run
   * them.
   */
  canRun(node: LogicalNode, draft: StageDraft): Candidate | undefined;
}
