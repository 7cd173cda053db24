import { LRUCache } from 'lru-cache';
import type { RowKey } from './row-keys.js';

/** Statistics of a cache: of the answers of a plan, or of stage results. */
export interface CacheStatistics {
  readonly hits: number;
  readonly misses: number;
  /** Number of entries that were evicted because the cache was full. */
  readonly evictions: number;
  readonly entries: number;
  /** Estimated memory of all entries with their keys, at most `maxBytes`. */
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
 * Caches the answers of a plan, and evicts the least recently used entries. The key of an entry is
 * a 32-bit fingerprint of the row. A lookup finds the entry by the fingerprint and then compares
 * the whole row. A Map with the rows as keys would be slower: V8 takes longer to hash a row than
 * many plans take to answer it. If two rows have the same fingerprint, the later row replaces the
 * earlier row.
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
   * Looks up a row as `get` does, but does not count a miss. For callers that look up the row a
   * second time before they run it.
   */
  find({ text, fingerprint }: RowKey): Cached | undefined {
    const entry = this.#entries.get(fingerprint);
    if (entry === undefined || entry.row !== text) return undefined;
    this.#hits++;
    return entry.cached;
  }

  /**
   * Caches an answer.
   * @param cachedBytes bytes of the answer. If the whole entry is larger than `maxBytes`, it is not
   * cached.
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

  /** Deletes each entry for which `isGone` returns true. `isGone` receives the cached answer. */
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
