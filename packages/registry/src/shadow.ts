import { isDeepStrictEqual } from 'node:util';
import type { Answer, Row } from '@brezel/runtime';
import type { ShadowAnswer, ShadowResult } from './events.js';
import { Split } from './split.js';
import type { Version } from './version.js';

/** Rows of one batch that a shadow is asked: copies cost the caller's time. */
const ROWS_OF_A_BATCH = 256;

export interface ShadowParts {
  readonly version: Version;
  /** From 0 to 1. */
  readonly sample: number;
  /** Requests to the shadow that may be under way at once; others are dropped. */
  readonly concurrency: number;
  /** Name of the alias. */
  readonly reference: string;
  /** Asks the shadow: later, and apart from the caller. */
  ask(version: Version, rows: readonly Row[], asNumbers: boolean): Promise<readonly ShadowAnswer[]>;
  tell(result: ShadowResult): void;
}

/**
 * A version that is asked what another one answered, to compare. It costs the caller a copy of the
 * sampled rows and nothing else: it is asked in a turn of the event loop of its own, its errors are
 * counted, and what comes while it is busy is dropped.
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

  /** One row that `primary` answered. Numbers in an out-array are the caller's: they are copied. */
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
      copies = structuredClone(rows); // the caller may change them before the shadow reads them
    } catch {
      this.failed += rows.length; // an input that nothing reads may be anything, also what cannot be copied
      return;
    }
    this.#underWay++;
    setImmediate(() => void this.#run(primary, copies, answers));
  }

  /** Never rejects. */
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
