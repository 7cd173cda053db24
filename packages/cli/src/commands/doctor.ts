import { examine } from 'brezel';
import type { Command } from 'commander';
import { cliError } from '../errors.js';
import { writeStandardOutput } from '../files.js';
import { examinationText } from '../text/examination-text.js';

/**
 * Adds `brezel doctor`, which reports what is installed and whether it works. For a part that does
 * not work, it reports what to do.
 */
export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .summary('check the installation: what works, what does not, what to do')
    .description(
      'Tests the addon, the core with a small program, and each provider of each backend with a tiny model in a separate process. Exit code 0 if the core works, with or without addon and backends; otherwise 1.',
    )
    .option('--json', 'print JSON, for tools')
    .action(run);
}

async function run({ json }: { readonly json?: true }): Promise<void> {
  const found = await examine();
  await writeStandardOutput(json ? `${JSON.stringify(found, null, 2)}\n` : examinationText(found));
  if (found.works) return;
  const { why, remedy } = found.node.works ? found.core : found.node;
  throw cliError('ERR_CLI_DOCTOR', { received: why!, hint: remedy! });
}
