import type { GoldenDifference } from 'brezel';
import { createFlour } from 'brezel';
import { cliError } from '../errors.js';
import { readBytes, writeStandardOutput } from '../files.js';
import { attempt } from '../models.js';
import { loadFleet } from '../sources.js';
import { columns, count, printable, printBytes } from '../text/table.js';

const SHOWN_DIFFERENCES = 10;

interface FleetFlags {
  readonly key?: string;
  readonly json?: true;
}

/**
 * Verifies a fleet file: its checksums, its plans, its signature and the answers to its golden
 * rows.
 */
export async function verifyFleet(path: string, { json, key }: FleetFlags): Promise<void> {
  using flour = await createFlour();
  const trusted = key === undefined ? {} : { trustedKeys: [(await readBytes(key)).toString('latin1')] };
  using fleet = await loadFleet(path, flour.store, trusted);
  const { plans, rows, differences } = await attempt(path, () => fleet.replay());
  const { bytes, producer, parameters, signedBy } = fleet;
  const facts = { file: path, bytes, producer, signedBy, plans, parameters: parameters.length, rows, differences };
  if (json) await writeStandardOutput(`${JSON.stringify(facts, null, 2)}\n`);
  else {
    const table = columns([
      ['plans', `${plans}, packed by ${printable(producer)}`],
      ...(signedBy === undefined ? [] : [['signature', `of key ${signedBy}`] as const]),
      ['parameters', `${count(parameters.length, 'object')}, all checksums correct`],
      [
        'golden rows',
        `${rows}, ${differences.length === 0 ? 'same bits' : `${count(differences.length, 'number')} differ`}`,
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
