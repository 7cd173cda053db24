import type { GoldenDifference } from 'brezel';
import { createFlour, createRuntime, ownBackends, replayTestData } from 'brezel';
import { defaultTolerance } from 'brezel/internal';
import { type Command, InvalidArgumentError } from 'commander';
import { type BlackBoxFlag, choicesOf, tensorBoxOption } from '../black-box.js';
import { cliError } from '../errors.js';
import { readBytes, writeStandardOutput } from '../files.js';
import { attempt, loadAnyModel } from '../models.js';
import { type NonFiniteFlag, nonFiniteOption } from '../non-finite.js';
import { replayText } from '../replay-text.js';
import { isFleet, loadFleet } from '../sources.js';
import { columns, count, printable, printBytes } from '../table.js';

const SHOWN_DIFFERENCES = 10;

interface VerifyFlags extends NonFiniteFlag, BlackBoxFlag {
  readonly testData?: string;
  readonly key?: string;
  readonly rtol?: number;
  readonly atol?: number;
  readonly json?: true;
}

const help = `
A fleet file contains golden rows. An ONNX file is compared with ONNX test data:
  $ brezel verify model.onnx --test-data folder
The folder has test_data_set_*/input_*.pb and output_*.pb, one for each input and output. Floats agree
if |received - expected| <= atol + rtol * |expected|; NaN equals NaN. All other values and all shapes
must be equal.`;

/**
 * Adds `brezel verify FILE`, which checks a fleet file against its golden rows, or a model against
 * test data.
 */
export function addVerify(program: Command): void {
  program
    .command('verify')
    .summary('check a fleet file (checksums, plans, golden rows), or a model against test data')
    .description(
      'Checks all checksums and plans of a fleet file, and answers its golden rows: exit code 1 if a bit differs. With --test-data: replays ONNX test data with a model; exit code 1 if an output differs.',
    )
    .argument('<file>', 'fleet file; with --test-data, an ONNX file')
    .option('--key <file>', 'check that the fleet file was signed with the key of this public key (PEM file)')
    .option('--test-data <folder>', 'replay the ONNX test data of this folder')
    .option('--rtol <number>', `relative tolerance of floats (default ${defaultTolerance.rtol})`, tolerance)
    .option('--atol <number>', `absolute tolerance of floats (default ${defaultTolerance.atol})`, tolerance)
    .addOption(tensorBoxOption())
    .addOption(nonFiniteOption())
    .option('--json', 'print JSON, for tools')
    .addHelpText('after', help)
    .action((path: string, flags: VerifyFlags) =>
      flags.testData === undefined ? verifyFleet(path, flags) : verifyModel(path, flags.testData, flags),
    );
}

function tolerance(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (number >= 0) return number;
  throw new InvalidArgumentError('expected a number from 0.');
}

async function verifyModel(path: string, folder: string, flags: VerifyFlags): Promise<void> {
  if (flags.key !== undefined) throw cliError('ERR_CLI_USAGE', { received: '--key with --test-data' });
  if (await isFleet(path)) {
    const hint = 'leave out --test-data: a fleet file has golden rows';
    throw cliError('ERR_CLI_USAGE', { received: 'test data for a fleet file', at: path, hint });
  }
  const { rtol = defaultTolerance.rtol, atol = defaultTolerance.atol } = flags;
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store, backends: ownBackends(), isolated: true });
  const model = await loadAnyModel(path, flour, choicesOf(flags));
  const outputs = await attempt(path, () => replayTestData(model, runtime, folder, { rtol, atol }));
  const blackBoxes = model.kind === 'row' ? 0 : model.program.blackBoxes.length;
  const facts = { file: path, kind: model.kind, blackBoxes, rtol, atol, outputs };
  await writeStandardOutput(flags.json ? `${JSON.stringify(facts, jsonNumber, 2)}\n` : replayText(facts));
  const wrong = outputs.filter(({ agrees }) => !agrees).length;
  if (wrong > 0) {
    const received = `${count(wrong, 'output')} of ${outputs.length}`;
    throw cliError('ERR_CLI_TEST_DATA', { received, at: path });
  }
}

/** Converts infinity to a string, because JSON has no infinity. */
const jsonNumber = (_: string, value: unknown) => (value === Number.POSITIVE_INFINITY ? 'Infinity' : value);

async function verifyFleet(path: string, { json, rtol, atol, key }: VerifyFlags): Promise<void> {
  if (rtol !== undefined || atol !== undefined)
    throw cliError('ERR_CLI_USAGE', { received: '--rtol or --atol without --test-data' });
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
