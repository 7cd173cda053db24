import { type GeneralForest, LEAF, type NonFiniteChoice } from '@brezel/flour';

/**
 * The values of `mode` of a forest node: LEQ tests `x <= threshold`, and LT tests `x < threshold`.
 */
export const LEQ = 0;
export const LT = 1;

/**
 * A branch whose child is not written yet. A node has two branches: `2 * node` for values that pass
 * its test, and `2 * node + 1` for all others.
 */
export type Slot = number;
export const whenTrue = (node: number): Slot => 2 * node;
export const whenFalse = (node: number): Slot => 2 * node + 1;

/**
 * Writes trees in the form of Flour's operator `forest`: one list with the nodes of all trees, each
 * child after its parent. One node of a file may become several nodes, because a category test is a
 * binary search. Therefore a branch gets the index of its child only when the child is written.
 */
export class TreeWriter {
  /** Whether thresholds and leaves may be NaN. */
  readonly nonFinite: NonFiniteChoice;
  readonly #feature: number[] = [];
  readonly #threshold: number[] = [];
  readonly #mode: number[] = [];
  readonly #children: number[] = [];
  readonly #missingTrue: number[] = [];
  readonly #roots: number[] = [];
  readonly #leafStart: number[] = [0];
  readonly #leafTarget: number[] = [];
  readonly #leafWeight: number[] = [];
  readonly #cover: number[] = [];
  #nextCover = Number.NaN;

  constructor(nonFinite: NonFiniteChoice) {
    this.nonFinite = nonFinite;
  }

  get nodes(): number {
    return this.#mode.length;
  }

  get trees(): number {
    return this.#roots.length;
  }

  /** Makes the next written node the root of a new tree. */
  startTree(): void {
    this.#roots.push(this.nodes);
  }

  /**
   * Sets the cover of the next node: the number or the weight of the training rows that reached it.
   * If several nodes implement one split of the file, only the first node has a cover.
   */
  set cover(cover: number) {
    this.#nextCover = cover;
  }

  /**
   * Writes a node that compares a feature with a threshold, and makes it the child of the branches
   * `slots`. Returns the index of the node. If `missingTrue`, NaN takes the branch of a successful
   * test.
   */
  test(slots: readonly Slot[], feature: number, mode: number, threshold: number, missingTrue: boolean): number {
    const node = this.#node(slots, feature, mode, threshold);
    if (missingTrue) this.#missingTrue[node] = 1;
    this.#leafStart.push(this.#leafWeight.length);
    return node;
  }

  /**
   * Writes a leaf that adds `weight` to a target, and makes it the child of the branches `slots`.
   */
  leaf(slots: readonly Slot[], target: number, weight: number): void {
    this.#node(slots, 0, LEAF, 0);
    this.#leafTarget.push(target);
    this.#leafWeight.push(weight);
    this.#leafStart.push(this.#leafWeight.length);
  }

  #node(slots: readonly Slot[], feature: number, mode: number, threshold: number): number {
    const node = this.nodes;
    for (const slot of slots) this.#children[slot] = node;
    this.#feature.push(feature);
    this.#threshold.push(threshold);
    this.#mode.push(mode);
    this.#missingTrue.push(0);
    this.#children.push(0, 0);
    this.#cover.push(this.#nextCover);
    this.#nextCover = Number.NaN;
    return node;
  }

  /**
   * Returns whether every leaf and every root has a cover. Other nodes may lack it if several nodes
   * implement one split.
   */
  #hasCovers(): boolean {
    const isKnown = (node: number) => !Number.isNaN(this.#cover[node]!);
    return this.#mode.every((mode, node) => mode !== LEAF || isKnown(node)) && this.#roots.every(isKnown);
  }

  /**
   * Returns a forest with all trees. `base` contains the number with which the sum of each target
   * starts.
   */
  forest(base: Float64Array): GeneralForest {
    const children = Int32Array.from(this.#children);
    return {
      feature: Int32Array.from(this.#feature),
      threshold: Float64Array.from(this.#threshold),
      mode: Int32Array.from(this.#mode),
      trueChild: Int32Array.from({ length: this.nodes }, (_, node) => children[whenTrue(node)]!),
      falseChild: Int32Array.from({ length: this.nodes }, (_, node) => children[whenFalse(node)]!),
      missingTrue: Int32Array.from(this.#missingTrue),
      roots: Int32Array.from(this.#roots),
      leafStart: Int32Array.from(this.#leafStart),
      leafTarget: Int32Array.from(this.#leafTarget),
      leafWeight: Float64Array.from(this.#leafWeight),
      base,
      memberStart: new Int32Array(this.nodes + 1),
      members: new Float64Array(0),
      ...(this.#hasCovers() && { cover: Float32Array.from(this.#cover) }),
    };
  }
}
