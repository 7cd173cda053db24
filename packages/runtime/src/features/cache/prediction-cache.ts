import { LRUCache } from 'lru-cache';
import type { RowKey } from './row-keys.js';

/** Statistics of a prediction cache. */
export interface CacheStatistics {
  readonly hits: number;
  readonly misses: number;
  /** Number of answers that were evicted. */
  readonly evictions: number;
  readonly entries: number;
  /** Estimated memory of rows and answers, at most `maxBytes`. */
  readonly bytes: number;
  readonly maxBytes: number;
}

interface Entry<Cached> {
  readonly row: string;
  readonly cached: Cached;
}

/**
 * Estimated bytes of an entry without its row and its answer, measured by the growth of the heap.
 */
const ENTRY_BYTES = 300;

/**
 * Caches answers by their rows, and evicts the least recently used entries. A fingerprint finds an
 * entry, and the whole row verifies it. A Map with string keys would be slower, because V8 takes
 * longer to hash the row than many plans take to answer it. If two rows have the same fingerprint,
 * the later one replaces the earlier one.
 */
export class PredictionCache<Cached extends object> {
  readonly #entries: LRUCache<number, Entry<Cached>>;
  readonly #maxBytes: number;
  #hits = 0;
  #misses = 0;
  #evictions = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#entries = new LRUCache<number, Entry<Cached>>({
      maxSize: maxBytes,
      dispose: (_entry, _key, reason) => {
        if (reason === 'evict') this.#evictions++;
      },
    });
  }

  get(key: RowKey): Cached | undefined {
    const cached = this.find(key);
    if (cached === undefined) this.#misses++;
    return cached;
  }

  /**
   * Looks up a row as `get` does, but does not count a miss. It is for callers that look up the row
   * again before they run it.
   */
  find({ text, fingerprint }: RowKey): Cached | undefined {
    const entry = this.#entries.get(fingerprint);
    if (entry === undefined || entry.row !== text) return undefined;
    this.#hits++;
    return entry.cached;
  }

  /**
   * Caches an answer.
   * @param cachedBytes bytes of the answer; an answer larger than `maxBytes` is not cached
   */
  set({ text, fingerprint }: RowKey, cached: Cached, cachedBytes: number): void {
    const copy = Buffer.from(text);
    const rowBytes = copy.length === text.length ? text.length : 2 * text.length;
    const size = ENTRY_BYTES + rowBytes + cachedBytes;
    if (size > this.#maxBytes) return;
    // The text is copied, because the caller's text may be a slice that prevents a whole file from
    // being freed.
    this.#entries.set(fingerprint, { row: copy.toString(), cached }, { size });
  }

  /** Drops the entries for which `isGone` returns true. */
  drop(isGone: (cached: Cached) => boolean): void {
    for (const [fingerprint, { cached }] of [...this.#entries.entries()])
      if (isGone(cached)) this.#entries.delete(fingerprint);
  }

  clear(): void {
    this.#entries.clear();
  }

  stats(): CacheStatistics {
    return {
      hits: this.#hits,
      misses: this.#misses,
      evictions: this.#evictions,
      entries: this.#entries.size,
      bytes: this.#entries.calculatedSize,
      maxBytes: this.#maxBytes,
    };
  }
}
