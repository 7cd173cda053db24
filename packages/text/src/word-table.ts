import { storeError } from '@brezel/object-store';
import {
  BUCKET_BYTES,
  BUCKET_CELLS,
  bucketOf,
  EMPTY_WORD_MARK,
  hashWord,
  LONG_WORD_MARK,
  MAX_WORD_BYTES,
  OVERFLOW_CELL,
  SHORT_WORD_BYTES,
  WORD_NODES_CELL,
  WORDS_PER_BUCKET,
} from './dictionary.js';
import { placeEntries } from './place-entries.js';
import type { PlacedTable } from './placed-table.js';
import { writeUtf8 } from './utf8.js';

/**
 * The number of zero bytes after the long words. Kernels compare whole SIMD registers and may read
 * past the last word.
 */
const POOL_PADDING = 64;

export interface WordTable {
  readonly buckets: number;
  readonly seed: number;
  readonly cells: Int32Array;
  /** The bytes of the long words, with zeros after them. */
  readonly pool: Uint8Array;
  readonly poolBytes: number;
}

/**
 * Words that are padded with zeros to multiples of 16 bytes (see `hashWord`). Word `w` starts at
 * cell `starts[w]` and has `lengths[w]` bytes.
 */
interface PaddedWords {
  readonly cells: Int32Array;
  readonly bytes: Uint8Array;
  readonly starts: Int32Array;
  readonly lengths: Int32Array;
}

/**
 * Builds the hash table of words and their nodes. `frequencyOf` returns how often a node occurred
 * in training, if known. Cost: O(bytes).
 */
export function buildWordTable(
  words: readonly string[],
  nodes: Int32Array,
  frequencyOf?: (node: number) => number,
  placedLike?: PlacedTable,
): WordTable {
  const padded = paddedWords(words);
  const hashes = new Int32Array(words.length);
  const homesOf = (seed: number, buckets: number, homes: Int32Array) => {
    for (let word = 0; word < words.length; word++) {
      const h = hashWord(padded.cells, padded.starts[word]!, padded.lengths[word]!, seed);
      hashes[word] = h;
      homes[word] = bucketOf(h, buckets);
    }
  };
  const frequencies = frequencyOf && nodes.map(frequencyOf);
  const existing = placedLike && { table: placedLike, nodes };
  const placement = placeEntries(words.length, WORDS_PER_BUCKET, homesOf, frequencies, existing);
  const { seed, buckets, places, overflow } = placement;
  const cells = emptyBuckets(buckets);
  for (let bucket = 0; bucket < buckets; bucket++) cells[bucket * BUCKET_CELLS + OVERFLOW_CELL] = overflow[bucket]!;
  const pool = new PoolWriter(padded);
  for (let word = 0; word < words.length; word++) {
    const bucket = Math.floor(places[word]! / WORDS_PER_BUCKET);
    const slot = places[word]! % WORDS_PER_BUCKET;
    const key = bucket * BUCKET_CELLS + slot * 4;
    const start = padded.starts[word]!;
    const length = padded.lengths[word]!;
    if (length <= SHORT_WORD_BYTES) {
      for (let cell = 0; cell < 4; cell++) cells[key + cell] = padded.cells[start + cell]!;
    } else {
      cells[key] = hashes[word]!;
      cells[key + 1] = 0;
      cells[key + 2] = pool.add(start * 4, length);
      cells[key + 3] = length | (LONG_WORD_MARK << 24);
    }
    cells[bucket * BUCKET_CELLS + WORD_NODES_CELL + slot] = nodes[word]!;
  }
  return { buckets, seed, cells, pool: pool.bytes, poolBytes: pool.end };
}

function emptyBuckets(buckets: number): Int32Array {
  const cells = new Int32Array((buckets * BUCKET_BYTES) / 4);
  for (let bucket = 0; bucket < cells.length; bucket += BUCKET_CELLS) {
    for (let slot = 0; slot < WORDS_PER_BUCKET; slot++) cells[bucket + slot * 4 + 3] = EMPTY_WORD_MARK << 24;
  }
  return cells;
}

function paddedWords(words: readonly string[]): PaddedWords {
  let room = 0;
  for (const word of words) room += ((word.length * 3) >> 4) * 16 + 16;
  const bytes = new Uint8Array(room);
  const starts = new Int32Array(words.length);
  const lengths = new Int32Array(words.length);
  let offset = 0;
  for (let word = 0; word < words.length; word++) {
    const end = writeUtf8(words[word]!, bytes, offset);
    const length = end - offset;
    if (length > MAX_WORD_BYTES)
      throw storeError('ERR_STORE_DICTIONARY', {
        received: `a dictionary word of ${length} bytes: the limit is ${MAX_WORD_BYTES}`,
      });
    starts[word] = offset >> 2;
    lengths[word] = length;
    if (length <= SHORT_WORD_BYTES) bytes[offset + 15] = length;
    offset += Math.max(16, (length + 15) & ~15);
  }
  return { cells: new Int32Array(bytes.buffer), bytes, starts, lengths };
}

class PoolWriter {
  readonly bytes: Uint8Array;
  end = 0;
  readonly #source: Uint8Array;

  constructor({ bytes, lengths }: PaddedWords) {
    let room = 0;
    for (const length of lengths) if (length > SHORT_WORD_BYTES) room += length;
    this.bytes = new Uint8Array(room === 0 ? 0 : room + POOL_PADDING);
    this.#source = bytes;
  }

  /** Copies the `length` bytes at `from` to the pool and returns their offset in it. */
  add(from: number, length: number): number {
    const offset = this.end;
    this.bytes.set(this.#source.subarray(from, from + length), offset);
    this.end += length;
    return offset;
  }
}
