/**
 * The largest number of nodes in all plans that optional rules return, in the steps that build and
 * optimize stages. A change copies the nodes of the plan, so without a limit the time to compile
 * grows with the square of the number of nodes. The limit is twelve times what any model of the
 * test corpus needs (5433 nodes).
 */
export const MOST_CHANGED_NODES = 2 ** 16;

/** Limits the work of optional rules during one compilation. */
export class RuleBudget {
  #left = MOST_CHANGED_NODES;

  /** Whether optional rules have used the whole budget. Oven then stops them. */
  get isSpent(): boolean {
    return this.#left < 0;
  }

  /** Records that a rule has copied or examined this many nodes. */
  spend(nodes: number): void {
    this.#left -= nodes;
  }
}
