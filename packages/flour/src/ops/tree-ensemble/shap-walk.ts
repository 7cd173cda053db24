import { EdgeState, edgeList, type ShapTree, type ShapTrees } from './shap-trees.js';

/** The arguments of TreeSHAP for rows of one forest. */
export interface ShapCall {
  readonly trees: ShapTrees;
  /** For each edge: the value of the leaf at its lower end, or 0 if its lower end is a split. */
  readonly values: Float64Array;
  readonly rows: number;
  /** Returns whether a row that reaches the split at the upper end of an edge takes the edge. */
  readonly takes: (row: number, edge: number) => boolean;
}

/**
 * Walks through trees in depth-first order. On the way down an edge, it multiplies the product of
 * the factors by the ratios of the edge. On the way up, it adds the leaves below the edge to the
 * sums. Each list has one entry for each depth of the current path.
 */
export class ShapWalk {
  readonly trees: ShapTrees;
  /** The edges from the root to the current edge, by depth. */
  readonly path: Int32Array;
  /**
   * For each depth and each quadrature node: a sum over the leaves below the edge. Each leaf adds
   * its value times the product of the factors on its path.
   */
  readonly sums: readonly Float64Array[];
  readonly #call: ShapCall;
  /**
   * For each depth and each quadrature node: the product of the factors of all features on the
   * path.
   */
  readonly #products: readonly Float64Array[];
  /**
   * For each depth: 1 if the row takes the edge and all edges above it whose splits test the same
   * feature, otherwise 0.
   */
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
   * Walks through one tree for one row. It calls `leave` for each edge on the way up, when `sums`
   * contains all leaves below the edge. The path still ends at this edge.
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

  /**
   * Returns where in `trees.tables` the weights of the edge at this depth start. The weights depend
   * on the current `EdgeState` of the edge.
   */
  weights(tree: ShapTree, depth: number): number {
    return edgeList(tree, this.path[depth]!, 'weights', this.state(depth));
  }

  /** Returns the `EdgeState` of the edge at this depth of the path. */
  state(depth: number): number {
    if (this.#ones[this.trees.before[this.path[depth]!]!] === 0) return EdgeState.LOST;
    return this.#ones[depth] === 1 ? EdgeState.TAKEN : EdgeState.MISSED;
  }

  /**
   * Goes down an edge: multiplies the product by the ratios of the edge. If the edge ends at a
   * leaf, its sum starts with the value of the leaf.
   */
  #enter(tree: ShapTree, depth: number, value: number): void {
    const ratios = edgeList(tree, this.path[depth]!, 'ratios', this.state(depth));
    const [above, products, sums] = [this.#products[depth - 1]!, this.#products[depth]!, this.sums[depth]!];
    for (let node = 0; node < tree.size; node++) {
      products[node] = above[node]! * this.trees.tables[ratios + node]!;
      sums[node] = products[node]! * value;
    }
  }
}
