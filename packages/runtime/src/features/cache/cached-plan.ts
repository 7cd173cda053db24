import { sizeOf } from '@brezel/core';
import type { Checksum } from '@brezel/object-store';
import type { Answer, RowValues } from '../../execute/answers.js';
import { columnsOfRow } from '../../execute/native/request-response.js';
import type { Column, Row } from '../../execute/row-schema.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import type { KeepingEngine } from './cached-answers.js';
import { CachedBatch } from './cached-batch.js';
import { type CacheStatistics, PredictionCache } from './prediction-cache.js';
import { RowKeys } from './row-keys.js';

export interface CacheOptions {
  /** Estimated memory of kept rows and answers, from 1024 bytes. The least recently used go first. */
  readonly maxBytes: number;
}

/** A plan, and the prediction cache before it where it was registered with one. */
export interface CacheablePlan extends ServedPlan {
  readonly cached?: CachedPlan;
}

interface AdmittedBlock {
  readonly columns: readonly Column[];
  readonly rows: number;
  readonly first: number;
  readonly check: (() => void) | undefined;
}

/**
 * A plan before an engine, with a cache between: rows that were answered before are not run again. Answers are the engine's bits, and objects of
 * the caller's own. An error is never kept.
 */
export class CachedPlan<Kept extends object = object> {
  readonly #record: ServedPlan;
  readonly #engine: KeepingEngine<Kept>;
  readonly #keys: RowKeys;
  readonly #cache: PredictionCache<Kept>;

  constructor(record: ServedPlan, engine: KeepingEngine<Kept>, checksum: Checksum, { maxBytes }: CacheOptions) {
    this.#record = record;
    this.#engine = engine;
    this.#keys = new RowKeys(record.inputs, record.maxInputBytes, checksum);
    this.#cache = new PredictionCache(maxBytes);
  }

  /** Answers one row, into `out` where there is one. */
  predict(row: Row, out?: Float64Array, check?: () => void): Answer | Float64Array {
    const kept = this.#findOrRun(row, check);
    if (out === undefined) return this.#engine.answer(kept);
    this.#engine.write(kept, out);
    return out;
  }

  /** The answer to an admitted row, if it is kept. Counts a hit, or nothing. */
  find(columns: readonly Column[]): Answer | undefined {
    this.#keys.readTexts(columns, 0);
    const kept = this.#cache.find(this.#keys.of(columns, 0));
    return kept && this.#engine.answer(kept);
  }

  /** Answers a block of admitted rows: only those run that are not kept, each once. */
  answerBlock(columns: readonly Column[], rows: number, first: number, check?: () => void): Answer[] {
    const batch = this.batch(rows);
    batch.lookUp(columns, 0, rows, first);
    const { missing } = batch;
    if (missing.length > 0) {
      const values = this.#runSome({ columns, rows, first, check }, missing);
      for (let place = 0; place < missing.length; place++) batch.put(place, batch.read(values, place));
    }
    return batch.answers;
  }

  /** For rows that are answered elsewhere. */
  batch(rows: number): CachedBatch<Kept> {
    return new CachedBatch({ engine: this.#engine, keys: this.#keys, cache: this.#cache }, rows);
  }

  /** Runs rows of a batch that are not kept, on this thread. What it gives is written over by the next run. */
  run(columns: readonly Column[], rows: number, first: number, check?: () => void): RowValues {
    return this.#engine.run(columns, rows, first, check);
  }

  clear(): void {
    this.#cache.clear();
  }

  stats(): CacheStatistics {
    return this.#cache.stats();
  }

  #findOrRun(row: Row, check?: () => void): Kept {
    const columns = columnsOfRow(this.#record, row);
    this.#keys.readTexts(columns, 0);
    const key = this.#keys.of(columns, 0);
    const found = this.#cache.get(key);
    if (found !== undefined) return found;
    const { floatInput } = this.#record;
    const isCallers = floatInput !== undefined && !floatInput.unused;
    // What runs is what the key was made of, whoever else may write into the caller's array.
    const values = this.#engine.run(isCallers ? [this.#keys.numbers] : columns, 1, 0, check);
    const kept = this.#engine.keep(values, 0);
    this.#cache.set(key, kept, this.#engine.bytesOf(kept));
    return kept;
  }

  #runSome({ columns, rows, first, check }: AdmittedBlock, some: readonly number[]): RowValues {
    if (some.length === rows) return this.#engine.run(columns, rows, first, check);
    const sizes = this.#record.inputs.map((port) => sizeOf(port.type));
    try {
      const chosen = columns.map((column, input) => pick(column, sizes[input]!, some));
      return this.#engine.run(chosen, some.length, first, check);
    } catch (error) {
      check?.(); // what came too late does not run again
      this.#engine.run(columns, rows, first); // fails too, and names the row by its number among all
      throw error;
    }
  }
}

/** Some rows of a column. */
function pick(column: Column, size: number, rows: readonly number[]): Column {
  if (Array.isArray(column)) return rows.flatMap((row) => (column as string[]).slice(row * size, (row + 1) * size));
  const picked = new Float64Array(rows.length * size);
  rows.forEach((row, at) => {
    picked.set(column.subarray(row * size, (row + 1) * size), at * size);
  });
  return picked;
}
