import { optionNames } from '@brezel/core';
import { runtimeError } from '../../errors.js';
import type { Answer } from '../../execute/answers/answers.js';
import { BLOCK_ROWS } from '../../execute/batch.js';
import type { Row } from '../../execute/rows/row-schema.js';
import { BlockReader, type Source } from './block-reader.js';

/** Options of `predictStream`. */
export interface StreamOptions {
  /** The maximal number of rows in one block; 1 to 256. Default 256. */
  readonly maxBatch?: number;
  /** A signal that ends the stream with its reason, even while the stream waits for the source. */
  readonly signal?: AbortSignal;
  /** False, like no option, yields the answers alone. See `WithContributions`. */
  readonly contributions?: false | undefined;
}

/** The names of the options of `predictStream`. */
export const streamOptionNames = optionNames<StreamOptions>({
  maxBatch: true,
  signal: true,
  contributions: true,
});

/**
 * The rows of a stream, for example an array, a generator, the lines of a file, or a Readable of
 * objects.
 */
export type RowSource<R = Row> = Source<R>;

/** Answers a block of rows. `first` is the index of the block's first row in the stream. */
export type AnswerRows<One = Answer> = (rows: readonly Row[], first: number) => Promise<readonly One[]>;

/**
 * Checks the arguments of a stream.
 * @throws ERR_RUNTIME_INPUT, ERR_RUNTIME_OPTION
 */
export function checkStream(
  plan: string,
  source: RowSource,
  { maxBatch = BLOCK_ROWS }: Pick<StreamOptions, 'maxBatch'>,
): void {
  const isIterable =
    typeof source === 'object' && source !== null && (Symbol.asyncIterator in source || Symbol.iterator in source);
  if (!isIterable) {
    const received = typeof source === 'string' ? 'a string' : String(source);
    throw runtimeError('ERR_RUNTIME_INPUT', { expected: 'an iterable or async iterable of rows', received, at: plan });
  }
  if (Number.isSafeInteger(maxBatch) && maxBatch >= 1 && maxBatch <= BLOCK_ROWS) return;
  throw runtimeError('ERR_RUNTIME_OPTION', {
    expected: `maxBatch from 1 to ${BLOCK_ROWS}`,
    received: String(maxBatch),
    at: plan,
  });
}

/**
 * Yields the answers to rows in order. Reads the next block of rows only after the consumer has
 * taken all answers of the previous block.
 */
export async function* answerStream<One>(
  source: RowSource,
  { maxBatch = BLOCK_ROWS, signal }: Pick<StreamOptions, 'maxBatch' | 'signal'>,
  answerRows: AnswerRows<One>,
): AsyncGenerator<One, void, undefined> {
  const reader = new BlockReader(source, maxBatch, signal);
  let first = 0;
  try {
    for (;;) {
      const rows = await reader.next();
      if (rows.length === 0) return;
      for (const answer of await answerRows(rows, first)) {
        signal?.throwIfAborted();
        yield answer;
      }
      first += rows.length;
    }
  } catch (error) {
    await reader.close().catch(() => {}); // report the first error
    throw error;
  } finally {
    await reader.close();
  }
}
