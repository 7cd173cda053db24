import type { CompiledPlan, OutputPort } from '@brezel/core';
import { type Answer, answerFromBlocks, answerFromNumbers, type RowValues } from './answers.js';

/** Receives the answers of a batch from the engine. */
export interface AnswerSink {
  /**
   * Stores the answers to `rows` rows. Row 0 of `values` is row `at` of the batch. Blocks may
   * arrive in any order. The sink copies the values that it needs, because the next block
   * overwrites `values`.
   */
  take(values: RowValues, rows: number, at: number): void;
}

/** A sink that returns the result of the call after the answers to all rows have arrived. */
export interface Collector<Result> extends AnswerSink {
  readonly result: Result;
  /** Stores the answer to a row that ran alone. `row` is its index in the batch. */
  put(row: number, answer: Answer): void;
}

/** Creates the collector for a batch of `rows` rows. The verb selects the form of the result. */
export type Collect<Result> = (rows: number) => Collector<Result>;

/** The fields of a plan that a collector reads. */
export type AnswerShape = Pick<CompiledPlan, 'outputs' | 'width'>;

/** Collects one answer object for each row, in a list. */
export class ListedAnswers implements Collector<Answer[]> {
  readonly result: Answer[];
  readonly #outputs: readonly OutputPort[];
  readonly #width: number;

  constructor({ outputs, width }: AnswerShape, rows: number) {
    this.result = new Array(rows);
    this.#outputs = outputs;
    this.#width = width;
  }

  take(values: RowValues, rows: number, at: number): void {
    for (let row = 0; row < rows; row++) this.result[at + row] = answerOf(this.#outputs, this.#width, values, row);
  }

  put(row: number, answer: Answer): void {
    this.result[row] = answer;
  }
}

/** Returns a function that creates `ListedAnswers` for a plan. */
export const listedAnswers =
  (plan: AnswerShape): Collect<Answer[]> =>
  (rows) =>
    new ListedAnswers(plan, rows);

/** Reads the answer to row `row` from the values of an engine. */
export const answerOf = (outputs: readonly OutputPort[], width: number, values: RowValues, row: number): Answer =>
  values instanceof Float64Array
    ? answerFromNumbers(outputs, values, row * width)
    : answerFromBlocks(outputs, values, row);
