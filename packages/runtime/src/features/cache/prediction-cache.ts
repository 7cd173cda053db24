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

/** Estimated memory of an entry without its row and its answer, from the growth of the heap. */
const ENTRY_BYTES = 300;

/**
 * A cache of answers by their rows, with eviction of the least recently used ones. A fingerprint
 * finds an entry, and the whole row verifies it. A string key would be slower, because V8 hashes it
 * for longer than many a prediction takes. Of two rows with one fingerprint the later one stays.
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

  /** Like `get`, but without counting a miss, for callers that look up again before they run. */
  find({ text, fingerprint }: RowKey): Cached | undefined {
    const entry = this.#entries.get(fingerprint);
    if (entry === undefined || entry.row !== text) return undefined;
    this.#hits++;
    return entry.cached;
  }

  /** @param cachedBytes memory of the answer; an answer larger than `maxBytes` is not cached. */
  set({ text, fingerprint }: RowKey, cached: Cached, cachedBytes: number): void {
    const copy = Buffer.from(text);
    const rowBytes = copy.length === text.length ? text.length : 2 * text.length;
    const size = ENTRY_BYTES + rowBytes + cachedBytes;
    if (size > this.#maxBytes) return;
    // Copies the text, because the caller's text may be a slice that holds a whole file in memory.
    this.#entries.set(fingerprint, { row: copy.toString(), cached }, { size });
  }

  /** Drops the entries that a function selects. */
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
