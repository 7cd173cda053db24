import { EdgeState, edgeList, type ShapTree, type ShapTrees } from './shap-trees.js';

/** The arguments of TreeSHAP for rows of one forest. */
export interface ShapCall {
  readonly trees: ShapTrees;
  /** For each edge: the value of the leaf behind it, or 0. */
  readonly values: Float64Array;
  readonly rows: number;
  /** Returns whether a row takes an edge, if it reaches the split in front of the edge. */
  readonly takes: (row: number, edge: number) => boolean;
}

/**
 * A walk through trees, edge by edge. On the way down, it multiplies the factors of the path. On
 * the way up, it adds up the leaves behind each edge. The lists have an entry for each depth of the
 * current path.
 */
export class ShapWalk {
  readonly trees: ShapTrees;
  /** The edges of the current path. */
  readonly path: Int32Array;
  /** The sum over the leaves behind an edge: product times value, at each quadrature node. */
  readonly sums: readonly Float64Array[];
  readonly #call: ShapCall;
  /** The product of all factors on the path, at each quadrature node. */
  readonly #products: readonly Float64Array[];
  /** 1 if the row takes the edge and all edges above that test the same feature. */
  readonly #ones: Uint8Array;

  constructor(call: ShapCall) {
    this.trees = call.trees;
    this.#call = call;
    const levels = Array.from({ length: this.trees.deepest + 1 });
    this.#products = levels.map(() => new Float64Array(this.trees.mostNodes).fill(1));
    this.sums = levels.map(() => new Float64Array(this.trees.mostNodes));
    this.#ones = new Uint8Array(levels.length).fill(1);
    this.path = new Int32Array(levels.length);
  }

  /**
   * Walks through a tree. `leave` runs for each edge after the walk has added up all leaves behind
   * the edge, while the path still ends at the edge.
   */
  through(tree: ShapTree, row: number, leave: (depth: number) => void): void {
    const { depth: depths, before } = this.trees;
    let open = 0;
    const closeTo = (depth: number) => {
      for (; open >= depth; open--) {
        leave(open);
        const [above, sums] = [this.sums[open - 1]!, this.sums[open]!];
        for (let node = 0; node < tree.size; node++) above[node]! += sums[node]!;
      }
    };
    for (let edge = tree.first; edge < tree.end; edge++) {
      const depth = depths[edge]!;
      closeTo(depth);
      open = depth;
      this.path[depth] = edge;
      this.#ones[depth] = this.#ones[before[edge]!]! && this.#call.takes(row, edge) ? 1 : 0;
      this.#enter(tree, depth, this.#call.values[edge]!);
    }
    closeTo(1);
  }

  /** Returns where the weights of the path's edge at a depth start in `trees.tables`. */
  weights(tree: ShapTree, depth: number): number {
    return edgeList(tree, this.path[depth]!, 'weights', this.state(depth));
  }

  /** Returns the `EdgeState` of the path's edge at a depth. */
  state(depth: number): number {
    if (this.#ones[this.trees.before[this.path[depth]!]!] === 0) return EdgeState.LOST;
    return this.#ones[depth] === 1 ? EdgeState.TAKEN : EdgeState.MISSED;
  }

  /** Multiplies the product by the ratio of an edge. A leaf starts the sum of its edge. */
  #enter(tree: ShapTree, depth: number, value: number): void {
    const ratios = edgeList(tree, this.path[depth]!, 'ratios', this.state(depth));
    const [above, products, sums] = [this.#products[depth - 1]!, this.#products[depth]!, this.sums[depth]!];
    for (let node = 0; node < tree.size; node++) {
      products[node] = above[node]! * this.trees.tables[ratios + node]!;
      sums[node] = products[node]! * value;
    }
  }
}
