import { sizeOf } from '@brezel/core';
import type { Checksum } from '@brezel/object-store';
import type { AnswerBlock, RowBlock } from '../../execute/answers/answer-block.js';
import { type AnswerSink, answerOf, type Collect } from '../../execute/answers/answer-sink.js';
import type { Answer, RowValues } from '../../execute/answers/answers.js';
import { checkOut } from '../../execute/answers/out-array.js';
import { runBatch } from '../../execute/batch.js';
import type { Call, Execute } from '../../execute/execute.js';
import { columnsOfRow } from '../../execute/native/request-response.js';
import type { RowList } from '../../execute/rows/copied-rows.js';
import { type Column, joinNumbers, type Row } from '../../execute/rows/row-schema.js';
import type { RowExecution } from '../../parallel/executors/batch-target.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import { Feature, type FeatureParts } from '../feature.js';
import type { CachingEngine } from './cached-answers.js';
import { CachedBatch } from './cached-batch.js';
import { CachedExecution, type ExecutorsFor } from './cached-execution.js';
import type { CacheOptions } from './options.js';
import { type CacheStatistics, PredictionCache } from './prediction-cache.js';
import { RowKeys } from './row-keys.js';

/**
 * Adds a prediction cache in front of a plan, so that a repeated row does not run again. A cached
 * answer has the same bits as a new answer, and each caller gets a new object. Errors are not
 * cached.
 */
export class PredictionCaching<Cached extends object = object> extends Feature implements FeatureParts {
  readonly #executorsFor: ExecutorsFor;
  readonly #record: ServedPlan;
  readonly #engine: CachingEngine<Cached>;
  readonly #keys: RowKeys;
  readonly #cache: PredictionCache<Cached>;

  constructor(
    record: ServedPlan,
    engine: CachingEngine<Cached>,
    checksum: Checksum,
    { maxBytes }: CacheOptions,
    executorsFor: ExecutorsFor,
    next: Execute,
  ) {
    super(next);
    this.#executorsFor = executorsFor;
    this.#record = record;
    this.#engine = engine;
    this.#keys = new RowKeys(record.inputs, record.maxInputBytes, checksum);
    this.#cache = new PredictionCache(maxBytes);
  }

  /** Answers one row. Writes the answer into `out` if it is present. */
  override row(row: Row, out?: Float64Array, check?: () => void): Answer | Float64Array {
    const cached = this.#findOrRun(row, check);
    if (out === undefined) return this.#answer(cached);
    checkOut(out, this.#record.width, this.#record.name);
    this.#engine.write(cached, out);
    return out;
  }

  /** Returns the cached answer to a checked row, or undefined. Counts a hit, but not a miss. */
  override cachedAnswer(columns: readonly Column[]): Answer | undefined {
    this.#keys.readTexts(columns, 0);
    const cached = this.#cache.find(this.#keys.of(columns, 0));
    return cached && this.#answer(cached);
  }

  /** Answers a batch. If many rows are not cached, executors run these rows. */
  override rows<Result>(rows: RowList, call: Call, collect: Collect<Result>): Promise<Result> {
    const executors = this.executorsFor(rows.length);
    call.trace?.started(executors === undefined ? 'here' : 'executors');
    if (executors !== undefined) return executors.run(rows, call.watch, call.first, collect);
    const block: AnswerBlock = (...checked) => this.block(...checked);
    return runBatch(this.#record, rows, this.#record.nanosPerRow, block, call, collect);
  }

  override executorsFor(rows: number): RowExecution | undefined {
    if (this.#executorsFor(rows) === undefined) return undefined;
    return new CachedExecution(this.#record, this, this.#executorsFor);
  }

  /**
   * Answers a block of checked rows. Only rows without a cached answer run, and equal rows run
   * once.
   */
  override block(block: RowBlock, sink: AnswerSink, at: number): void {
    const batch = this.batch(sink);
    batch.lookUp(block.columns, at, block.rows, block.first);
    const { missing } = batch;
    if (missing.length === 0) return;
    const inBlock = missing.map((row) => row - at);
    batch.take(this.#runSome(block, inBlock), missing.length, 0);
  }

  /**
   * Creates the object that looks up the rows of one batch. The caller may then run the missing
   * rows on executors.
   */
  batch(sink: AnswerSink): CachedBatch<Cached> {
    return new CachedBatch({ engine: this.#engine, keys: this.#keys, cache: this.#cache, sink });
  }

  /** Runs the missing rows of a batch on this thread. The next run overwrites the result. */
  run(columns: readonly Column[], rows: number, first: number, check?: () => void): RowValues {
    return this.#engine.run(columns, rows, first, check);
  }

  stats(): { readonly cache: CacheStatistics } {
    return { cache: this.#cache.stats() };
  }

  end(): void {
    this.#cache.clear();
  }

  #answer(cached: Cached): Answer {
    const { outputs, width } = this.#record;
    return answerOf(outputs, width, this.#engine.values(cached), 0);
  }

  #findOrRun(row: Row, check?: () => void): Cached {
    const columns = columnsOfRow(this.#record, row);
    this.#keys.readTexts(columns, 0);
    const key = this.#keys.of(columns, 0);
    const found = this.#cache.get(key);
    if (found !== undefined) return found;
    const { floatInput } = this.#record;
    const isCallers = floatInput !== undefined && !floatInput.unused;
    // Runs the numbers of the key, because another thread may change the caller's array after the
    // key was computed.
    const values = this.#engine.run(isCallers ? [this.#keys.numbers] : columns, 1, 0, check);
    const cached = this.#engine.copyOf(values, 0);
    this.#cache.set(key, cached, this.#engine.bytesOf(cached));
    return cached;
  }

  #runSome({ columns, rows, first, check }: RowBlock, some: readonly number[]): RowValues {
    if (some.length === rows) return this.#engine.run(columns, rows, first, check);
    const sizes = this.#record.inputs.map((port) => sizeOf(port.type));
    try {
      const chosen = columns.map((column, input) => pick(column, sizes[input]!, some));
      return this.#engine.run(chosen, some.length, first, check);
    } catch (error) {
      check?.(); // throws if the call has ended, so that the block does not run again
      // runs again to throw the error with the index of the row
      this.#engine.run(columns, rows, first);
      throw error;
    }
  }
}

/** Copies the values of some rows of a column. */
function pick(column: Column, size: number, rows: readonly number[]): Column {
  if (Array.isArray(column)) return rows.flatMap((row) => (column as string[]).slice(row * size, (row + 1) * size));
  const parts = rows.map((row) => column.subarray(row * size, (row + 1) * size));
  return joinNumbers(parts, rows.length * size);
}
