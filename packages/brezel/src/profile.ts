import { type Program, profilePrograms } from '@brezel/flour';
import { type Row, rowBlocks } from '@brezel/runtime';

/** Options of `profile` and `profileFleet`. */
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
 * If other plans share dictionaries with this program, use `profileFleet`: a plan with another
 * order of the dictionary stores its own dictionary and shares no stage that reads it.
 *
 * Cost: the reference engine runs all rows, in about 1 ms for each row of text.
 *
 * @throws ERR_RUNTIME_INPUT with the row that does not match the program's inputs.
 * @example
 * const profiled = profile(program, [{ text: 'a good film' }, { text: 'not my taste' }]);
 * profiled.plan().nanosPerRow; // estimated from these rows
 */
export function profile(program: Program, rows: readonly Row[], options: ProgramProfileOptions = {}): Program {
  return profileFleet([{ program, rows }], options)[0]!;
}

/** A program of `profileFleet`, with sample rows of its requests. */
export interface ProfileMember {
  readonly program: Program;
  /** May be empty. The program then gets only the statistics of operators that it shares. */
  readonly rows: readonly Row[];
}

/**
 * Returns programs with statistics from sample rows, as `profile` does. Operators that several
 * programs share get common statistics, collected over the rows of all these programs. The plans
 * therefore still share stages and dictionaries.
 *
 * Cost: as `profile`, for all rows together.
 *
 * @throws ERR_RUNTIME_INPUT with the row that does not match the inputs of its program.
 * @returns programs in the order of `members`
 * @example
 * const members = [
 *   { program, rows: [{ text: 'a good film' }] },
 *   { program, rows: [{ text: 'not my taste' }] },
 * ];
 * profileFleet(members).length; // 2
 */
export function profileFleet(
  members: readonly ProfileMember[],
  { batchRows = 32 }: ProgramProfileOptions = {},
): Program[] {
  const size = Math.max(1, Math.floor(batchRows));
  return profilePrograms(members.map(({ program, rows }) => ({ program, batches: batches(program, rows, size) })));
}

function* batches(program: Program, rows: readonly Row[], size: number) {
  const ports = program.inputs.map(({ name, type }) => ({ name: name!, type }));
  for (let from = 0; from < rows.length; from += size) {
    const blocks = rowBlocks(ports, rows.slice(from, from + size));
    yield Object.fromEntries(ports.map(({ name }, index) => [name, blocks[index]!]));
  }
}
