import type { Command } from 'commander';
import type { GoldenDifference } from '../../fleet/golden.js';
import { createFlour } from '../../wire.js';
import { cliError } from '../errors.js';
import { writeStandardOutput } from '../files.js';
import { attempt } from '../models.js';
import { loadFleet } from '../sources.js';
import { columns, count, printable, printBytes } from '../table.js';

const SHOWN_DIFFERENCES = 10;

/** `brezel verify FLEET`: every checksum, and the golden rows again. */
export function addVerify(program: Command): void {
  program
    .command('verify')
    .summary('check a fleet file: every byte, every plan, and its golden rows')
    .description(
      'Checks every byte of a fleet file against its checksums and every plan against its operators, and answers the golden rows again: the same bits, or exit code 1.',
    )
    .argument('<fleet>', 'fleet file')
    .option('--json', 'print JSON, for tools')
    .action(run);
}

async function run(path: string, { json }: { readonly json?: true }): Promise<void> {
  using flour = await createFlour();
  using fleet = await loadFleet(path, flour.store);
  const { plans, rows, differences } = await attempt(path, () => fleet.replay());
  const { bytes, producer, parameters } = fleet;
  const facts = { file: path, bytes, producer, plans, parameters: parameters.length, rows, differences };
  if (json) await writeStandardOutput(`${JSON.stringify(facts, null, 2)}\n`);
  else {
    const table = columns([
      ['plans', `${plans}, packed by ${printable(producer)}`],
      ['parameters', `${count(parameters.length, 'object')}, every checksum is right`],
      [
        'golden rows',
        `${rows}, ${differences.length === 0 ? 'answered with the same bits' : `${count(differences.length, 'number')} differ`}`,
      ],
    ]);
    const different = differences.slice(0, SHOWN_DIFFERENCES).map(differenceText).join('');
    await writeStandardOutput(`${printable(path)}  ${printBytes(bytes)}\n${table}\n${different}`);
  }
  if (differences.length > 0) {
    const received = `${count(differences.length, 'number')} of ${count(rows, 'golden row')}`;
    throw cliError('ERR_CLI_GOLDEN', { received, at: path });
  }
}

const differenceText = ({ plan, row, output, expected, received }: GoldenDifference) =>
  `  ${printable(plan)}, row ${row}${output === '' ? '' : `, ${printable(output)}`}: ${printable(received)} instead of ${printable(expected)}\n`;
