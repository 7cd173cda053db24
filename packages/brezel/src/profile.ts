import { type Program, profileProgram } from '@brezel/flour';
import { type Row, rowBlocks } from '@brezel/runtime';

/** Options of `profile`. */
export interface ProgramProfileOptions {
  /** The number of rows that run together. A smaller number needs less memory. Default 32. */
  readonly batchRows?: number;
}

/**
 * Returns the same program with statistics from sample rows: sizes of texts and vectors, density,
 * and frequencies of n-grams.
 *
 * Oven uses the statistics to select dense or sparse vectors, vector sizes and dictionary layouts,
 * and to estimate the cost of a prediction. Answers do not depend on them.
 *
 * Cost: the reference engine runs all rows, in about 1 ms for each row of text.
 *
 * @throws ERR_RUNTIME_INPUT with the row that does not match the program's inputs.
 * @example
 * const profiled = profile(program, [{ text: 'a good film' }, { text: 'not my taste' }]);
 * profiled.plan().nanosPerRow; // estimated from these rows
 */
export function profile(
  program: Program,
  rows: readonly Row[],
  { batchRows = 32 }: ProgramProfileOptions = {},
): Program {
  return profileProgram(program, batches(program, rows, Math.max(1, Math.floor(batchRows))));
}

function* batches(program: Program, rows: readonly Row[], size: number) {
  const ports = program.inputs.map(({ name, type }) => ({ name: name!, type }));
  for (let from = 0; from < rows.length; from += size) {
    const blocks = rowBlocks(ports, rows.slice(from, from + size));
    yield Object.fromEntries(ports.map(({ name }, index) => [name, blocks[index]!]));
  }
}
