import { defaultTolerance } from 'brezel/internal';
import { type Command, InvalidArgumentError } from 'commander';
import { cliError } from '../errors.js';
import { choicesOf, type ImportFlags, withImportFlags } from '../import-flags.js';
import { extraFieldsOption, missingOption, type RowFlags } from '../rows/row-options.js';
import { isFleet } from '../sources.js';
import { verifyFleet } from '../verify/fleet.js';
import { verifyRows } from '../verify/rows.js';
import { verifyTestData } from '../verify/test-data.js';

interface VerifyFlags extends ImportFlags, RowFlags {
  readonly testData?: string;
  readonly rows?: string;
  readonly expected?: string;
  readonly csv?: true;
  readonly key?: string;
  readonly rtol?: number;
  readonly atol?: number;
  readonly json?: true;
}

const help = `
A fleet file contains golden rows. A model, or a plan of a fleet file, is compared with rows and the
answers that you expect, such as answers of the library that trained the model:
  $ brezel verify model.onnx --rows rows.jsonl --expected answers.jsonl
Both files have the formats of brezel predict, and --missing and --extra-fields work as for brezel
predict. Pass --missing refuse if your service registers plans without the option missing. The answers
may omit outputs. The answer {"error": {"code": "ERR_CLI_ROW"}} means that the row must be invalid.

An ONNX file is also compared with ONNX test data: test_data_set_*/input_*.pb and output_*.pb, one for
each input and output:
  $ brezel verify model.onnx --test-data folder

Floats agree if |received - expected| <= atol + rtol * |expected|; NaN equals NaN. All other values and
all shapes must be equal.`;

/**
 * Adds `brezel verify FILE`, which checks a fleet file against its golden rows, or a model against
 * expected answers or test data.
 */
export function addVerify(program: Command): void {
  const command = program
    .command('verify')
    .summary('check a fleet file (checksums, plans, golden rows), or a model against expected answers')
    .description(
      'Checks all checksums and plans of a fleet file, and answers its golden rows: exit code 1 if a bit differs. With --rows and --expected: answers rows with a model; exit code 1 if an answer differs. With --test-data: replays ONNX test data.',
    )
    .argument('<file>', 'fleet file; with --rows or --test-data, a model file; with --rows, fleet.brezel#plan')
    .option('-r, --rows <file>', 'answer these rows, one JSON object per line; - is standard input')
    .option('-x, --expected <file>', 'the expected answers of --rows, one JSON object per line')
    .option('--csv', 'rows are CSV with a header')
    .addOption(missingOption('accept'))
    .addOption(extraFieldsOption())
    .option('--key <file>', 'check that the fleet file was signed with the key of this public key (PEM file)')
    .option('--test-data <folder>', 'replay the ONNX test data of this folder')
    .option('--rtol <number>', `relative tolerance of floats (default ${defaultTolerance.rtol})`, tolerance)
    .option('--atol <number>', `absolute tolerance of floats (default ${defaultTolerance.atol})`, tolerance);
  withImportFlags(command, 'any').option('--json', 'print JSON, for tools').addHelpText('after', help).action(run);
}

function tolerance(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (number >= 0) return number;
  throw new InvalidArgumentError('expected a number from 0.');
}

async function run(path: string, flags: VerifyFlags, command: Command): Promise<void> {
  const { testData, rows, expected, json, ...rest } = flags;
  checkCombination(flags, (name) => command.getOptionValueSource(name) === 'cli');
  const limits = { ...defaultTolerance, ...rest };
  if (rows !== undefined && expected !== undefined)
    return verifyRows(path, { ...flags, rows, expected }, choicesOf(flags), limits);
  if (testData === undefined) return verifyFleet(path, flags);
  if (await isFleet(path)) {
    const hint = 'leave out --test-data: a fleet file has golden rows';
    throw cliError('ERR_CLI_USAGE', { received: 'test data for a fleet file', at: path, hint });
  }
  return verifyTestData(path, testData, choicesOf(flags), limits, json);
}

type FlagName = 'testData' | 'rows' | 'expected' | 'csv' | 'missing' | 'extraFields' | 'key' | 'rtol' | 'atol';

/** Pairs of flags that cannot be combined. */
const excluded: readonly (readonly [FlagName, FlagName])[] = [
  ['key', 'testData'],
  ['key', 'rows'],
  ['rows', 'testData'],
];

/** Flags that need another flag, each with a list: at least one flag of the list must be passed. */
const needed: readonly (readonly [FlagName, readonly FlagName[]])[] = [
  ['rows', ['expected']],
  ['expected', ['rows']],
  ['csv', ['rows']],
  ['missing', ['rows']],
  ['extraFields', ['rows']],
  ['rtol', ['testData', 'rows']],
  ['atol', ['testData', 'rows']],
];

const spelled = (name: FlagName) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/**
 * Checks that the flags of a command can be combined.
 *
 * @param isPassed returns whether the user passed a flag. A flag with a default has a value even if
 * the user did not pass it.
 */
function checkCombination(flags: VerifyFlags, isPassed: (name: FlagName) => boolean): void {
  const both = excluded.find((pair) => pair.every((name) => flags[name] !== undefined));
  if (both !== undefined) throw cliError('ERR_CLI_USAGE', { received: both.map(spelled).join(' with ') });
  const alone = needed.find(([name, any]) => isPassed(name) && any.every((one) => flags[one] === undefined));
  if (alone === undefined) return;
  const [name, any] = alone;
  throw cliError('ERR_CLI_USAGE', { received: `${spelled(name)} without ${any.map(spelled).join(' or ')}` });
}
