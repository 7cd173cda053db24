import { drawImportance, featureName, shortNumber } from '@brezel/explain-svg';
import type { ClassImportance, ContributionOptions, Importance, RegisteredPlan, Row, Runtime } from '@brezel/runtime';
import { createFlour, createRuntime } from 'brezel';
import { type Command, Option } from 'commander';
import { type BackgroundFlags, backgroundFlag, backgroundOf, samplesFlag, samplingOf } from '../background-rows.js';
import { cliError } from '../errors.js';
import {
  classFlag,
  countOf,
  type ExplanationFlags,
  explanationJson,
  explanationOptions,
  ofFlag,
} from '../explanation-flags.js';
import { STANDARD_STREAM, writeStandardOutput, writeText } from '../files.js';
import { choicesOf, type ImportFlags, withImportFlags } from '../import-flags.js';
import { attempt } from '../models.js';
import { withLine } from '../rows/answer-rows.js';
import { EXPLAINED_AT_ONCE, rowGroups } from '../rows/row-groups.js';
import { extraFieldsOption, missingOption, type RowFlags, rowOptions } from '../rows/row-options.js';
import type { NumberedRow } from '../rows/rows.js';
import { registeredPlan } from '../sources.js';
import { columns, printable } from '../text/table.js';

interface ImportanceFlags extends ImportFlags, RowFlags, ExplanationFlags, BackgroundFlags {
  readonly input: string;
  readonly csv?: true;
  readonly json?: true;
  /** The path of a file, or true for standard output. */
  readonly svg?: string | true;
  readonly top: string;
  readonly sample: string;
  readonly seed: string;
}

const help = `
The importance of a feature is the mean of its absolute contributions over all rows. The command
explains every row, and reads the rows as a stream. Without --class, it lists each class of the first
output with several numbers. --svg draws a beeswarm for the last of these classes, with the contributions in a sample
of the rows. The same seed draws the same sample.`;

/** Adds `brezel importance MODEL`, which says how much each feature matters over many rows. */
export function addImportance(program: Command): void {
  const command = program
    .command('importance')
    .summary('show which features matter most over many rows')
    .description('Shows how much each feature changes the score over many rows: mean absolute contributions.')
    .argument(
      '<model>',
      'model file (ONNX, LightGBM, XGBoost, ML.NET, PMML), or a plan of a fleet file: fleet.brezel#plan',
    )
    .option('-i, --input <file>', 'rows, one JSON object per line; - is standard input', STANDARD_STREAM)
    .option('--csv', 'rows are CSV with a header')
    .option('--json', 'print JSON, for tools')
    .addOption(
      new Option('--svg [file]', 'draw a beeswarm into a .svg file; default: standard output').conflicts('json'),
    )
    .option(...ofFlag)
    .option(...classFlag)
    .option(...backgroundFlag)
    .option(...samplesFlag)
    .option('--top <count>', 'how many features to list, the most important first', '15')
    .option('--sample <count>', 'with --svg: the number of sampled rows', '300')
    .option('--seed <integer>', 'with --svg or --samples: the seed of the sample and of the random orders', '1')
    .addOption(missingOption('accept'))
    .addOption(extraFieldsOption());
  withImportFlags(command, 'rows').addHelpText('after', help).action(run);
}

async function run(path: string, flags: ImportanceFlags): Promise<void> {
  const { svg, json, input } = flags;
  const [top, sample, seed] = (['top', 'sample', 'seed'] as const).map((name) => countOf(flags[name], `--${name}`));
  if (typeof svg === 'string' && svg !== STANDARD_STREAM && !svg.endsWith('.svg'))
    throw cliError('ERR_CLI_USAGE', { expected: 'a file that ends in .svg', received: svg, at: '--svg' });
  const sampling = samplingOf(flags, seed);
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store, isolated: true });
  const plan = await registeredPlan(path, flour, runtime, choicesOf(flags), rowOptions(flags));
  const label = input === STANDARD_STREAM ? 'standard input' : input;
  const background = await backgroundOf(runtime, plan, flags);
  const choice = { ...explanationOptions(plan, flags, top, background), ...sampling };
  const options = svg === undefined ? choice : { ...choice, ...(await drawn(runtime, plan, choice)), sample, seed };
  const found = await attempt(label, async () => {
    const lines = new RowLines();
    const rows = rowsOf(flags, label, plan, lines);
    return runtime.importance(plan, rows, options).catch((cause) => Promise.reject(lines.located(cause)));
  });
  if (found.rows === 0) throw cliError('ERR_CLI_ROW', { expected: 'at least one row', received: 'none', at: label });
  if (svg !== undefined) {
    const picture = drawImportance(found.classes[0]!, { title: titleOf(found, seed!), top: top! });
    return writeText(svg === true ? STANDARD_STREAM : svg, `${picture}\n`);
  }
  await writeStandardOutput(json ? `${explanationJson(found)}\n` : textOf(found));
}

/** Returns the class that the picture shows: the chosen class, or the last class. */
async function drawn(
  runtime: Runtime,
  plan: RegisteredPlan,
  choice: ContributionOptions,
): Promise<Pick<ContributionOptions, 'class'>> {
  const { classes } = await runtime.importance(plan, [], choice);
  return { class: classes.at(-1)!.class };
}

/** Yields the rows of a file, and stops with the error of the first invalid row. */
async function* rowsOf(
  flags: ImportanceFlags,
  label: string,
  plan: RegisteredPlan,
  lines: RowLines,
): AsyncGenerator<Row> {
  for await (const group of rowGroups(flags.input, label, plan.inputs, flags, EXPLAINED_AT_ONCE))
    for (const row of group) {
      if ('error' in row) throw row.error;
      lines.add(row);
      yield row.fields as Row;
    }
}

/**
 * Remembers the last rows that were read. An error of the runtime contains the index of a row; this
 * class finds the line of this row.
 */
class RowLines {
  readonly #last: NumberedRow[] = [];
  #count = 0;

  add(row: NumberedRow): void {
    this.#last[this.#count % EXPLAINED_AT_ONCE] = row;
    this.#count += 1;
  }

  located(cause: unknown): unknown {
    const { row } = (cause as { details?: { row?: number } }).details ?? {};
    const found = row === undefined ? undefined : this.#last[row % EXPLAINED_AT_ONCE];
    return found === undefined ? cause : withLine(cause, found);
  }
}

const elementOf = (output: string, { class: one }: ClassImportance) =>
  one === undefined ? output : `${output}[${one}]`;

const titleOf = ({ output, rows, classes }: Importance, seed: number) =>
  `Importance for ${elementOf(output, classes[0]!)} over ${rows} rows, sample with seed ${seed}`;

const textOf = ({ output, rows, classes }: Importance): string =>
  classes
    .map((one) => {
      const lines = one.features.map((each) => [
        shortNumber(each.importance),
        shortNumber(each.mean),
        `${each.rows}`,
        printable(featureName(each)),
      ]);
      if (one.rest !== 0) lines.push([shortNumber(one.rest), '', '', 'other features']);
      const table = columns([['importance', 'mean', 'rows', 'feature'], ...lines], ['right', 'right', 'right', 'left']);
      return `${printable(elementOf(output, one))}, ${rows} rows\n${table}\n`;
    })
    .join('\n');
