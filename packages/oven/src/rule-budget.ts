/**
 * The largest number of nodes that rules may copy or examine during one compilation. Each change in
 * the steps that build and optimize stages counts all nodes of the new plan, because a change
 * copies them. Beyond this number, Oven stops the optional rules. Without a limit, the time to
 * compile would grow with the square of the number of nodes. The limit is twelve times what any
 * model of the test corpus needs (5433 nodes).
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
