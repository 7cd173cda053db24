import { Readable } from 'node:stream';
import type { ReadyRoute } from '@brezel/oip';
import { BrezelError, type Row } from 'brezel';
import { type ErrorResponse, hidden, loggedResponse, responseOf } from './error-response.js';
import { httpError } from './errors.js';
import { decodeRow, type JsonParser, parseJson } from './json.js';
import type { JsonAnswers } from './json-answers.js';

export interface LineOptions {
  readonly parse: JsonParser;
  readonly maxLineBytes: number;
  /**
   * Throws an error for a row that the server rejects. Undefined if the server accepts every row.
   */
  readonly check: ((row: unknown) => void) | undefined;
  /** Receives errors whose details are not in the response. */
  readonly log: { error(error: unknown): void };
}

/** A row of the stream, or the reason why its line is not a row. */
type Line = { readonly line: number; readonly row: Row } | { readonly line: number; readonly error: unknown };

/**
 * Answers a stream of rows with a stream of answers, in the same order. Each line of both streams
 * is one JSON value. The answer to an invalid row is an object with the fields `error`, `code` and
 * `line`. Any other error ends the stream; the last line is then an object with `error` and `code`.
 *
 * At most `answers.rowsAtOnce` rows are answered together, which limits the memory of a stream. The
 * server reads the next rows only after the client has read the answers to the previous rows.
 */
export const answerLines = (body: Readable, ready: ReadyRoute, answers: JsonAnswers, options: LineOptions): Readable =>
  Readable.from(answered(body, ready, answers, options), { objectMode: false, highWaterMark: 2 ** 16 });

async function* answered(
  body: Readable,
  ready: ReadyRoute,
  answers: JsonAnswers,
  options: LineOptions,
): AsyncGenerator<string> {
  try {
    for await (const lines of groupsOf(body, ready, answers.rowsAtOnce, options)) yield await textOf(lines, answers);
  } catch (error) {
    yield errorLine(loggedResponse(hidden(error), options.log));
  }
}

/**
 * Reads rows from the lines of the body. Yields lines that arrived together as groups of at most
 * `most` lines.
 */
async function* groupsOf(
  body: Readable,
  ready: ReadyRoute,
  most: number,
  options: LineOptions,
): AsyncGenerator<Line[]> {
  const { inputs } = ready.description;
  let number = 0;
  const read = (bytes: Uint8Array): Line | undefined => {
    number += 1;
    if (!bytes.some((byte) => !BLANKS.has(byte))) return undefined;
    try {
      const row = parseJson(bytes, options.parse);
      options.check?.(row);
      return { line: number, row: decodeRow(row, inputs) };
    } catch (error) {
      return { line: number, error };
    }
  };
  for await (const list of linesOf(body, options.maxLineBytes)) {
    for (let start = 0; start < list.length; start += most) {
      const lines = list.slice(start, start + most).flatMap((bytes) => read(bytes) ?? []);
      if (lines.length > 0) yield lines;
    }
  }
}

const NEWLINE = 10;
/** Space, tab and carriage return. */
const BLANKS: ReadonlySet<number> = new Set([32, 9, 13]);

/**
 * Yields the complete lines of each piece of the body.
 * @throws ERR_HTTP_BODY for a line that is too long.
 */
async function* linesOf(body: Readable, maxLineBytes: number): AsyncGenerator<Uint8Array[]> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    const lines: Uint8Array[] = [];
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      parts.push(piece.subarray(start, end));
      checkLength(size + end - start, maxLineBytes);
      lines.push(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
      [parts, size, start] = [[], 0, end + 1];
    }
    parts.push(piece.subarray(start));
    size += piece.length - start;
    checkLength(size, maxLineBytes);
    if (lines.length > 0) yield lines;
  }
  if (size > 0) yield [Buffer.concat(parts)];
}

function checkLength(size: number, most: number): void {
  if (size > most) throw httpError('ERR_HTTP_BODY', { expected: `at most ${most} bytes in a line` });
}

/**
 * Answers a group of lines, one line of text for each. If the batch fails because of an invalid
 * row, runs the rows one by one, so that each invalid row gets its own error.
 */
async function textOf(lines: readonly Line[], json: JsonAnswers): Promise<string> {
  const rows = lines.flatMap((line) => ('row' in line ? [line.row] : []));
  const answers = await answersOf(rows, json);
  let next = 0;
  const texts = lines.map((line) => {
    const result = 'row' in line ? answers[next++]! : line.error;
    return result instanceof Error ? errorLine(responseOf(result), line.line) : `${result as string}\n`;
  });
  return texts.join('');
}

async function answersOf(rows: readonly Row[], json: JsonAnswers): Promise<readonly (string | Error)[]> {
  try {
    return await json.many(rows);
  } catch (error) {
    if (!isRowError(error)) throw error;
  }
  const answers: (string | Error)[] = [];
  for (const row of rows)
    answers.push(
      await json.one(row).catch((error) => {
        if (isRowError(error)) return error;
        throw error;
      }),
    );
  return answers;
}

const isRowError = (error: unknown): error is BrezelError =>
  error instanceof BrezelError && error.code === 'ERR_RUNTIME_INPUT';

function errorLine({ body }: ErrorResponse, line?: number): string {
  return `${JSON.stringify({ ...body, ...(line !== undefined && { line }) })}\n`;
}
