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
  /** A use of cells read ahead, or V8 may drop the reads. */
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
    const known = this.#readHomes(nodes, symbols, from, count);
    this.#touched = readAhead(this.#cells, known);
    const open = this.#searchHomes(nodes, symbols, from, known);
    this.#touched ^= readAhead(this.#cells, open);
    for (let at = 0; at < open; at++) {
      const gram = searched[at]!;
      nodes[gram] = this.#probe(nodes[gram]!, symbols[from + gram]!, homes[at]!);
    }
  }

  /** Where to search the grams whose parts are known, of which it returns the number; the nodes of the others become NONE. */
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
      grams[known] = gram; // overwritten by the next one where it is none
      to[known] = (table + bucketAt(hashGram(node, symbol, seed), buckets, scale) * CELLS) & CELL_MASK;
      known = (known + 1 + none) | 0;
    }
    return known;
  }

  /**
   * Compares with the home buckets, and leaves the grams to be searched in the next one: their number is returned. Parents are compared first: those of
   * a bucket nearly always differ.
   */
  #searchHomes(nodes: Int32Array, symbols: Int32Array, from: number, count: number): number {
    const cells = this.#cells;
    const [grams, starts] = [searched, homes];
    let open = 0;
    for (let search = 0; search < count; search++) {
      const gram = grams[search]!;
      const at = starts[search]! & CELL_MASK;
      const parent = nodes[gram]!;
      const symbol = symbols[from + gram]!;
      let slot = 0;
      if (cells[at] === parent && cells[at + 1] === symbol) slot = GRAM_NODES;
      else if (cells[at + 2] === parent && cells[at + 3] === symbol) slot = GRAM_NODES + 1;
      else if (cells[at + 4] === parent && cells[at + 5] === symbol) slot = GRAM_NODES + 2;
      else if (cells[at + 6] === parent && cells[at + 7] === symbol) slot = GRAM_NODES + 3;
      else if (cells[at + 8] === parent && cells[at + 9] === symbol) slot = GRAM_NODES + 4;
      else if (cells[at + OVERFLOW] === 1) {
        grams[open] = gram;
        starts[open++] = this.#next(at);
        continue;
      }
      nodes[gram] = slot === 0 ? NONE : cells[at + slot]!;
    }
    return open;
  }

  #probe(parent: number, symbol: number, home: number): number {
    const cells = this.#cells;
    for (let at = home & CELL_MASK; ; at = this.#next(at) & CELL_MASK) {
      for (let slot = 0; slot < GRAMS_PER_BUCKET; slot++) {
        if (cells[at + slot * 2] === parent && cells[at + slot * 2 + 1] === symbol)
          return cells[at + GRAM_NODES + slot]!;
      }
      if (cells[at + OVERFLOW] !== 1) return NONE;
    }
  }

  #next(bucket: number): number {
    const next = bucket + CELLS;
    return next === this.#table + this.#buckets * CELLS ? this.#table : next;
  }
}
