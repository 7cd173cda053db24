import { drawContributions } from '@brezel/explain-svg';
import type { Contributions, RegisteredPlan, Row } from '@brezel/runtime';
import { createFlour, createRuntime } from 'brezel';
import { type Command, Option } from 'commander';
import { type BackgroundFlags, backgroundFlag, backgroundOf, samplesFlag, samplingOf } from '../background-rows.js';
import { cliError } from '../errors.js';
import {
  classFlag,
  contributionTable,
  countOf,
  DEFAULT_TOP,
  type ExplanationFlags,
  explanationJson,
  explanationOptions,
  ofFlag,
} from '../explanation-flags.js';
import { openText, STANDARD_STREAM, writeText } from '../files.js';
import { choicesOf, type ImportFlags, withImportFlags } from '../import-flags.js';
import { attempt } from '../models.js';
import { answerRows, fieldsOf } from '../rows/answer-rows.js';
import { EXPLAINED_AT_ONCE, rowGroups, validRows } from '../rows/row-groups.js';
import { extraFieldsOption, missingOption, type RowFlags, rowOptions } from '../rows/row-options.js';
import type { NumberedRow } from '../rows/rows.js';
import { registeredPlan } from '../sources.js';
import { contributionsText } from '../text/contributions-text.js';

interface ContributionFlags extends ImportFlags, RowFlags, ExplanationFlags, BackgroundFlags {
  readonly input: string;
  readonly output: string;
  readonly csv?: true;
  readonly json?: true;
  readonly toCsv?: true;
  /** The path of a file, or true for standard output. */
  readonly svg?: string | true;
  readonly row?: string;
  readonly top?: string;
  readonly seed?: string;
}

const help = `
An explanation says what each number, category and n-gram of a row adds to the score behind an answer.
Without --of and --class, it is about the greatest class of the first output with several numbers.
Linear models and forests of XGBoost and LightGBM can be explained. With --background, each row is
compared with the rows of a file, and all other forests can be explained too. The page "Why did the
model say so" of the documentation has the details.

With --to-csv, each row is one line, and each number of the inputs has a column with its contribution.
All words of a text have one column together. base, rest and these columns add up to raw.`;

/** Adds `brezel contributions MODEL`, which explains answers. */
export function addContributions(program: Command): void {
  const command = program
    .command('contributions')
    .summary('explain why a model answers as it does')
    .description('Explains the answers to rows of JSON or CSV: what each value of a row adds to the score.')
    .argument(
      '<model>',
      'model file (ONNX, LightGBM, XGBoost, ML.NET, PMML), or a plan of a fleet file: fleet.brezel#plan',
    )
    .option('-i, --input <file>', 'rows, one JSON object per line; - is standard input', STANDARD_STREAM)
    .option('-o, --output <file>', 'file for the explanations; - is standard output', STANDARD_STREAM)
    .option('--csv', 'rows are CSV with a header')
    .option('--json', 'one JSON object per line instead of text')
    .addOption(
      new Option('--to-csv', 'CSV instead of text: one line per row, one column per value').conflicts(['json', 'top']),
    )
    .addOption(
      new Option(
        '--svg [file]',
        'draw the explanation of one row into a .svg file; default: standard output',
      ).conflicts(['json', 'toCsv', 'output']),
    )
    .option('--row <line>', 'with --svg: the line of the row to draw (default: the first row)')
    .option(...ofFlag)
    .option(...classFlag)
    .option(...backgroundFlag)
    .option(...samplesFlag)
    .option('--seed <integer>', 'with --samples: the seed of the random orders (default: 1)')
    .option('--top <count>', `how many contributions to list, the greatest first (default: ${DEFAULT_TOP})`)
    .addOption(missingOption('accept'))
    .addOption(extraFieldsOption());
  withImportFlags(command, 'rows').addHelpText('after', help).action(run);
}

async function run(path: string, flags: ContributionFlags): Promise<void> {
  checkUsage(flags);
  const seed = flags.seed === undefined ? undefined : countOf(flags.seed, '--seed');
  const sampling = samplingOf(flags, seed);
  const top = flags.toCsv ? undefined : countOf(flags.top ?? `${DEFAULT_TOP}`, '--top');
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store, isolated: true });
  const plan = await registeredPlan(path, flour, runtime, choicesOf(flags), rowOptions(flags));
  const background = await backgroundOf(runtime, plan, flags);
  const options = { ...explanationOptions(plan, flags, top, background), ...sampling };
  const label = flags.input === STANDARD_STREAM ? 'standard input' : flags.input;
  const explain = (rows: readonly NumberedRow[]) => runtime.contributionsBatch(plan, fieldsOf(rows), options);
  if (flags.svg !== undefined) {
    const picture = await attempt(label, () => pictureOf(plan, flags, label, explain));
    return writeText(flags.svg === true ? STANDARD_STREAM : flags.svg, `${picture}\n`);
  }
  const { header = '', textOf } = writerOf(plan, flags);
  const output = await openText(flags.output);
  try {
    await attempt(label, async () => {
      await output.write(header);
      for await (const group of rowGroups(flags.input, label, plan.inputs, flags, EXPLAINED_AT_ONCE)) {
        const { rows, error } = validRows(group);
        const whys = rows.length === 0 ? [] : await answerRows(rows, explain);
        await output.write(rows.map((row, at) => textOf(row, whys[at]!)).join(''));
        if (error !== undefined) throw error;
      }
    });
  } catch (fault) {
    await output.abort();
    throw fault;
  }
  await output.end();
}

function checkUsage({ svg, row, seed, samples }: ContributionFlags): void {
  if (seed !== undefined && samples === undefined)
    throw cliError('ERR_CLI_USAGE', { received: '--seed without --samples', hint: 'add --samples COUNT' });
  if (row !== undefined && svg === undefined)
    throw cliError('ERR_CLI_USAGE', { received: '--row without --svg', hint: 'add --svg FILE.svg' });
  if (row !== undefined) countOf(row, '--row');
  if (typeof svg === 'string' && svg !== STANDARD_STREAM && !svg.endsWith('.svg'))
    throw cliError('ERR_CLI_USAGE', { expected: 'a file that ends in .svg', received: svg, at: '--svg' });
}

/** Draws the explanation of one row: of the line `--row`, or of the first row. */
async function pictureOf(
  plan: RegisteredPlan,
  flags: ContributionFlags,
  label: string,
  explain: (rows: readonly NumberedRow[]) => Promise<Contributions[]>,
): Promise<string> {
  const wanted = flags.row === undefined ? undefined : Number(flags.row);
  for await (const group of rowGroups(flags.input, label, plan.inputs, flags, EXPLAINED_AT_ONCE)) {
    const found = group.find(({ line }) => wanted === undefined || line === wanted);
    if (found === undefined) continue;
    const { rows, error } = validRows([found]);
    if (error !== undefined) throw error;
    const [why] = await answerRows(rows, explain);
    return drawContributions(why!, { row: rows[0]!.fields });
  }
  throw cliError('ERR_CLI_ROW', {
    expected: wanted === undefined ? 'at least one row' : `a row in line ${wanted}`,
    received: 'none',
    at: label,
  });
}

interface Writer {
  readonly header?: string;
  textOf(row: NumberedRow, why: Contributions): string;
}

/** Returns how to write explanations: as text, as JSON, or as CSV. */
function writerOf(plan: RegisteredPlan, { json, toCsv }: ContributionFlags): Writer {
  if (json) return { textOf: (_, why) => `${explanationJson(why)}\n` };
  if (!toCsv) return { textOf: (row, why) => contributionsText(`row ${row.line}`, row.fields as Row, why) };
  const { header, line } = contributionTable(plan);
  return { header, textOf: (row, why) => line(row.line, why) };
}
