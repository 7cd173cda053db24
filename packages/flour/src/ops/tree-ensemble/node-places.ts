/**
 * Where each node of a file's flat lists stands, by the number of its tree and its own. Exporters write a tree's nodes one after the other and number them
 * from 0: then the place is a sum. Other files take a table; of two nodes with one number the later counts.
 */
export class NodePlaces {
  readonly #trees: readonly number[];
  readonly #numbers: readonly number[];
  /** The place of node 0 of each tree, if it is all it takes. */
  readonly #first: ReadonlyMap<number, number> | undefined;
  readonly #table: ReadonlyMap<string, number>;

  constructor(trees: readonly number[], numbers: readonly number[]) {
    this.#trees = trees;
    this.#numbers = numbers;
    this.#first = firstPlaces(trees, numbers);
    const isSum = this.#first !== undefined;
    this.#table = new Map(isSum ? [] : trees.map((tree, at) => [`${tree}:${numbers[at]}`, at]));
  }

  find(tree: number, node: number): number | undefined {
    if (this.#first === undefined) return this.#table.get(`${tree}:${node}`);
    const at = this.#first.get(tree)! + node;
    return this.#trees[at] === tree && this.#numbers[at] === node ? at : undefined;
  }
}

function firstPlaces(trees: readonly number[], numbers: readonly number[]): Map<number, number> | undefined {
  const first = new Map<number, number>();
  for (let at = 0; at < trees.length; at++) {
    const tree = trees[at]!;
    if (at === 0 || trees[at - 1] !== tree) {
      if (first.has(tree)) return undefined;
      first.set(tree, at);
    }
    if (numbers[at] !== at - first.get(tree)!) return undefined;
  }
  return first;
}
