import type { Column } from '../rows/row-schema.js';
import type { AnswerSink } from './answer-sink.js';

/** A block of checked rows. */
export interface RowBlock {
  readonly columns: readonly Column[];
  readonly rows: number;
  /** Index of the block's first row in the request, for error messages. */
  readonly first: number;
  /**
   * A function that the engine calls between operators that run in JavaScript. The function throws
   * to end the call.
   */
  readonly check?: (() => void) | undefined;
}

/**
 * Runs a block of checked rows and passes the answers to the sink. The first row of the block is
 * row `at` of the batch.
 */
export type AnswerBlock = (block: RowBlock, sink: AnswerSink, at: number) => void;
