import { createFlour, createRuntime, ownBackends, replayTestData, type Tolerance } from 'brezel';
import { cliError } from '../errors.js';
import { writeStandardOutput } from '../files.js';
import { attempt, loadAnyModel, type ModelChoices } from '../models.js';
import { replayText } from '../text/replay-text.js';
import { count } from '../text/table.js';

/**
 * Runs a model on the inputs in a folder of ONNX test data, and compares its outputs with the
 * expected outputs in the folder.
 * @throws ERR_CLI_TEST_DATA for a difference.
 */
export async function verifyTestData(
  path: string,
  folder: string,
  choices: ModelChoices,
  { rtol, atol }: Tolerance,
  json = false,
): Promise<void> {
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store, backends: ownBackends(), isolated: true });
  const model = await loadAnyModel(path, flour, choices);
  const outputs = await attempt(path, () => replayTestData(model, runtime, folder, { rtol, atol }));
  const blackBoxes = model.kind === 'row' ? 0 : model.program.blackBoxes.length;
  const facts = { file: path, kind: model.kind, blackBoxes, rtol, atol, outputs };
  await writeStandardOutput(json ? `${JSON.stringify(facts, jsonNumber, 2)}\n` : replayText(facts));
  const wrong = outputs.filter(({ agrees }) => !agrees).length;
  if (wrong > 0) {
    const received = `${count(wrong, 'output')} of ${outputs.length}`;
    throw cliError('ERR_CLI_TEST_DATA', { received, at: path });
  }
}

/** Converts infinity to a string, because JSON has no infinity. */
const jsonNumber = (_: string, value: unknown) => (value === Number.POSITIVE_INFINITY ? 'Infinity' : value);
