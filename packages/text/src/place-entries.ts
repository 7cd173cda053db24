import { storeError } from '@brezel/object-store';
import { fmix32 } from './dictionary.js';
import type { PlacedTable } from './placed-table.js';

/**
 * Largest number of buckets that a search for a present key may visit. Random keys need far fewer;
 * keys that were chosen to collide need more.
 */
const MAX_CHAIN = 16;
const MAX_SEEDS = 8;
const FIRST_SEED = 0x42a3c96d;
/**
 * Share of used slots. A search for an absent key visits 1.6 buckets for grams and 2.0 for words.
 * At 0.78 it would visit 2.1 and 3.0, for 8 % less memory.
 */
const LOAD_FACTOR = 0.72;

export interface Placement {
  readonly seed: number;
  readonly buckets: number;
  /** Position of each entry: bucket * slots + slot. */
  readonly places: Int32Array;
  /** 1 if probing continues in the next bucket. */
  readonly overflow: Uint8Array;
}

/**
 * Distributes `entries` over buckets of `slots`, with the first seed that limits every probe chain.
 * At least one slot stays empty, so that probing ends.
 *
 * @param homesOf writes the home bucket of every entry under a seed.
 * @param frequencies how often each entry is looked up, if known. Frequent entries get a slot in
 * their home bucket. Ignored if every seed then gives a chain that is too long.
 * @param existing places to use again.
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

/** The places of entries in an existing table, and the node of each entry. */
export interface ExistingPlaces {
  readonly table: PlacedTable;
  readonly nodes: Int32Array;
}

/** Finds each entry in an existing table, at most `MAX_CHAIN` buckets after its home bucket. */
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

/** Returns the slot of a node in a bucket, or -1. */
function slotOf(table: PlacedTable, first: number, slots: number, node: number): number {
  for (let slot = 0; slot < slots; slot++) if (table.nodeAt(first + slot) === node) return slot;
  return -1;
}

const missingEntry = (received: string) => storeError('ERR_STORE_DICTIONARY', { received });

/**
 * Assigns slots in order of home buckets. This minimizes the longest chain and costs O(entries).
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
 * Assigns slots by decreasing frequency, each in the first bucket with room. Chains of rare entries
 * get longer.
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

/** Sorts entries by home bucket: a stable counting sort. */
function inOrder(homes: Int32Array, buckets: number): Int32Array {
  const next = new Int32Array(buckets + 1);
  for (const home of homes) next[home + 1]!++;
  for (let bucket = 0; bucket < buckets; bucket++) next[bucket + 1]! += next[bucket]!;
  const order = new Int32Array(homes.length);
  for (let entry = 0; entry < homes.length; entry++) order[next[homes[entry]!]!++] = entry;
  return order;
}
