import {
  BUCKET_CELLS,
  bucketOf,
  GRAM_NODES_CELL,
  GRAMS_PER_BUCKET,
  hashGram,
  NONE,
  OVERFLOW_CELL,
} from './dictionary.js';
import { placeEntries } from './place-entries.js';
import type { PlacedTable } from './placed-table.js';

export interface GramTable {
  readonly buckets: number;
  readonly seed: number;
  readonly cells: Int32Array;
}

/**
 * A map from the key of an n-gram (the node of its prefix, and its last symbol) to its node. It
 * collects the n-grams of a dictionary in order of insertion.
 */
export class GramSet {
  size = 0;
  parents = new Int32Array(1024);
  symbols = new Int32Array(1024);
  nodes = new Int32Array(1024);
  #index = new Int32Array(4096); // entry + 1 by hash, linear probing, at most half full

  /** Returns the node of an n-gram, or NONE if the map does not contain it. */
  find(parent: number, symbol: number): number {
    const entry = this.#index[this.#slot(parent, symbol)]!;
    return entry === 0 ? NONE : this.nodes[entry - 1]!;
  }

  /** Adds an n-gram that the map does not contain. */
  add(parent: number, symbol: number, node: number): void {
    if (this.size === this.nodes.length) this.#grow();
    this.#index[this.#slot(parent, symbol)] = this.size + 1;
    this.parents[this.size] = parent;
    this.symbols[this.size] = symbol;
    this.nodes[this.size] = node;
    this.size++;
  }

  #slot(parent: number, symbol: number): number {
    const index = this.#index;
    const mask = index.length - 1;
    let slot = hashGram(parent, symbol, 0) & mask;
    for (let entry = index[slot]!; entry !== 0; entry = index[slot]!) {
      if (this.parents[entry - 1] === parent && this.symbols[entry - 1] === symbol) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #grow(): void {
    this.parents = doubled(this.parents);
    this.symbols = doubled(this.symbols);
    this.nodes = doubled(this.nodes);
    this.#index = new Int32Array(this.nodes.length * 4);
    for (let entry = 0; entry < this.size; entry++) {
      this.#index[this.#slot(this.parents[entry]!, this.symbols[entry]!)] = entry + 1;
    }
  }
}

function doubled(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}

/**
 * Builds the hash table of all n-grams in a set. `frequencyOf` returns how often a node occurred in
 * training, if known.
 */
export function buildGramTable(
  grams: GramSet,
  frequencyOf?: (node: number) => number,
  placedLike?: PlacedTable,
): GramTable {
  const { parents, symbols, nodes, size } = grams;
  const homesOf = (seed: number, buckets: number, homes: Int32Array) => {
    for (let gram = 0; gram < size; gram++)
      homes[gram] = bucketOf(hashGram(parents[gram]!, symbols[gram]!, seed), buckets);
  };
  const frequencies = frequencyOf && Int32Array.from(nodes.subarray(0, size), frequencyOf);
  const existing = placedLike && { table: placedLike, nodes };
  const placement = placeEntries(size, GRAMS_PER_BUCKET, homesOf, frequencies, existing);
  const { seed, buckets, places, overflow } = placement;
  const cells = new Int32Array(buckets * BUCKET_CELLS).fill(NONE);
  for (let bucket = 0; bucket < buckets; bucket++) cells[bucket * BUCKET_CELLS + OVERFLOW_CELL] = overflow[bucket]!;
  for (let gram = 0; gram < size; gram++) {
    const bucket = Math.floor(places[gram]! / GRAMS_PER_BUCKET) * BUCKET_CELLS;
    const slot = places[gram]! % GRAMS_PER_BUCKET;
    cells[bucket + slot * 2] = parents[gram]!;
    cells[bucket + slot * 2 + 1] = symbols[gram]!;
    cells[bucket + GRAM_NODES_CELL + slot] = nodes[gram]!;
  }
  return { buckets, seed, cells };
}
