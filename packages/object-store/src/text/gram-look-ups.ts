import { bucketAt, homes, readAhead, reserve, scaleOf } from './bucket-search.js';
import { BUCKET_CELLS, bucketOf, Field, GRAM_NODES_CELL, hashGram, NONE, OVERFLOW_CELL } from './dictionary.js';

// Of its own constants V8 makes immediates; an imported one it reads from memory at every use.
const CELLS = BUCKET_CELLS;
const GRAM_NODES = GRAM_NODES_CELL;
const OVERFLOW = OVERFLOW_CELL;
/** A blob has less than 2^30 cells; saying so spares an overflow check at every sum. */
const CELL_MASK = 0x3fffffff;

/** The n-grams of a dictionary that have no direct table, by the node of their first n - 1 symbols and the last. */
export class GramLookUps {
  readonly #cells: Int32Array;
  /** Where the table starts, in cells. */
  readonly #table: number;
  readonly #buckets: number;
  readonly #seed: number;
  // biome-ignore lint/correctness/noUnusedPrivateClassMembers: a use of cells read ahead, or V8 may drop the reads
  #touched = 0;

  constructor(cells: Int32Array, fields: Uint32Array) {
    this.#cells = cells;
    this.#table = fields[Field.gramTable]! >>> 2;
    this.#buckets = fields[Field.gramBuckets]!;
    this.#seed = fields[Field.gramSeed]! | 0;
  }

  /** Node of the gram that continues the node `parent` with `symbol`, or NONE. Only for sizes above `directMax`. */
  find(parent: number, symbol: number): number {
    if (this.#buckets === 0 || (parent | symbol) < 0) return NONE;
    const h = hashGram(parent, symbol, this.#seed);
    return this.#probe(parent, symbol, this.#table + bucketOf(h, this.#buckets) * CELLS);
  }

  /** Continues `count` grams in place: `nodes[g] = find(nodes[g], symbols[from + g])`. */
  extend(nodes: Int32Array, symbols: Int32Array, from: number, count: number): void {
    if (this.#buckets === 0) {
      nodes.fill(NONE, 0, count);
      return;
    }
    reserve(count);
    const table = this.#table;
    const buckets = this.#buckets;
    const seed = this.#seed;
    const scale = scaleOf(buckets);
    const searches = homes;
    for (let gram = 0; gram < count; gram++) {
      const node = nodes[gram]!;
      const symbol = symbols[from + gram]!;
      let home = 0; // the header: nothing to search
      if ((node | symbol) >= 0)
        home = (table + bucketAt(hashGram(node, symbol, seed), buckets, scale) * CELLS) & CELL_MASK;
      searches[gram] = home;
    }
    this.#touched = readAhead(this.#cells, count);
    for (let gram = 0; gram < count; gram++) {
      const home = searches[gram]!;
      nodes[gram] = home === 0 ? NONE : this.#probe(nodes[gram]!, symbols[from + gram]!, home);
    }
  }

  /** Parents are compared first: those of a bucket nearly always differ. Unrolled, for a search that fails to be free of surprises. */
  #probe(parent: number, symbol: number, home: number): number {
    const cells = this.#cells;
    for (let at = home & CELL_MASK; ; at = this.#next(at) & CELL_MASK) {
      if (cells[at] === parent && cells[at + 1] === symbol) return cells[at + GRAM_NODES]!;
      if (cells[at + 2] === parent && cells[at + 3] === symbol) return cells[at + GRAM_NODES + 1]!;
      if (cells[at + 4] === parent && cells[at + 5] === symbol) return cells[at + GRAM_NODES + 2]!;
      if (cells[at + 6] === parent && cells[at + 7] === symbol) return cells[at + GRAM_NODES + 3]!;
      if (cells[at + 8] === parent && cells[at + 9] === symbol) return cells[at + GRAM_NODES + 4]!;
      if (cells[at + OVERFLOW] !== 1) return NONE;
    }
  }

  #next(bucket: number): number {
    const next = bucket + CELLS;
    return next === this.#table + this.#buckets * CELLS ? this.#table : next;
  }
}
