import type { Program } from '@brezel/flour';
import { profile } from 'brezel';
import { cliError } from './errors.js';
import { STANDARD_STREAM } from './files.js';
import { attempt } from './models.js';
import { answerRows } from './rows/answer-rows.js';
import { decodeRows } from './rows/rows.js';

/** Help text of `--profile`, which several commands have. */
export const profileHelp = 'adapt the plan to these sample rows, one JSON object per line';

/**
 * Returns the program with statistics of the rows in a file (`--profile`).
 *
 * @throws ERR_CLI_ROW for an invalid row, with its line number, and for a file without rows.
 */
export async function profiled(program: Program, bytes: Uint8Array, file: string): Promise<Program> {
  return attempt(file === STANDARD_STREAM ? 'standard input' : file, async () => {
    const rows = decodeRows(
      bytes,
      program.inputs.map(({ name, type }) => ({ name: name!, type })),
    );
    if (rows.length === 0)
      throw cliError('ERR_CLI_ROW', { expected: 'at least one row', received: 'none', at: '--profile' });
    let result = program;
    await answerRows(rows, async (some) => {
      const seen = profile(
        program,
        some.map((row) => row.fields as never),
      );
      if (some.length === rows.length) result = seen;
      return [];
    });
    return result;
  });
}
