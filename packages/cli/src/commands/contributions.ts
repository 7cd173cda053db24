import type { Contributions, RegisteredPlan, Row } from '@brezel/runtime';
import { createFlour, createRuntime } from 'brezel';
import type { Command } from 'commander';
import { withLine } from '../answer-rows.js';
import { contributionsText } from '../contributions-text.js';
import { cliError } from '../errors.js';
import { openText, STANDARD_STREAM } from '../files.js';
import { choicesOf, type ImportFlags, withImportFlags } from '../import-flags.js';
import { attempt } from '../models.js';
import { rowGroups } from '../row-groups.js';
import { extraFieldsOption, missingOption, type RowFlags, rowOptions } from '../row-options.js';
import type { NumberedRow } from '../rows.js';
import { registeredPlan } from '../sources.js';

interface ContributionFlags extends ImportFlags, RowFlags {
  readonly input: string;
  readonly output: string;
  readonly csv?: true;
  readonly json?: true;
  readonly of?: string;
  readonly class?: string;
  readonly top: string;
}

const DEFAULT_TOP = 10;

const help = `
An explanation says what each number, category and n-gram of a row adds to the score behind an answer.
Without --of and --class, it is about the greatest class of the first output with several numbers.
Linear models and forests of XGBoost and LightGBM can be explained. The page "Why did the model say
so" of the documentation has the details.`;

/** Adds `brezel contributions MODEL`, which explains answers. */
export function addContributions(program: Command): void {
  const command = program
    .command('contributions')
    .summary('explain why a model answers as it does')
    .description('Explains the answers to rows of JSON or CSV: what each value of a row adds to the score.')
    .argument('<model>', 'model file (ONNX, LightGBM, XGBoost, ML.NET), or a plan of a fleet file: fleet.brezel#plan')
    .option('-i, --input <file>', 'rows, one JSON object per line; - is standard input', STANDARD_STREAM)
    .option('-o, --output <file>', 'file for the explanations; - is standard output', STANDARD_STREAM)
    .option('--csv', 'rows are CSV with a header')
    .option('--json', 'one JSON object per line instead of text')
    .option('--of <output>', 'the output to explain')
    .option('--class <class>', 'the class to explain: the index of an element, or the key of a map')
    .option('--top <count>', 'how many contributions to list, the greatest first', `${DEFAULT_TOP}`)
    .addOption(missingOption('accept'))
    .addOption(extraFieldsOption());
  withImportFlags(command, 'rows').addHelpText('after', help).action(run);
}

async function run(path: string, flags: ContributionFlags): Promise<void> {
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store, isolated: true });
  const plan = await registeredPlan(path, flour, runtime, choicesOf(flags), rowOptions(flags));
  const options = { output: flags.of, class: classOf(plan, flags), top: topOf(flags) };
  const label = flags.input === STANDARD_STREAM ? 'standard input' : flags.input;
  const output = await openText(flags.output);
  const explained = (row: NumberedRow): Contributions => {
    try {
      return runtime.contributions(plan, row.fields as Row, options);
    } catch (cause) {
      throw withLine(cause, row);
    }
  };
  try {
    await attempt(label, async () => {
      for await (const group of rowGroups(flags.input, label, plan.inputs, flags))
        for (const row of group) {
          if ('error' in row) throw row.error;
          const why = explained(row);
          await output.write(flags.json ? `${JSON.stringify(why, asText)}\n` : textOf(row, why));
        }
    });
  } catch (fault) {
    await output.abort();
    throw fault;
  }
  await output.end();
}

/**
 * Replaces NaN, infinities and bigints by texts such as "NaN", which rows also use, because JSON
 * cannot contain them.
 */
const asText = (_: string, value: unknown) =>
  typeof value === 'number' && !Number.isFinite(value) ? `${value}` : typeof value === 'bigint' ? `${value}` : value;

const textOf = (row: NumberedRow, why: Contributions) => contributionsText(`row ${row.line}`, row.fields as Row, why);

/**
 * Returns the class from the flag `--class` as the plan names it: a text if it is a key of a map
 * output, otherwise a number if it consists of digits.
 */
function classOf({ outputs }: RegisteredPlan, { of, class: one }: ContributionFlags): number | string | undefined {
  if (one === undefined) return undefined;
  const keys = outputs.flatMap(({ name, type }) => (type.kind === 'map' && (of ?? name) === name ? type.keys : []));
  return keys.includes(one) || !/^\d+$/.test(one) ? one : Number(one);
}

function topOf({ top }: ContributionFlags): number {
  if (/^\d+$/.test(top)) return Number(top);
  throw cliError('ERR_CLI_USAGE', { expected: 'a whole number', received: top, at: '--top' });
}
