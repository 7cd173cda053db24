import { type Forest, LEAF } from './reference.js';

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** What a leaf holds in a blob: a weight's bits, or the number of a row of weights. */
export interface LeafPayload {
  of(leaf: number): number;
  /** Rows of one weight a target, each different; empty where leaves hold weights. */
  readonly rows: Float32Array;
}

/** One weight a leaf. None is +0: sums start at +0 and never become -0, so adding it changes nothing. */
export function weightPayload(forest: Forest): LeafPayload {
  const of = (leaf: number) => {
    const at = forest.leafStart[leaf]!;
    float[0] = at === forest.leafStart[leaf + 1] ? 0 : forest.leafWeight[at]!;
    return bits[0]!;
  };
  return { of, rows: new Float32Array(0) };
}

/** A weight for every target, +0 where a leaf has none. Equal rows are one: most leaves of a classifier are pure. */
export function rowPayload(forest: Forest): LeafPayload {
  const targets = forest.base.length;
  const table = new RowTable(targets);
  const numbers = new Uint32Array(forest.mode.length);
  const row = new Float32Array(targets);
  for (let node = 0; node < forest.mode.length; node++) {
    if (forest.mode[node] !== LEAF) continue;
    row.fill(0);
    for (let at = forest.leafStart[node]!; at < forest.leafStart[node + 1]!; at++)
      row[forest.leafTarget[at]!] = forest.leafWeight[at]!;
    numbers[node] = table.add(row);
  }
  return { of: (leaf) => numbers[leaf]!, rows: table.rows };
}

/** Distinct rows of float32 numbers, told apart by their bits. */
class RowTable {
  readonly #size: number;
  #rows: Float32Array;
  #bits: Uint32Array;
  #count = 0;
  readonly #known = new Map<number, number[]>(); // hash → rows that have it

  constructor(size: number) {
    this.#size = size;
    this.#rows = new Float32Array(size * 64);
    this.#bits = new Uint32Array(this.#rows.buffer);
  }

  get rows(): Float32Array {
    return this.#rows.subarray(0, this.#count * this.#size);
  }

  add(row: Float32Array): number {
    const wanted = new Uint32Array(row.buffer, row.byteOffset, row.length);
    const hash = wanted.reduce((sum, word) => Math.imul(sum ^ word ^ (word >>> 16), 0x9e3779b1), 1);
    const alike = this.#known.get(hash) ?? [];
    const known = alike.find((at) => wanted.every((word, column) => this.#bits[at * this.#size + column] === word));
    if (known !== undefined) return known;
    if ((this.#count + 1) * this.#size > this.#rows.length) this.#grow();
    this.#rows.set(row, this.#count * this.#size);
    this.#known.set(hash, [...alike, this.#count]);
    return this.#count++;
  }

  #grow(): void {
    const larger = new Float32Array(this.#rows.length * 2);
    larger.set(this.#rows);
    this.#rows = larger;
    this.#bits = new Uint32Array(larger.buffer);
  }
}
