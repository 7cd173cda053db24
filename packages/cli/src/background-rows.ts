import type { ContributionOptions, RegisteredPlan, Row, Runtime } from '@brezel/runtime';
import { cliError } from './errors.js';
import { countOf } from './explanation-flags.js';
import { STANDARD_STREAM } from './files.js';
import { attempt } from './models.js';
import { answerRows, fieldsOf } from './rows/answer-rows.js';
import { rowGroups, validRows } from './rows/row-groups.js';
import type { RowFlags } from './rows/row-options.js';
import type { NumberedRow } from './rows/rows.js';

export const backgroundFlag = [
  '--background <file>',
  'explain each row compared with the rows of this file, such as 100 training rows, in the format of --input',
] as const;

export const samplesFlag = [
  '--samples <count>',
  'with --background: estimate the explanation of any model, with this number of random orders for each background row',
] as const;

/**
 * Returns the options of a sampled explanation. Without the flag `--samples`, there are none.
 * @throws ERR_CLI_USAGE
 */
export function samplingOf(
  { background, samples }: BackgroundFlags,
  seed: number | undefined,
): Pick<ContributionOptions, 'method' | 'samples' | 'seed'> {
  if (samples === undefined) return {};
  if (background === undefined)
    throw cliError('ERR_CLI_USAGE', { received: '--samples without --background', hint: 'add --background FILE' });
  return { method: 'sampled', samples: countOf(samples, '--samples'), seed };
}

/** The flags from which a command reads background rows. */
export interface BackgroundFlags extends Pick<RowFlags, 'extraFields'> {
  readonly background?: string;
  readonly samples?: string;
  readonly csv?: true;
}

/**
 * The largest number of rows that a command reads. The runtime accepts fewer background rows than
 * this.
 */
const MOST_ROWS = 2 ** 14;

/**
 * Reads the background rows of a command. Returns undefined without the flag `--background`.
 * @throws ERR_CLI_USAGE; ERR_CLI_ROW for an invalid row, with its line; the errors of the runtime
 */
export async function backgroundOf(
  runtime: Runtime,
  plan: RegisteredPlan,
  flags: BackgroundFlags,
): Promise<readonly Row[] | undefined> {
  const { background: path } = flags;
  if (path === undefined) return undefined;
  if (path === STANDARD_STREAM)
    throw cliError('ERR_CLI_USAGE', {
      expected: 'a file',
      received: 'standard input',
      at: '--background',
      hint: 'save the background rows in a file',
    });
  return attempt(path, async () => {
    const rows: NumberedRow[] = [];
    for await (const group of rowGroups(path, path, plan.inputs, flags)) {
      const { rows: valid, error } = validRows(group);
      rows.push(...valid);
      if (error !== undefined) throw error;
      if (rows.length > MOST_ROWS) break;
    }
    // A batch without rows only checks its options.
    await answerRows(rows, (some) => runtime.contributionsBatch(plan, [], { background: fieldsOf(some) }));
    return fieldsOf(rows);
  });
}
