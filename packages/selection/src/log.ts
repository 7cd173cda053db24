import type { Missing } from './ask.js';
import type { Vote } from './combine.js';
import { type Json, toJson } from './json.js';

/** An object that accepts lines of text, such as a writable stream of `node:fs`. */
export interface LogTarget {
  write(line: string): unknown;
}

/** A line of the log about a prediction. */
export interface PredictionRecord {
  readonly kind: 'prediction';
  readonly selection: string;
  readonly policy: string;
  readonly query: string;
  readonly context?: string;
  readonly features?: readonly number[];
  /** For each available candidate, the probability that it was asked. */
  readonly probabilities: Readonly<Record<string, number>>;
  /** The answers that arrived in time. */
  readonly answers: Readonly<Record<string, Json>>;
  /** The vote of each answer, if several candidates were asked. */
  readonly votes?: Readonly<Record<string, string | number | boolean>>;
  readonly missing: readonly Pick<Missing, 'candidate' | 'reason'>[];
  readonly isFallback: boolean;
  readonly confidence: number;
}

/** A line of the log about feedback. */
export interface FeedbackRecord {
  readonly kind: 'feedback';
  readonly selection: string;
  readonly query: string;
  /** The loss of each candidate that was asked. */
  readonly losses: Readonly<Record<string, number>>;
  /** The loss of the answer that the caller received. */
  readonly loss: number;
}

/** A line of the log of a selection, parsed. */
export type LogRecord = PredictionRecord | FeedbackRecord;

/**
 * Writes the log of a selection. If the target throws, the selection counts the error and
 * continues.
 */
export class SelectionLog {
  readonly #target: LogTarget | undefined;
  errors = 0;

  constructor(target: LogTarget | undefined) {
    this.#target = target;
  }

  get isOn(): boolean {
    return this.#target !== undefined;
  }

  /**
   * @param record a prediction or feedback. Bigints in its answers become strings, and typed arrays
   * become lists.
   */
  write(record: (Omit<PredictionRecord, 'answers'> & { readonly answers: object }) | FeedbackRecord): void {
    try {
      this.#target?.write(`${toJson(record)}\n`);
    } catch {
      this.errors++;
    }
  }
}

/** Returns the vote of each answer, or undefined if some answer has no vote. */
export function votesOf<Answer>(
  answers: ReadonlyMap<string, Answer>,
  voteOf: (answer: Answer) => Vote,
): Record<string, string | number | boolean> | undefined {
  try {
    const votes = [...answers].map(([name, answer]): [string, string | number | boolean] => {
      const vote = voteOf(answer);
      return [name, typeof vote === 'bigint' ? `${vote}` : vote];
    });
    return Object.fromEntries(votes);
  } catch {
    return undefined;
  }
}
