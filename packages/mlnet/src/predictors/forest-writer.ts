import { type GeneralForest, LEAF } from '@brezel/flour';

/**
 * The values of `mode` of a forest node: LEQ tests `x <= threshold`, and GT tests `x > threshold`.
 */
export const LEQ = 0;
export const GT = 3;

/**
 * A branch whose child is not written yet. A node has two branches: `2 * node` for values that pass
 * its test, and `2 * node + 1` for all others.
 */
export type Slot = number;
export const whenTrue = (node: number): Slot => 2 * node;
export const whenFalse = (node: number): Slot => 2 * node + 1;

/**
 * Writes trees in the form of Flour's operator `forest`, with one target: one list with the nodes
 * of all trees, each child after its parent.
 */
export class ForestWriter {
  readonly #feature: number[] = [];
  readonly #threshold: number[] = [];
  readonly #mode: number[] = [];
  readonly #children: number[] = [];
  readonly #missingTrue: number[] = [];
  readonly #roots: number[] = [];
  readonly #leafStart: number[] = [0];
  readonly #leafWeight: number[] = [];

  get nodes(): number {
    return this.#mode.length;
  }

  /** Starts a new tree: the next node becomes its root. */
  startTree(): void {
    this.#roots.push(this.nodes);
  }

  /**
   * Writes a node that compares a feature with a threshold, and makes it the child of the branches
   * `slots`. Returns the index of the node. If `missingTrue`, NaN takes the branch of a successful
   * test.
   */
  test(slots: readonly Slot[], feature: number, mode: number, threshold: number, missingTrue: boolean): number {
    const node = this.#node(slots, feature, mode, threshold, missingTrue);
    this.#leafStart.push(this.#leafWeight.length);
    return node;
  }

  leaf(slots: readonly Slot[], weight: number): void {
    this.#node(slots, 0, LEAF, 0, false);
    this.#leafWeight.push(weight);
    this.#leafStart.push(this.#leafWeight.length);
  }

  #node(slots: readonly Slot[], feature: number, mode: number, threshold: number, missingTrue: boolean): number {
    const node = this.nodes;
    for (const slot of slots) this.#children[slot] = node;
    this.#feature.push(feature);
    this.#threshold.push(threshold);
    this.#mode.push(mode);
    this.#missingTrue.push(Number(missingTrue));
    this.#children.push(0, 0);
    return node;
  }

  forest(): GeneralForest {
    const nodes = this.nodes;
    return {
      feature: Int32Array.from(this.#feature),
      threshold: Float64Array.from(this.#threshold),
      mode: Int32Array.from(this.#mode),
      trueChild: Int32Array.from({ length: nodes }, (_, node) => this.#children[whenTrue(node)]!),
      falseChild: Int32Array.from({ length: nodes }, (_, node) => this.#children[whenFalse(node)]!),
      missingTrue: Int32Array.from(this.#missingTrue),
      roots: Int32Array.from(this.#roots),
      leafStart: Int32Array.from(this.#leafStart),
      leafTarget: new Int32Array(this.#leafWeight.length),
      leafWeight: Float64Array.from(this.#leafWeight),
      base: new Float64Array(1),
      memberStart: new Int32Array(nodes + 1),
      members: new Float64Array(0),
    };
  }
}
