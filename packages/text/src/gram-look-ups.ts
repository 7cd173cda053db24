import { bucketAt, homes, readAhead, reserve, scaleOf, searched } from './bucket-search.js';
import {
  BUCKET_CELLS,
  bucketOf,
  Field,
  GRAM_NODES_CELL,
  GRAMS_PER_BUCKET,
  hashGram,
  NONE,
  OVERFLOW_CELL,
} from './dictionary.js';

// V8 compiles a module's own constants to immediates, but reads imported ones from memory at every
// use.
const CELLS = BUCKET_CELLS;
const GRAM_NODES = GRAM_NODES_CELL;
const OVERFLOW = OVERFLOW_CELL;
/**
 * The mask for indices of cells. All indices are below 2^30, so the mask changes none of them, but
 * V8 then omits the overflow check of each sum.
 */
const CELL_MASK = 0x3fffffff;

/**
 * Looks up n-grams that have no direct table. The key of an n-gram is the node of its first n - 1
 * symbols, and its last symbol.
 */
export class GramLookUps {
  readonly #cells: Int32Array;
  /** The index of the cell at which the table starts. */
  readonly #table: number;
  readonly #buckets: number;
  readonly #seed: number;
  /** The result of `readAhead`. It is stored so that V8 does not remove the reads. */
  #touched = 0;

  constructor(cells: Int32Array, fields: Uint32Array) {
    this.#cells = cells;
    this.#table = fields[Field.gramTable]! >>> 2;
    this.#buckets = fields[Field.gramBuckets]!;
    this.#seed = fields[Field.gramSeed]! | 0;
  }

  /**
   * Returns the node of the n-gram that extends the n-gram of node `parent` by `symbol`, or NONE if
   * the table does not contain it.
   */
  find(parent: number, symbol: number): number {
    if (this.#buckets === 0 || (parent | symbol) < 0) return NONE;
    const h = hashGram(parent, symbol, this.#seed);
    return this.#probe(parent, symbol, this.#table + bucketOf(h, this.#buckets) * CELLS);
  }

  /** Extends `count` n-grams by one symbol each: `nodes[g] = find(nodes[g], symbols[from + g])`. */
  extend(nodes: Int32Array, symbols: Int32Array, from: number, count: number): void {
    if (this.#buckets === 0) {
      nodes.fill(NONE, 0, count);
      return;
    }
    reserve(count);
    const known = this.#readHomes(nodes, symbols, from, count);
    this.#touched = readAhead(this.#cells, known);
    const open = this.#searchHomes(nodes, symbols, from, known);
    this.#touched ^= readAhead(this.#cells, open);
    for (let search = 0; search < open; search++) {
      const gram = searched[search]!;
      nodes[gram] = this.#probe(nodes[gram]!, symbols[from + gram]!, homes[search]!);
    }
  }

  /**
   * For each n-gram whose prefix and symbol are in the dictionary, writes its home bucket to
   * `homes`. Returns the number of these n-grams. Sets the nodes of other n-grams to NONE.
   */
  #readHomes(nodes: Int32Array, symbols: Int32Array, from: number, count: number): number {
    const table = this.#table;
    const buckets = this.#buckets;
    const seed = this.#seed;
    const scale = scaleOf(buckets);
    const [grams, to] = [searched, homes];
    let known = 0;
    for (let gram = 0; gram < count; gram++) {
      const node = nodes[gram]!;
      const symbol = symbols[from + gram]!;
      const none = (node | symbol) >> 31; // -1 or 0
      nodes[gram] = node | none;
      grams[known] = gram; // overwritten by the next gram if this one is unknown
      to[known] = (table + bucketAt(hashGram(node, symbol, seed), buckets, scale) * CELLS) & CELL_MASK;
      known = (known + 1 + none) | 0;
    }
    return known;
  }

  /**
   * Compares the keys of the n-grams with the keys in their home buckets. Returns how many n-grams
   * must be searched in the next bucket. It compares parent nodes first, because n-grams in the
   * same bucket nearly always have different parents.
   */
  #searchHomes(nodes: Int32Array, symbols: Int32Array, from: number, count: number): number {
    const cells = this.#cells;
    const [grams, starts] = [searched, homes];
    let open = 0;
    for (let search = 0; search < count; search++) {
      const gram = grams[search]!;
      const bucket = starts[search]! & CELL_MASK;
      const parent = nodes[gram]!;
      const symbol = symbols[from + gram]!;
      let slot = 0;
      if (cells[bucket] === parent && cells[bucket + 1] === symbol) slot = GRAM_NODES;
      else if (cells[bucket + 2] === parent && cells[bucket + 3] === symbol) slot = GRAM_NODES + 1;
      else if (cells[bucket + 4] === parent && cells[bucket + 5] === symbol) slot = GRAM_NODES + 2;
      else if (cells[bucket + 6] === parent && cells[bucket + 7] === symbol) slot = GRAM_NODES + 3;
      else if (cells[bucket + 8] === parent && cells[bucket + 9] === symbol) slot = GRAM_NODES + 4;
      else if (cells[bucket + OVERFLOW] === 1) {
        grams[open] = gram;
        starts[open++] = this.#next(bucket);
        continue;
      }
      nodes[gram] = slot === 0 ? NONE : cells[bucket + slot]!;
    }
    return open;
  }

  #probe(parent: number, symbol: number, home: number): number {
    const cells = this.#cells;
    for (let bucket = home & CELL_MASK; ; bucket = this.#next(bucket) & CELL_MASK) {
      for (let slot = 0; slot < GRAMS_PER_BUCKET; slot++) {
        if (cells[bucket + slot * 2] === parent && cells[bucket + slot * 2 + 1] === symbol)
          return cells[bucket + GRAM_NODES + slot]!;
      }
      if (cells[bucket + OVERFLOW] !== 1) return NONE;
    }
  }

  #next(bucket: number): number {
    const next = bucket + CELLS;
    return next === this.#table + this.#buckets * CELLS ? this.#table : next;
  }
}
