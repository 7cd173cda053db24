/**
 * The budget of one compilation: a total number of nodes. Each change in the steps that build and
 * optimize stages spends the nodes of the new plan. When the budget is spent, Oven stops the
 * optional rules. A change copies the nodes of the plan, so without a limit the time to compile
 * grows with the square of the number of nodes. The limit is twelve times what any model of the
 * test corpus needs (5433 nodes).
 */
export const MOST_CHANGED_NODES = 2 ** 16;

/** Limits the work of optional rules during one compilation. */
export class RuleBudget {
  #left = MOST_CHANGED_NODES;

  /** Whether the budget is spent. Oven then stops the optional rules. */
  get isSpent(): boolean {
    return this.#left < 0;
  }

  /** The number of nodes that optional rules may still copy or examine. */
  get left(): number {
    return this.#left;
  }

  /** Records that a rule has copied or examined this many nodes. */
  spend(nodes: number): void {
    this.#left -= nodes;
  }
}
