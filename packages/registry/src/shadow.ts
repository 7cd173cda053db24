import { isDeepStrictEqual } from 'node:util';
import type { Answer, Row } from '@brezel/runtime';
import type { ShadowAnswer, ShadowResult } from './events.js';
import { Split } from './split.js';
import type { Version } from './version.js';

/**
 * The largest number of rows of one batch that a shadow runs. The caller waits while these rows are
 * copied.
 */
const ROWS_OF_A_BATCH = 256;

export interface ShadowParts {
  readonly version: Version;
  /** The fraction of the rows that go to the shadow, from 0 to 1. */
  readonly sample: number;
  /** The maximal number of shadow requests in flight. Further requests are dropped. */
  readonly concurrency: number;
  /** The reference of the alias: `name:alias`. */
  readonly reference: string;
  /** Runs rows on the version of the shadow and returns the answers. */
  ask(version: Version, rows: readonly Row[], asNumbers: boolean): Promise<readonly ShadowAnswer[]>;
  tell(result: ShadowResult): void;
}

/**
 * Runs the rows of an alias on a second version and compares the answers. The caller only waits for
 * a copy of the sampled rows. The shadow runs in a later turn of the event loop. Errors of the
 * shadow are only counted. If too many shadow requests are in flight, new rows are dropped.
 */
export class Shadow {
  readonly version: Version;
  readonly sample: number;
  readonly #parts: ShadowParts;
  readonly #split: Split;
  #underWay = 0;
  compared = 0;
  different = 0;
  failed = 0;
  dropped = 0;

  constructor(parts: ShadowParts) {
    this.#parts = parts;
    this.version = parts.version;
    this.sample = parts.sample;
    this.#split = new Split(parts.sample, 'shadow');
  }

  /**
   * Starts the shadow for a row that `primary` has answered, if the row is sampled. Copies the
   * numbers of an out-array, because its owner may change them.
   */
  offerRow(primary: Version, row: Row, answer: ShadowAnswer, width: number): void {
    if (!this.#split.picks(undefined)) return;
    this.#start(primary, [row], [answer instanceof Float64Array ? answer.slice(0, width) : answer]);
  }

  offerRows(primary: Version, rows: readonly Row[], answers: readonly Answer[]): void {
    const picked: number[] = [];
    for (let row = 0; row < answers.length && picked.length < ROWS_OF_A_BATCH; row++)
      if (this.#split.picks(undefined)) picked.push(row);
    if (picked.length === 0) return;
    this.#start(
      primary,
      picked.map((row) => rows[row]!),
      picked.map((row) => answers[row]!),
    );
  }

  #start(primary: Version, rows: readonly Row[], answers: readonly ShadowAnswer[]): void {
    if (this.#underWay >= this.#parts.concurrency) {
      this.dropped += rows.length;
      return;
    }
    let copies: readonly Row[];
    try {
      // copied, because the caller may change the rows before the shadow reads them
      copies = structuredClone(rows);
    } catch {
      // A value of the row cannot be cloned. The row still has an answer if no stage reads this
      // value.
      this.failed += rows.length;
      return;
    }
    this.#underWay++;
    setImmediate(() => void this.#run(primary, copies, answers));
  }

  /** Runs the shadow and compares its answers. Never rejects. */
  async #run(primary: Version, rows: readonly Row[], answers: readonly ShadowAnswer[]): Promise<void> {
    const result = { alias: this.#parts.reference, primary: primary.reference, shadow: this.version.reference };
    try {
      const shadowAnswers = await this.#parts.ask(this.version, rows, answers[0] instanceof Float64Array);
      rows.forEach((row, at) => {
        const [answer, shadowAnswer] = [answers[at]!, shadowAnswers[at]!];
        const isEqual = isDeepStrictEqual(answer, shadowAnswer);
        this.compared++;
        if (!isEqual) this.different++;
        this.#parts.tell({ ...result, row, answer, shadowAnswer, isEqual });
      });
    } catch (error) {
      this.failed += rows.length;
      for (const [at, row] of rows.entries()) this.#parts.tell({ ...result, row, answer: answers[at]!, error });
    } finally {
      this.#underWay--;
    }
  }
}
