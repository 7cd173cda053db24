/** Integers of a file. The array is a Float64Array if int32 cannot represent all of them. */
export type Integers = Int32Array | Float64Array;

/**
 * Finds the position of a node in the lists of an ONNX-ML forest. The lists identify a node by two
 * numbers: the number of its tree, and its number in the tree. If two nodes of a tree have the same
 * number, finds the later node.
 */
export interface NodeIndex {
  /** The position of the first node of each tree, in the order of the file. */
  readonly roots: Int32Array;
  /** Returns the position of a node, or -1 if the file has no such node. */
  find(tree: number, node: number): number;
}

/**
 * Builds an index of the nodes of a file. Most exporters write the nodes of a tree one after
 * another and number them from 0; for these files, the index is a table. For other files, it sorts
 * the nodes.
 */
export function nodeIndex(trees: Integers, numbers: Integers): NodeIndex {
  return densePlaces(trees, numbers) ?? new SortedIndex(trees, numbers);
}

function densePlaces(trees: Integers, numbers: Integers): NodeIndex | undefined {
  const starts: number[] = [];
  for (let at = 0; at < trees.length; at++) if (at === 0 || trees[at] !== trees[at - 1]) starts.push(at);
  const roots = Int32Array.from(starts);
  const byTree = Int32Array.from(roots.keys()).sort((a, b) => trees[roots[a]!]! - trees[roots[b]!]!);
  for (let at = 1; at < byTree.length; at++)
    if (trees[roots[byTree[at]!]!] === trees[roots[byTree[at - 1]!]!]) return undefined;
  for (let run = 0; run < roots.length; run++) {
    const [start, end] = [roots[run]!, roots[run + 1] ?? trees.length];
    for (let at = start; at < end; at++) if (!(numbers[at]! >= 0 && numbers[at]! < end - start)) return undefined;
  }
  return new DenseIndex(trees, numbers, roots, byTree);
}

/**
 * Finds nodes with a table. In the file, the nodes of a tree follow each other, and their numbers
 * are below the number of nodes of the tree.
 */
class DenseIndex implements NodeIndex {
  readonly #trees: Integers;
  /** The trees, as indices of `roots`, sorted by tree number. */
  readonly #byTree: Int32Array;
  readonly #table: Int32Array;
  /** The tree of the last call of `find`, and the range of its nodes. */
  #tree = Number.NaN;
  #start = 0;
  #end = 0;

  constructor(
    trees: Integers,
    numbers: Integers,
    readonly roots: Int32Array,
    byTree: Int32Array,
  ) {
    this.#trees = trees;
    this.#byTree = byTree;
    this.#table = new Int32Array(trees.length).fill(-1);
    let start = 0;
    for (let at = 0; at < trees.length; at++) {
      if (trees[at] !== trees[start]) start = at;
      this.#table[start + numbers[at]!] = at;
    }
  }

  find(tree: number, node: number): number {
    if (tree !== this.#tree) this.#turnTo(tree);
    return node >= 0 && node < this.#end - this.#start ? this.#table[this.#start + node]! : -1;
  }

  #turnTo(tree: number): void {
    const numberOf = (run: number) => this.#trees[this.roots[run]!]!;
    const run = this.#byTree[lowerBound(this.#byTree.length, (index) => numberOf(this.#byTree[index]!) < tree)];
    const isKnown = run !== undefined && numberOf(run) === tree;
    this.#tree = tree;
    this.#start = isKnown ? this.roots[run]! : 0;
    this.#end = isKnown ? (this.roots[run + 1] ?? this.#trees.length) : 0;
  }
}

/** Finds nodes in any file: sorts the positions by tree, node number and position. */
class SortedIndex implements NodeIndex {
  readonly roots: Int32Array;
  readonly #trees: Integers;
  readonly #numbers: Integers;
  readonly #order: Int32Array;

  constructor(trees: Integers, numbers: Integers) {
    this.#trees = trees;
    this.#numbers = numbers;
    this.#order = Int32Array.from(trees.keys()).sort(
      (a, b) => trees[a]! - trees[b]! || numbers[a]! - numbers[b]! || a - b,
    );
    const roots: number[] = [];
    for (let at = 0; at < this.#order.length; at++) {
      const entry = this.#order[at]!;
      if (at === 0 || trees[entry] !== trees[this.#order[at - 1]!]) roots.push(entry);
      else if (entry < roots.at(-1)!) roots[roots.length - 1] = entry;
    }
    this.roots = Int32Array.from(roots).sort();
  }

  find(tree: number, node: number): number {
    const after = lowerBound(this.#order.length, (index) => {
      const entry = this.#order[index]!;
      return this.#trees[entry]! < tree || (this.#trees[entry] === tree && this.#numbers[entry]! <= node);
    });
    const entry = this.#order[after - 1];
    return entry !== undefined && this.#trees[entry] === tree && this.#numbers[entry] === node ? entry : -1;
  }
}

/**
 * Returns the first index below `length` for which `before` is false, or `length` if there is no
 * such index.
 */
function lowerBound(length: number, before: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (before(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
