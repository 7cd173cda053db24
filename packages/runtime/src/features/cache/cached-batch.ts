import type { Answer, RowSink, RowValues } from '../../execute/answers.js';
import type { Column } from '../../execute/row-schema.js';
import type { KeepingEngine } from './cached-answers.js';
import type { PredictionCache } from './prediction-cache.js';
import type { RowKey, RowKeys } from './row-keys.js';

export interface CachedBatchParts<Kept extends object> {
  readonly engine: KeepingEngine<Kept>;
  readonly keys: RowKeys;
  readonly cache: PredictionCache<Kept>;
}

/** The rows of one batch before a prediction cache: answers of those that are kept, and a list of those that must run, each once. */
export class CachedBatch<Kept extends object = object> implements RowSink<Kept> {
  readonly answers: Answer[];
  /** Rows that must run, in their order. */
  readonly missing: number[] = [];
  readonly #parts: CachedBatchParts<Kept>;
  /** Of the missing rows. */
  readonly #keys: RowKey[] = [];
  /** Place of a missing row by its fingerprint; of several rows with one, the last. */
  readonly #places = new Map<number, number>();
  /** Rows that are equal to a missing one before them, by its place. */
  readonly #repeats = new Map<number, number[]>();

  constructor(parts: CachedBatchParts<Kept>, rows: number) {
    this.#parts = parts;
    this.answers = new Array(rows);
  }

  /**
   * Looks rows up. Texts in their columns become what engines read.
   *
   * @param at the batch's row that the first of them is; `first` is its number, for errors.
   */
  lookUp(columns: readonly Column[], at: number, rows: number, first: number): void {
    const { keys, cache, engine } = this.#parts;
    keys.readTexts(columns, first);
    for (let row = 0; row < rows; row++) {
      const key = keys.of(columns, row);
      const kept = cache.get(key);
      if (kept === undefined) this.#miss(at + row, key);
      else this.answers[at + row] = engine.answer(kept);
    }
  }

  read(values: RowValues, row: number): Kept {
    return this.#parts.engine.keep(values, row);
  }

  /** A missing row is answered: keeps that, and answers the rows that are equal to it. */
  put(place: number, kept: Kept): void {
    const { cache, engine } = this.#parts;
    cache.set(this.#keys[place]!, kept, engine.bytesOf(kept));
    this.answers[this.missing[place]!] = engine.answer(kept);
    for (const row of this.#repeats.get(place) ?? []) this.answers[row] = engine.answer(kept);
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
