import { normalNode } from './normal-node.js';
import { type Forest, LEAF } from './reference.js';

/**
 * The number of branches in the top of a tree. A top of 31 branches has 32 exits, one for each bit
 * of a mask.
 */
export const TOP_BRANCHES = 31;

/**
 * A branch whose parent is the root or already in the top of the tree. The most visited candidate
 * is added to the top next.
 */
interface Candidate {
  readonly node: number;
  /** The estimated fraction of rows that visit the branch. */
  readonly share: number;
  readonly above: Above | undefined;
}

/**
 * A comparison on the path to a branch. It limits the values of a feature in the rows that reach
 * the branch.
 */
interface Above {
  readonly feature: number;
  readonly threshold: number;
  readonly isLow: boolean;
  readonly above: Above | undefined;
}

/**
 * Estimates which branches of the trees most rows visit. If the forest has covers, a cover divided
 * by the cover of the parent is the estimate. Otherwise, the estimate assumes that the values of a
 * feature are spread evenly between the smallest and the largest threshold of the feature.
 */
export class LikelyBranches {
  readonly #forest: Forest;
  readonly #least: Float64Array;
  readonly #most: Float64Array;

  /** Cost: O(nodes). */
  constructor(forest: Forest, features: number) {
    this.#forest = forest;
    this.#least = new Float64Array(features).fill(Number.POSITIVE_INFINITY);
    this.#most = new Float64Array(features).fill(Number.NEGATIVE_INFINITY);
    for (let node = 0; node < forest.mode.length; node++) {
      const [feature, threshold] = [forest.feature[node]!, forest.threshold[node]!];
      if (forest.mode[node] === LEAF || !Number.isFinite(threshold)) continue;
      this.#least[feature] = Math.min(this.#least[feature]!, threshold);
      this.#most[feature] = Math.max(this.#most[feature]!, threshold);
    }
  }

  /**
   * Returns the most visited branches of a tree, at most `TOP_BRANCHES`. A branch comes after its
   * parent.
   */
  below(root: number): number[] {
    const top: number[] = [];
    const candidates: Candidate[] = [];
    const add = (candidate: Candidate) => {
      if (this.#forest.mode[candidate.node] !== LEAF) candidates.push(candidate);
    };
    add({ node: root, share: 1, above: undefined });
    while (candidates.length > 0 && top.length < TOP_BRANCHES) {
      const likeliest = candidates.reduce((best, one, at) => (one.share > candidates[best]!.share ? at : best), 0);
      const [{ node, share, above }] = candidates.splice(likeliest, 1) as [Candidate];
      top.push(node);
      const { threshold, low, high } = normalNode(this.#forest, node);
      const feature = this.#forest.feature[node]!;
      const lowShare = this.#lowShare(node, low, threshold, above);
      add({ node: high, share: share * (1 - lowShare), above: { feature, threshold, isLow: false, above } });
      add({ node: low, share: share * lowShare, above: { feature, threshold, isLow: true, above } });
    }
    return top;
  }

  /** Returns the estimated fraction of the rows at a branch that go to its low child. */
  #lowShare(node: number, low: number, threshold: number, above: Above | undefined): number {
    const { cover, feature: features } = this.#forest;
    if (cover !== undefined) {
      const share = cover[low]! / cover[node]!;
      if (share >= 0 && share <= 1) return share; // NaN and infinite shares fail this test
    }
    const feature = features[node]!;
    let [least, most] = [this.#least[feature]!, this.#most[feature]!];
    for (let branch = above; branch !== undefined; branch = branch.above) {
      if (branch.feature !== feature) continue;
      if (branch.isLow) most = Math.min(most, branch.threshold);
      else least = Math.max(least, branch.threshold);
    }
    return most > least ? Math.min(1, Math.max(0, (threshold - least) / (most - least))) : 0.5;
  }
}
