import type { InputPort } from '@brezel/core';
import { readPieces } from '../files.js';
import { progressBar } from '../progress.js';
import { csvRows } from './csv-rows.js';
import { type InvalidRow, jsonRows } from './json-rows.js';
import type { NumberedRow } from './rows.js';

/** The number of rows that are answered together. It limits the memory of a command. */
const ROWS_AT_ONCE = 4096;
/** The number of rows that are explained together. An explanation is larger than an answer. */
export const EXPLAINED_AT_ONCE = 256;

export type RowGroup = readonly (NumberedRow | InvalidRow)[];

/**
 * Yields the rows of a file in groups, while it reads the file. Standard input is `-`. A progress
 * bar appears for a long file.
 *
 * @param label the name of the file in the progress bar.
 */
export async function* rowGroups(
  path: string,
  label: string,
  inputs: readonly InputPort[],
  { csv, extraFields }: { readonly csv?: true; readonly extraFields?: 'refuse' | 'ignore' },
  rowsAtOnce = ROWS_AT_ONCE,
): AsyncGenerator<RowGroup> {
  const { source, bytes = 0 } = await readPieces(path);
  using bar = progressBar(label);
  let read = 0;
  const counted = async function* () {
    for await (const piece of source) {
      read += piece.length;
      if (bytes > 0) bar.show(read, bytes, 'read');
      yield piece;
    }
  };
  const rows = csv ? csvRows(counted(), inputs, extraFields === 'ignore') : jsonRows(counted(), inputs);
  yield* groupsOf(rows, rowsAtOnce);
}

/** Collects rows into groups of `size`. */
async function* groupsOf<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let group: T[] = [];
  for await (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/**
 * Returns the rows in front of the first invalid row of a group, and the error of the invalid row.
 */
export function validRows(group: RowGroup): { readonly rows: readonly NumberedRow[]; readonly error?: unknown } {
  const invalid = group.findIndex((row) => 'error' in row);
  if (invalid < 0) return { rows: group as readonly NumberedRow[] };
  return { rows: group.slice(0, invalid) as NumberedRow[], error: (group[invalid] as InvalidRow).error };
}
