import { storeError } from '@brezel/object-store';
import { alignedBytes } from './blob-layout.js';
import {
  BUCKET_CELLS,
  Field,
  GRAM_NODES_CELL,
  GRAMS_PER_BUCKET,
  WORD_NODES_CELL,
  WORDS_PER_BUCKET,
} from './dictionary.js';

/** A hash table in an existing dictionary: its seed, its number of buckets and its nodes. */
export interface PlacedTable {
  readonly seed: number;
  readonly buckets: number;
  /** Returns the node at a place. A place is bucket * slots per bucket + slot. */
  nodeAt(place: number): number;
}

/**
 * Returns the word table and the n-gram table of an existing dictionary.
 *
 * @throws ERR_STORE_DICTIONARY when a table is not inside the blob.
 */
export function placedTables(bytes: Uint8Array): { readonly words: PlacedTable; readonly grams: PlacedTable } {
  const blob = alignedBytes(bytes);
  const field = new Uint32Array(blob.buffer, blob.byteOffset, blob.byteLength >> 2);
  const table = (start: number, buckets: number, seed: number, slots: number, nodes: number): PlacedTable => {
    const first = (field[start] ?? 0) >>> 2;
    const count = field[buckets] ?? 0;
    if (first + count * BUCKET_CELLS > field.length)
      throw storeError('ERR_STORE_DICTIONARY', { received: 'a table that ends behind the dictionary' });
    const cellOf = (place: number) => first + Math.floor(place / slots) * BUCKET_CELLS + nodes + (place % slots);
    return { seed: (field[seed] ?? 0) | 0, buckets: count, nodeAt: (place) => field[cellOf(place)]! | 0 };
  };
  return {
    words: table(Field.wordTable, Field.wordBuckets, Field.wordSeed, WORDS_PER_BUCKET, WORD_NODES_CELL),
    grams: table(Field.gramTable, Field.gramBuckets, Field.gramSeed, GRAMS_PER_BUCKET, GRAM_NODES_CELL),
  };
}
