import type { QualityStatistics } from '@brezel/core';
import type { RowBlock } from '../../execute/answers/answer-block.js';
import type { AnswerSink, Collect } from '../../execute/answers/answer-sink.js';
import type { Answer } from '../../execute/answers/answers.js';
import type { Call, Execute } from '../../execute/execute.js';
import type { RowList } from '../../execute/rows/copied-rows.js';
import { admit, admitInto, type Column, type Row, type RowSchema } from '../../execute/rows/row-schema.js';
import { Feature, type FeatureParts } from '../feature.js';
import type { InputChecks } from './input-checks.js';

/**
 * The maximal number of rows of one call that are examined, so that the event loop is not blocked
 * for long.
 */
const MOST_ROWS_OF_CALL = 128;

/**
 * Examines one of `sampleEvery` rows after it was answered, and counts missing, unknown and
 * out-of-range values. The plan and its answers are the same as without these counters.
 */
export class QualityCounting extends Feature implements FeatureParts {
  readonly #schema: RowSchema;
  readonly #checks: readonly InputChecks[];
  readonly #every: number;
  /**
   * The number of rows up to and including the next row to examine. With 1, the next row is
   * examined.
   */
  #left = 1;
  #rows = 0;
  /** The columns of the last examined row. The next examined row reuses them. */
  #columns: Column[] | undefined;

  constructor(
    { inputs, ignoresExtraFields = false }: RowSchema,
    checks: readonly InputChecks[],
    every: number,
    next: Execute,
  ) {
    super(next);
    // inputs without checks are marked as unused, so that the examination does not read them
    const examined = inputs.map((port, at) => (checks[at]!.size > 0 ? port : { ...port, unused: true as const }));
    this.#schema = { inputs: examined, ignoresExtraFields };
    this.#checks = checks;
    this.#every = every;
  }

  override row(row: Row, out?: Float64Array, check?: () => void): Answer | Float64Array {
    if (--this.#left > 0) return this.next.row(row, out, check);
    this.#left = this.#every;
    const answer = this.next.row(row, out, check);
    this.#examineRow(row);
    return answer;
  }

  override async rowLater(row: Row, call: Call): Promise<Answer> {
    const answer = await this.next.rowLater(row, call);
    this.answered(row);
    return answer;
  }

  override async rows<Result>(rows: RowList, call: Call, collect: Collect<Result>): Promise<Result> {
    const sampled = this.#sampledOf(rows);
    const answers = await this.next.rows(rows, call, collect);
    for (const row of sampled) this.#examineRow(row);
    return answers;
  }

  override block(block: RowBlock, sink: AnswerSink, at: number): void {
    this.next.block(block, sink, at);
    const { columns, rows } = block;
    const sampled = this.#sampled(rows);
    for (let row = sampled.first; row < rows; row += sampled.step) quietly(() => this.#examine(columns, row));
  }

  answered(row: Row): void {
    if (--this.#left > 0) return;
    this.#left = this.#every;
    this.#examineRow(row);
  }

  answeredRows(rows: RowList): void {
    for (const row of this.#sampledOf(rows)) this.#examineRow(row);
  }

  stats(): { readonly quality: QualityStatistics } {
    const inputs = this.#checks.filter(({ size }) => size > 0).map((checks) => [checks.name, checks.counts()] as const);
    return { quality: { sampleEvery: this.#every, rows: this.#rows, inputs: Object.fromEntries(inputs) } };
  }

  /** Returns the rows of a call that are examined. */
  #sampledOf(rows: RowList): Row[] {
    const { first, step } = this.#sampled(rows.length);
    const sampled: Row[] = [];
    for (let at = first; at < rows.length; at += step) sampled.push(rows.slice(at, at + 1)[0]!);
    return sampled;
  }

  /**
   * Returns which rows of a call are examined: the index of the first examined row, and the
   * distance between examined rows.
   */
  #sampled(rows: number): { readonly first: number; readonly step: number } {
    const first = this.#left - 1;
    if (rows <= first) {
      this.#left -= rows;
      return { first, step: this.#every };
    }
    this.#left = this.#every - ((rows - first - 1) % this.#every);
    return { first, step: Math.max(this.#every, Math.ceil((rows - first) / MOST_ROWS_OF_CALL)) };
  }

  #examineRow(row: Row): void {
    quietly(() => {
      const columns = this.#admit(row);
      this.#examine(columns, 0);
      if (columns.every(isReusable)) this.#columns = columns;
    });
  }

  #admit(row: Row): Column[] {
    const columns = this.#columns;
    if (columns === undefined) return admit(this.#schema, [row]);
    // A getter of the row may call the plan again. The inner call must not write into these
    // columns.
    this.#columns = undefined;
    admitInto(this.#schema, row, columns);
    return columns;
  }

  #examine(columns: readonly Column[], row: number): void {
    for (let at = 0; at < columns.length; at++) {
      const checks = this.#checks[at]!;
      if (checks.size > 0) checks.examine(columns[at]!, row * checks.size);
    }
    this.#rows++;
  }
}

/**
 * Returns whether the next row can overwrite a column. Texts and dictionaries are not reused,
 * because they belong to the caller. A BigInt64Array would make all later integers slow.
 */
const isReusable = (column: Column): boolean => column instanceof Float64Array;

/**
 * Calls `examine` and ignores its errors, because the call already has its answer. Errors are
 * possible: in the meantime, the caller may have changed the row or unregistered the plan, and a
 * getter of the row may throw.
 */
function quietly(examine: () => void): void {
  try {
    examine();
  } catch {
    // the row is not counted
  }
}
