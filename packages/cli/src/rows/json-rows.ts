import type { InputPort } from '@brezel/core';
import { cliError } from '../errors.js';
import { NEWLINE, type NumberedRow, rowDecoder } from './rows.js';

/** A line of the input that is not a valid row, with the reason. */
export interface InvalidRow {
  readonly line: number;
  readonly error: unknown;
}

/**
 * The largest size of a line in bytes. A file without line breaks would otherwise fill the memory.
 */
const MAX_LINE_BYTES = 2 ** 28;

/**
 * Yields the rows of a stream with one JSON object per line, including invalid rows. Skips blank
 * lines.
 */
export async function* jsonRows(
  source: AsyncIterable<Uint8Array>,
  inputs: readonly InputPort[],
): AsyncGenerator<NumberedRow | InvalidRow> {
  const decode = rowDecoder(inputs);
  let line = 0;
  for await (const bytes of linesOf(source)) {
    line += 1;
    let row: NumberedRow | InvalidRow | undefined;
    try {
      row = decode(bytes, line);
    } catch (error) {
      row = { line, error };
    }
    if (row !== undefined) yield row;
  }
}

/**
 * Splits a stream at newlines.
 *
 * @throws ERR_CLI_ROW for a line of more than `MAX_LINE_BYTES`.
 */
async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let size = 0;
  let line = 1;
  for await (const piece of source) {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      parts.push(piece.subarray(start, end));
      yield joined(parts);
      [parts, size, start] = [[], 0, end + 1];
      line += 1;
    }
    parts.push(piece.subarray(start));
    size += piece.length - start;
    if (size > MAX_LINE_BYTES) throw tooLong(line);
  }
  if (size > 0) yield joined(parts);
}

const joined = (parts: readonly Uint8Array[]): Uint8Array => (parts.length === 1 ? parts[0]! : Buffer.concat(parts));

const tooLong = (line: number) =>
  cliError('ERR_CLI_ROW', {
    expected: `at most ${MAX_LINE_BYTES} bytes per line`,
    received: 'a longer line',
    at: `line ${line}`,
    hint: 'write one JSON object per line',
  });
