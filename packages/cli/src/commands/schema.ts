import { type JsonSchemaTarget, jsonSchemaOf } from '@brezel/runtime';
import { createFlour } from 'brezel';
import { type Command, Option } from 'commander';
import { STANDARD_STREAM, writeText } from '../files.js';
import { choicesOf, type ImportFlags, withImportFlags } from '../import-flags.js';
import { extraFieldsOption, missingOption, planWith, type RowFlags } from '../rows/row-options.js';
import { compiledPlan } from '../sources.js';

interface SchemaFlags extends ImportFlags, RowFlags {
  readonly of?: 'row' | 'answer';
  readonly output: string;
  readonly target: JsonSchemaTarget;
}

const targets: readonly JsonSchemaTarget[] = ['draft-2020-12', 'draft-07', 'openapi-3.0'];

/** Adds `brezel schema MODEL`, which prints the JSON Schemas of rows and answers. */
export function addSchema(program: Command): void {
  const command = program
    .command('schema')
    .summary('print the JSON Schemas of rows and answers')
    .description('Prints a JSON object with two JSON Schemas: "row" and "answer".')
    .argument(
      '<model>',
      'model file (ONNX, LightGBM, XGBoost, ML.NET, PMML), or a plan of a fleet file: fleet.brezel#plan',
    )
    .addOption(new Option('--of <part>', 'print one schema only').choices(['row', 'answer']))
    .addOption(new Option('--target <version>', 'version of JSON Schema').choices(targets).default('draft-2020-12'))
    .option('-o, --output <file>', 'file for the schemas; - is standard output', STANDARD_STREAM)
    .addOption(missingOption('refuse'))
    .addOption(extraFieldsOption());
  withImportFlags(command, 'rows').action(run);
}

async function run(path: string, { of, output, target, ...flags }: SchemaFlags): Promise<void> {
  using flour = await createFlour();
  const plan = await compiledPlan(path, flour, choicesOf(flags));
  const view = await planWith(plan, flour, flags).finally(() => plan.release());
  const schemas = jsonSchemaOf(view, { target });
  await writeText(output, `${JSON.stringify(of === undefined ? schemas : schemas[of], null, 2)}\n`);
}
