import type { LogicalNode, LogicalPlan } from '../logical-plan.js';
import type { RuleContext } from '../rule.js';

/** A stage while Oven selects its kernels: its nodes in order, and the slots of their values. */
export interface StageDraft {
  readonly plan: LogicalPlan;
  readonly nodes: readonly LogicalNode[];
  readonly slots: ReadonlyMap<number, number>;
  /** For the id of each node of the stage, its index in `nodes`. */
  readonly positions: ReadonlyMap<number, number>;
  readonly outputs: readonly number[];
  readonly context: RuleContext;
}

/** Returns the indices of nodes of a stage by their ids. */
export const positionsOf = (nodes: readonly LogicalNode[]): ReadonlyMap<number, number> =>
  new Map(nodes.map(({ id }, position) => [id, position]));

/**
 * One way to run a node: with a separate kernel, or with a fused kernel that also runs preceding
 * nodes.
 */
export interface Candidate {
  readonly kernel: string;
  /**
   * The nodes that the candidate runs, in order. The last node is the node for which it is a
   * candidate.
   */
  readonly covered: readonly LogicalNode[];
  /** Ids of the nodes whose values the candidate reads. */
  readonly inputs: readonly number[];
  readonly attributes: readonly number[];
  /** Expected cost per row, in nanoseconds. */
  readonly nanosPerRow: number;
  /**
   * Returns the ids of the parameters in the order of the kernel. The function computes derived
   * parameters, which takes time, so Oven calls it only for the selected candidate.
   */
  parameters(): readonly string[];
}

/** A kernel that runs several operators in one call. */
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
