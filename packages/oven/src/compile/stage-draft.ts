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

/** A kernel for several operators at once. The first that can run is taken, in the order of `fusedKernels`. */
export interface FusedKernel {
  readonly name: string;
  /** The nodes it would stand for, ending at `node`, and its binding; undefined when it cannot run here. */
  canRun(
    node: LogicalNode,
    draft: StageDraft,
  ): { readonly covered: readonly LogicalNode[]; readonly binding: FusedBinding } | undefined;
}

export interface FusedBinding {
  readonly kernel: string;
  readonly inputs: readonly number[];
  readonly parameters: readonly string[];
  readonly attributes: readonly number[];
}
