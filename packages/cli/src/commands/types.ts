import { basename } from 'node:path';
import type { OwnedPlan } from '@brezel/core';
import { createFlour, type FlourContext } from 'brezel';
import type { Command } from 'commander';
import { cliError } from '../errors.js';
import { onlyOneStandardInput, STANDARD_STREAM, writeText } from '../files.js';
import { choicesOf, type ImportFlags, withImportFlags } from '../import-flags.js';
import { type NamedModel, typesText } from '../model-types.js';
import type { ModelChoices } from '../models.js';
import { extraFieldsOption, missingOption, planWith, type RowFlags } from '../rows/row-options.js';
import { compiledPlan, isFleet, loadFleet, parseSource } from '../sources.js';

interface TypesFlags extends ImportFlags, RowFlags {
  readonly output: string;
}

const help = `
A model has the name of its file without the extension and without a version behind "@", or the
name in front of "=". All plans of a fleet file have their own names.
  $ brezel types churn.onnx spam=models/v2.onnx -o models.d.ts
    import type { Models } from './models.js';
    const models = registry.typed<Models>();`;

/** Adds `brezel types MODEL... -o models.d.ts`, which writes the types of rows and answers. */
export function addTypes(program: Command): void {
  const command = program
    .command('types')
    .summary('write the TypeScript types of rows and answers')
    .description('Writes a TypeScript declaration file with the types of the rows and the answers of each model.')
    .argument('<models...>', 'model files (ONNX, LightGBM, XGBoost, ML.NET, PMML) or fleet files, as path or name=path')
    .option('-o, --output <file>', 'the declaration file; - is standard output', STANDARD_STREAM)
    .addOption(missingOption('refuse'))
    .addOption(extraFieldsOption());
  withImportFlags(command, 'rows').addHelpText('after', help).action(run);
}

async function run(sources: readonly string[], flags: TypesFlags): Promise<void> {
  const named = sources.map(namedSource);
  onlyOneStandardInput(named.map(({ path }) => path));
  using flour = await createFlour();
  const models: NamedModel[] = [];
  for (const source of named) models.push(...(await modelsOf(source, flour, choicesOf(flags), flags)));
  checkDistinct(models);
  await writeText(flags.output, typesText(models));
}

interface NamedSource {
  readonly name: string | undefined;
  readonly path: string;
}

/** Splits an argument `name=path`. */
function namedSource(argument: string): NamedSource {
  const [, name, path] = /^([^=/\\]+)=(.+)$/s.exec(argument) ?? [];
  return name === undefined ? { name, path: argument } : { name, path: path! };
}

async function modelsOf(
  { name, path }: NamedSource,
  flour: FlourContext,
  choices: ModelChoices,
  flags: RowFlags,
): Promise<readonly NamedModel[]> {
  const source = parseSource(path);
  if (source.plan === undefined && name === undefined && (await isFleet(path))) {
    using fleet = await loadFleet(path, flour.store);
    const models: NamedModel[] = [];
    // One after another: each one creates a runtime.
    for (const plan of fleet.names) models.push(await modelOf(plan, fleet.plan(plan), flour, flags));
    return models;
  }
  return [
    await modelOf(name ?? source.plan ?? nameOfFile(path), await compiledPlan(path, flour, choices), flour, flags),
  ];
}

/** Returns the name, inputs and outputs of a model, and releases its compiled plan. */
async function modelOf(name: string, plan: OwnedPlan, flour: FlourContext, flags: RowFlags): Promise<NamedModel> {
  try {
    return { name, plan: await planWith(plan, flour, flags) };
  } finally {
    plan.release();
  }
}

/**
 * Returns the name of the model in a file, as in watched folders: `churn` for
 * `models/churn@2.onnx`.
 */
const nameOfFile = (path: string) =>
  path === STANDARD_STREAM
    ? 'model'
    : basename(path)
        .replace(/(?<=.)\.\w+$/, '')
        .replace(/(?<=.)@.*$/, '');

function checkDistinct(models: readonly NamedModel[]): void {
  const names = models.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice === undefined) return;
  throw cliError('ERR_CLI_USAGE', {
    received: `two models with the name ${JSON.stringify(twice)}`,
    hint: `give one of them another name: ${twice}2=path`,
  });
}
