import type { Batches, BatchStatus } from '@brezel/nats';
import { type Command, InvalidArgumentError } from 'commander';
import { writeStandardOutput } from '../files.js';
import { collectAnswers, type SubmitFlags, submitFile } from '../nats/batch.js';
import { loadNats } from '../serve/load-server.js';
import { parseAddresses } from '../serve/options.js';
import { columns, printable } from '../text/table.js';

const help = `
The rows are stored in a queue of NATS with JetStream (nats-server -js -sd FOLDER), and the servers of the
model answer them: brezel serve --join. Servers and this command may end at any time. Each row is answered
once, and the answers have the order of the rows.
  $ brezel batch submit rows.jsonl --model sentiment --servers nats://HOST:4222 --output answers.jsonl --id night
  $ brezel batch status night --servers nats://HOST:4222
If the command ends before the batch, run the same command again: with the same --id it continues.

The credentials are in the environment: NATS_CREDS is the path of a credentials file. Or use NATS_TOKEN,
or NATS_USER with NATS_PASSWORD. Needs @brezel/nats.`;

interface ServerFlags {
  readonly servers: readonly string[];
}

/** Adds `brezel batch`, which answers files of rows offline. */
export function addBatch(program: Command): void {
  const batch = program
    .command('batch')
    .summary('answer files of rows offline with the servers of a cluster on NATS')
    .description('Answers files of rows offline with the servers of a cluster on NATS.')
    .addHelpText('after', help);
  const command = (name: string, description: string) =>
    batch
      .command(name)
      .description(description)
      .requiredOption('--servers <addresses>', 'nats://HOST:PORT, with commas between several', parseAddresses);
  const output = ['-o, --output <file>', 'file for the answers; - is standard output', '-'] as const;
  command('submit', 'Stores the rows of a file in the queue of a model, and writes the answers in order.')
    .argument('<rows>', 'rows, one JSON object per line; - is standard input')
    .requiredOption('--model <reference>', 'NAME, NAME@VERSION or NAME:ALIAS; one version answers all rows')
    .option('--id <id>', 'id of the batch, to continue it after an error; default: a random id', parseId)
    .option(...output)
    .option('--csv', 'rows are CSV with a header')
    .option('--no-wait', 'end when all rows are in the queue; brezel batch answers writes the answers later')
    .option('--keep', 'do not remove the batch after its answers are written')
    .action((rows: string, flags: SubmitFlags & ServerFlags) =>
      withBatches(flags, (batches) => submitFile(batches, rows, flags)),
    );
  command('answers', 'Writes the answers of a batch in order. Waits for answers that are missing.')
    .argument('<id>', 'id of the batch', parseId)
    .option(...output)
    .option('--keep', 'do not remove the batch after its answers are written')
    .action((id: string, flags: ServerFlags & { readonly output: string; readonly keep?: true }) =>
      withBatches(flags, async (batches) => {
        const { version } = await batches.status(id);
        const { outputs } = await batches.describe(version);
        await collectAnswers(batches, id, outputs, flags);
      }),
    );
  command('status', 'Shows how many chunks of at most 256 rows are answered.')
    .argument('<id>', 'id of the batch', parseId)
    .option('--json', 'write JSON')
    .action((id: string, flags: ServerFlags & { readonly json?: true }) =>
      withBatches(flags, async (batches) => print([await batches.status(id)], flags)),
    );
  command('list', 'Lists the batches.')
    .option('--json', 'write JSON')
    .action((flags: ServerFlags & { readonly json?: true }) =>
      withBatches(flags, async (batches) => print(await batches.list(), flags)),
    );
  command('cancel', 'Removes the rows and the answers of a batch.')
    .argument('<id>', 'id of the batch', parseId)
    .action((id: string, flags: ServerFlags) => withBatches(flags, (batches) => batches.cancel(id)));
}

function parseId(text: string): string {
  if (/^[-\w]{1,64}$/.test(text)) return text;
  throw new InvalidArgumentError('Write 1 to 64 letters, digits, - and _.');
}

/** Opens the batches for one command. */
async function withBatches({ servers }: ServerFlags, use: (batches: Batches) => Promise<void>): Promise<void> {
  const { openBatches } = await loadNats();
  await using batches = await openBatches({ servers });
  await use(batches);
}

async function print(batches: readonly BatchStatus[], { json }: { readonly json?: true }): Promise<void> {
  if (json) return writeStandardOutput(`${JSON.stringify(batches, null, 2)}\n`);
  if (batches.length === 0) return writeStandardOutput('no batches\n');
  const rows = batches.map(({ id, version, state, rows: count = '', chunks = '', answeredChunks }) => [
    id,
    printable(version),
    state,
    `${count}`,
    `${answeredChunks}`,
    `${chunks}`,
  ]);
  await writeStandardOutput(
    `${columns([['batch', 'version', 'state', 'rows', 'answered chunks', 'chunks'], ...rows])}\n`,
  );
}
