import { type Forest, LEAF } from './reference.js';

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/**
 * What a packed forest stores in each leaf: the bits of its weight, or the index of its row of
 * weights.
 */
export interface LeafPayload {
  of(leaf: number): number;
  /** The distinct rows, each with one weight per target. Empty if leaves hold weights. */
  readonly rows: Float32Array;
}

/**
 * Returns payloads that are weights, for leaves with at most one weight. A leaf without a weight
 * gets +0. Adding +0 changes no sum, because a sum starts at +0 and never becomes -0.
 */
export function weightPayload(forest: Forest): LeafPayload {
  const of = (leaf: number) => {
    const at = forest.leafStart[leaf]!;
    float[0] = at === forest.leafStart[leaf + 1] ? 0 : forest.leafWeight[at]!;
    return bits[0]!;
  };
  return { of, rows: new Float32Array(0) };
}

/**
 * Returns payloads that are indices of rows of weights. A row has one weight per target, or +0 if
 * the leaf has none for the target. Equal rows are stored once, because most leaves of a classifier
 * have a single class.
 */
export function rowPayload(forest: Forest): LeafPayload {
  const targets = forest.base.length;
  const table = new RowTable(targets);
  const numbers = new Uint32Array(forest.mode.length);
  const row = new Float32Array(targets);
  const words = new Uint32Array(row.buffer);
  for (let node = 0; node < forest.mode.length; node++) {
    if (forest.mode[node] !== LEAF) continue;
    row.fill(0);
    for (let at = forest.leafStart[node]!; at < forest.leafStart[node + 1]!; at++)
      row[forest.leafTarget[at]!] = forest.leafWeight[at]!;
    numbers[node] = table.add(words);
  }
  return { of: (leaf) => numbers[leaf]!, rows: table.rows };
}

/**
 * `RowTable` compares a row with at most this many known rows. If it does not find an equal row, it
 * stores the row again, which only makes the blob larger.
 */
const MAX_PROBES = 32;

/**
 * Stores rows of float32 numbers and returns their indices. Two rows are equal if their bits are
 * equal.
 */
class RowTable {
  readonly #size: number;
  #rows: Float32Array;
  #bits: Uint32Array;
  #count = 0;
  /**
   * A hash table of rows. A cell contains the index of a row plus one, or 0 if the cell is empty.
   * If the cell of a row is taken, the row uses one of the following cells.
   */
  #cells = new Uint32Array(256);

  constructor(size: number) {
    this.#size = size;
    this.#rows = new Float32Array(size * 64);
    this.#bits = new Uint32Array(this.#rows.buffer);
  }

  get rows(): Float32Array {
    return this.#rows.subarray(0, this.#count * this.#size);
  }

  /**
   * Returns the index of the row with these bits. Adds the row if the table does not contain it.
   */
  add(row: Uint32Array): number {
    let cell = this.#hash(row, 0) & (this.#cells.length - 1);
    for (let probe = 0; probe < MAX_PROBES && this.#cells[cell] !== 0; probe++) {
      const known = this.#cells[cell]! - 1;
      if (this.#equals(known, row)) return known;
      cell = (cell + 1) & (this.#cells.length - 1);
    }
    if ((this.#count + 1) * this.#size > this.#rows.length) this.#grow();
    this.#bits.set(row, this.#count * this.#size);
    if (this.#cells[cell] === 0) this.#cells[cell] = this.#count + 1;
    return this.#count++;
  }

  #equals(known: number, row: Uint32Array): boolean {
    const start = known * this.#size;
    for (let column = 0; column < row.length; column++) if (this.#bits[start + column] !== row[column]) return false;
    return true;
  }

  #hash(words: Uint32Array, start: number): number {
    let sum = 1;
    for (let column = 0; column < this.#size; column++) {
      const word = words[start + column]!;
      sum = Math.imul(sum ^ word ^ (word >>> 16), 0x9e3779b1);
    }
    return sum ^ (sum >>> 15);
  }

  #grow(): void {
    const larger = new Float32Array(this.#rows.length * 2);
    larger.set(this.#rows);
    this.#rows = larger;
    this.#bits = new Uint32Array(larger.buffer);
    const mask = this.#cells.length * 2 - 1;
    this.#cells = new Uint32Array(mask + 1);
    for (let row = 0; row < this.#count; row++) {
      let cell = this.#hash(this.#bits, row * this.#size) & mask;
      for (let probe = 0; probe < MAX_PROBES && this.#cells[cell] !== 0; probe++) cell = (cell + 1) & mask;
      if (this.#cells[cell] === 0) this.#cells[cell] = row + 1;
    }
  }
}
