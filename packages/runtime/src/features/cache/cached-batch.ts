import type { AnswerSink } from '../../execute/answers/answer-sink.js';
import type { RowValues } from '../../execute/answers/answers.js';
import type { Column } from '../../execute/rows/row-schema.js';
import type { CachingEngine } from './cached-answers.js';
import type { PredictionCache } from './prediction-cache.js';
import type { RowKey, RowKeys } from './row-keys.js';

export interface CachedBatchParts<Cached extends object> {
  readonly engine: CachingEngine<Cached>;
  readonly keys: RowKeys;
  readonly cache: PredictionCache<Cached>;
  /**
   * Receives the answers of all rows: the cached answers, and the new answers of the other rows.
   */
  readonly sink: AnswerSink;
}

/**
 * Looks up the rows of one batch in a prediction cache. The cached answers go directly to the sink
 * of the batch. The missing rows, without duplicates, run as a separate batch. This object is the
 * sink of that separate batch: it caches the answers and passes them to the sink of the whole
 * batch.
 */
export class CachedBatch<Cached extends object = object> implements AnswerSink {
  /** Indexes of the rows without a cached answer, in order and without duplicates. */
  readonly missing: number[] = [];
  readonly #parts: CachedBatchParts<Cached>;
  /** Keys of the rows in `missing`, in the same order. */
  readonly #keys: RowKey[] = [];
  /**
   * For each fingerprint, the index in `missing` of the last row with this fingerprint. Different
   * rows may have the same fingerprint.
   */
  readonly #places = new Map<number, number>();
  /** For an index in `missing`: the later rows of the batch that equal this row. */
  readonly #repeats = new Map<number, number[]>();

  constructor(parts: CachedBatchParts<Cached>) {
    this.#parts = parts;
  }

  /**
   * Looks up a block of rows. Also converts the texts in its columns to the form that engines read.
   *
   * @param at index of the first row in the batch
   * @param first index of the first row in the request, for error messages
   */
  lookUp(columns: readonly Column[], at: number, rows: number, first: number): void {
    const { keys, cache } = this.#parts;
    keys.readTexts(columns, first);
    for (let row = 0; row < rows; row++) {
      const key = keys.of(columns, row);
      const cached = cache.get(key);
      if (cached === undefined) this.#miss(at + row, key);
      else this.#answer(at + row, cached);
    }
  }

  /**
   * Caches the answers of missing rows, and passes them to the sink of the whole batch. Equal rows
   * of the batch get the same answer.
   */
  take(values: RowValues, rows: number, at: number): void {
    for (let row = 0; row < rows; row++) this.#put(at + row, this.#parts.engine.copyOf(values, row));
  }

  #put(index: number, cached: Cached): void {
    const { cache, engine } = this.#parts;
    cache.set(this.#keys[index]!, cached, engine.bytesOf(cached));
    this.#answer(this.missing[index]!, cached);
    for (const row of this.#repeats.get(index) ?? []) this.#answer(row, cached);
  }

  #answer(row: number, cached: Cached): void {
    this.#parts.sink.take(this.#parts.engine.values(cached), 1, row);
  }

  #miss(row: number, key: RowKey): void {
    const earlier = this.#places.get(key.fingerprint);
    if (earlier !== undefined && this.#keys[earlier]!.text === key.text) {
      const repeats = this.#repeats.get(earlier);
      if (repeats === undefined) this.#repeats.set(earlier, [row]);
      else repeats.push(row);
      return;
    }
    this.#places.set(key.fingerprint, this.missing.length);
    this.missing.push(row);
    this.#keys.push(key);
  }
}
