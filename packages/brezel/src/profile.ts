import { type Program, profileProgram } from '@brezel/flour';
import { type Row, rowBlocks } from '@brezel/runtime';

export interface ProgramProfileOptions {
  /** Rows that are run at once: fewer take less memory. Default 32. */
  readonly batchRows?: number;
}

/**
 * The same program, with statistics that were taken from sample rows: sizes of texts and vectors, density, how often each n-gram occurs. They decide
 * what is kept dense, how vectors are sized, where dictionaries put frequent n-grams, and what a prediction is expected to cost.
 *
 * Cost: a run of the reference engine over the rows, about a millisecond a row of text.
 * @throws ERR_RUNTIME_INPUT naming the row that does not fit the program's inputs.
 * @example
 * const profiled = profile(program, [{ text: 'a good film' }, { text: 'not my taste' }]);
 * profiled.plan().nanosPerRow; // by what these rows hold
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
    yield Object.fromEntries(ports.map(({ name }, at) => [name, blocks[at]!]));
  }
}
