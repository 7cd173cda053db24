import { storeError } from '@brezel/object-store';
import { fmix32 } from './dictionary.js';
import type { PlacedTable } from './placed-table.js';

/**
 * A search for a key in the table may visit at most this many buckets. Searches for random keys
 * visit far fewer. Keys that were chosen to collide would need more.
 */
const MAX_CHAIN = 16;
const MAX_SEEDS = 8;
const FIRST_SEED = 0x42a3c96d;
/**
 * The share of the slots of a table that are used. With this share, a search for an absent key
 * visits on average 1.6 buckets for n-grams and 2.0 for words. With 0.78, it would visit 2.1 and
 * 3.0 buckets, for 8 % less memory.
 */
const LOAD_FACTOR = 0.72;

export interface Placement {
  readonly seed: number;
  readonly buckets: number;
  /** The place of each entry: bucket * slots per bucket + slot. */
  readonly places: Int32Array;
  /** For each bucket: 1 if a search must continue in the next bucket, otherwise 0. */
  readonly overflow: Uint8Array;
}

/**
 * Distributes `entries` over buckets with `slots` slots each. Uses the first hash seed with which
 * no search visits too many buckets. At least one slot stays empty, so that every search ends.
 *
 * @param homesOf writes the home bucket of every entry for a given seed.
 * @param frequencies how often each entry is looked up, if known. Frequent entries get a slot in
 * their home bucket. The frequencies are ignored if searches would then be too long with every
 * seed.
 * @param existing another table with these entries. The new table gives them the same places.
 * @throws ERR_STORE_DICTIONARY when every seed fails, because the keys were chosen to collide, or
 * when an entry has no place in the existing table.
 */
export function placeEntries(
  entries: number,
  slots: number,
  homesOf: (seed: number, buckets: number, homes: Int32Array) => void,
  frequencies?: Int32Array,
  existing?: ExistingPlaces,
): Placement {
  const buckets = Math.ceil(entries / (slots * LOAD_FACTOR));
  const homes = new Int32Array(entries);
  if (existing !== undefined) {
    const { seed } = existing.table;
    homesOf(seed, buckets, homes);
    return { seed, buckets, ...placeLike(homes, buckets, slots, existing) };
  }
  let seed = FIRST_SEED;
  for (let attempt = 0; attempt < MAX_SEEDS; attempt++) {
    homesOf(seed, buckets, homes);
    const placed = frequencies ? placeByFrequency(homes, buckets, slots, frequencies) : place(homes, buckets, slots);
    if (placed !== undefined) return { seed, buckets, ...placed };
    seed = fmix32(seed + 0x9e3779b9);
  }
  // Sorting by frequency makes long chains more likely, so in a large table every seed may fail.
  // Tries again without frequencies.
  if (frequencies !== undefined) return placeEntries(entries, slots, homesOf);
  throw storeError('ERR_STORE_DICTIONARY', {
    received: `${entries} dictionary keys collide under ${MAX_SEEDS} hash seeds: they were chosen to do so`,
  });
}

/** A table whose places a new table must have, and the node of each entry. */
export interface ExistingPlaces {
  readonly table: PlacedTable;
  readonly nodes: Int32Array;
}

/**
 * Returns the places of the entries in an existing table. Throws if that table has another number
 * of buckets, or if an entry is not within `MAX_CHAIN` buckets after its home bucket.
 */
function placeLike(
  homes: Int32Array,
  buckets: number,
  slots: number,
  { table, nodes }: ExistingPlaces,
): Pick<Placement, 'places' | 'overflow'> {
  const places = new Int32Array(homes.length);
  const overflow = new Uint8Array(buckets);
  if (table.buckets !== buckets) throw missingEntry(`${table.buckets} buckets instead of ${buckets}`);
  for (let entry = 0; entry < homes.length; entry++) {
    let bucket = homes[entry]!;
    let slot = slotOf(table, bucket * slots, slots, nodes[entry]!);
    for (let passed = 0; slot < 0; passed++) {
      if (passed >= MAX_CHAIN) throw missingEntry(`no entry of node ${nodes[entry]}`);
      overflow[bucket] = 1;
      bucket = (bucket + 1) % buckets;
      slot = slotOf(table, bucket * slots, slots, nodes[entry]!);
    }
    places[entry] = bucket * slots + slot;
  }
  return { places, overflow };
}

/**
 * Returns the slot of a bucket that contains a node, or -1. `first` is the place of the bucket's
 * first slot.
 */
function slotOf(table: PlacedTable, first: number, slots: number, node: number): number {
  for (let slot = 0; slot < slots; slot++) if (table.nodeAt(first + slot) === node) return slot;
  return -1;
}

const missingEntry = (received: string) => storeError('ERR_STORE_DICTIONARY', { received });

/**
 * Places the entries in the order of their home buckets. This makes the longest search as short as
 * possible. Cost: O(entries). Returns undefined if a search would be too long.
 */
function place(homes: Int32Array, buckets: number, slots: number): Pick<Placement, 'places' | 'overflow'> | undefined {
  const places = new Int32Array(homes.length);
  const overflow = new Uint8Array(buckets);
  const used = new Uint8Array(buckets);
  let bucket = 0; // runs past the end: the last buckets overflow into the first
  for (const entry of inOrder(homes, buckets)) {
    const home = homes[entry]!;
    if (bucket < home) bucket = home;
    while (used[bucket % buckets] === slots) {
      if (++bucket - home >= MAX_CHAIN) return undefined;
    }
    const target = bucket % buckets;
    places[entry] = target * slots + used[target]!++;
    for (let passed = home; passed < bucket; passed++) overflow[passed % buckets] = 1;
  }
  return { places, overflow };
}

/**
 * Places the most frequent entries first, each in the first bucket with a free slot. Searches for
 * rare entries become longer. Returns undefined if a search would be too long.
 */
function placeByFrequency(
  homes: Int32Array,
  buckets: number,
  slots: number,
  frequencies: Int32Array,
): Pick<Placement, 'places' | 'overflow'> | undefined {
  const places = new Int32Array(homes.length);
  const overflow = new Uint8Array(buckets);
  const used = new Uint8Array(buckets);
  const order = Uint32Array.from(homes, (_, entry) => entry).sort((a, b) => frequencies[b]! - frequencies[a]! || a - b);
  for (const entry of order) {
    let bucket = homes[entry]!;
    for (let passed = 0; used[bucket] === slots; passed++) {
      if (passed >= MAX_CHAIN) return undefined;
      overflow[bucket] = 1;
      bucket = (bucket + 1) % buckets;
    }
    places[entry] = bucket * slots + used[bucket]!++;
  }
  return { places, overflow };
}

/** Returns the entries sorted by home bucket. Uses a stable counting sort. */
function inOrder(homes: Int32Array, buckets: number): Int32Array {
  const next = new Int32Array(buckets + 1);
  for (const home of homes) next[home + 1]!++;
  for (let bucket = 0; bucket < buckets; bucket++) next[bucket + 1]! += next[bucket]!;
  const order = new Int32Array(homes.length);
  for (let entry = 0; entry < homes.length; entry++) order[next[homes[entry]!]!++] = entry;
  return order;
}
