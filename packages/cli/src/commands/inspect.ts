import { createFlour, createRuntime, ownBackends } from 'brezel';
import type { Command } from 'commander';
import { writeStandardOutput } from '../files.js';
import { choicesOf, type ImportFlags, withImportFlags } from '../import-flags.js';
import {
  type FileFacts,
  fileFacts,
  type InspectedModel,
  inspectFleet,
  inspectModel,
  inspectPlans,
} from '../inspection.js';
import { attempt, loadShownModel } from '../models.js';
import { isFleet, loadFleet } from '../sources.js';
import { fileText, fleetText, modelsText } from '../text/inspection-text.js';

interface InspectFlags extends ImportFlags {
  readonly json?: true;
  readonly verbose?: true;
}

/**
 * Adds `brezel inspect MODEL...`, which shows the contents of models or fleet files, and what they
 * share.
 */
export function addInspect(program: Command): void {
  const command = program
    .command('inspect')
    .summary('show the contents of models, and what they share')
    .description(
      'Shows inputs, outputs, operators and size of each model. For several models, shows the parameters and stages that they share. For a fleet file, also shows its parts in bytes.',
    )
    .argument('<models...>', 'model files (ONNX, LightGBM, XGBoost, ML.NET, PMML) or fleet files');
  withImportFlags(command, 'rows')
    .option('--verbose', 'show how each ONNX node was converted, and why other strategies did not convert it')
    .option('--json', 'print JSON, for tools')
    .action(run);
}

async function run(paths: readonly string[], flags: InspectFlags): Promise<void> {
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store, backends: ownBackends(), isolated: true });
  const models: InspectedModel[] = [];
  const files: FileFacts[] = [];
  for (const path of paths) {
    if (await isFleet(path)) {
      using fleet = await loadFleet(path, flour.store);
      files.push(fileFacts(fleet));
      models.push(...(await attempt(path, () => inspectPlans(fleet, runtime))));
      continue;
    }
    const model = await loadShownModel(path, flour, choicesOf(flags));
    models.push(await attempt(path, () => inspectModel(path, model, runtime, flags.verbose)));
  }
  const facts = models.map((model) => model.facts);
  const fleet = models.length > 1 ? inspectFleet(models, runtime, flour) : undefined;
  if (flags.json) return writeStandardOutput(`${JSON.stringify({ models: facts, files, fleet }, null, 2)}\n`);
  const texts = [...files.map(fileText), modelsText(facts), ...(fleet ? [fleetText(fleet)] : [])];
  await writeStandardOutput(texts.join('\n'));
}
