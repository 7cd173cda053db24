import { LRUCache } from 'lru-cache';
import type { RowKey } from './row-keys.js';

/** What a prediction cache did so far, and holds. */
export interface CacheStatistics {
  readonly hits: number;
  readonly misses: number;
  /** Answers that went to make room for others. */
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
 * Memory of an entry beside its row and its answer: objects and their places in lists. Measured as
 * growth of the heap.
 */
const ENTRY_BYTES = 300;

/**
 * Answers by their rows, the least recently used ones go first. Found by a fingerprint, verified by
 * the whole row: a string as the key would be hashed by V8, which takes longer than many a
 * prediction. Of rows with one fingerprint the last one stays.
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

  /** `get` that counts no miss: for those who will ask again before they run. */
  find({ text, fingerprint }: RowKey): Cached | undefined {
    const entry = this.#entries.get(fingerprint);
    if (entry === undefined || entry.row !== text) return undefined;
    this.#hits++;
    return entry.cached;
  }

  /**
   * @param keptBytes memory of what is kept; an answer that alone is more than `maxBytes` is not.
   */
  set({ text, fingerprint }: RowKey, cached: Cached, cachedBytes: number): void {
    const copy = Buffer.from(text);
    const rowBytes = copy.length === text.length ? text.length : 2 * text.length;
    const size = ENTRY_BYTES + rowBytes + cachedBytes;
    if (size > this.#maxBytes) return;
    // A copy of its own: the caller's text may be a slice, and hold the whole file that it was cut
    // from.
    this.#entries.set(fingerprint, { row: copy.toString(), cached }, { size });
  }

  /** Lets some go. */
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
