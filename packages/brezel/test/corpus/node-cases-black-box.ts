import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BrezelError, createFlour, createRuntime, importModel, onnxruntimeBackend, replayTestData } from 'brezel';
import { corpus } from './corpus.js';

/** The number of conformance cases of ONNX by outcome, with all nodes in black boxes. */
export interface BlackBoxCases {
  readonly agreeing: number;
  /** Cases that Brezel runs without a black box, because their values are not tensors. */
  readonly white: number;
  readonly failures: Readonly<Record<string, string>>;
}

/**
 * Runs every `step`-th case. onnxruntime runs the whole graph as one black box, through the same
 * interface as parts of a graph.
 */
export async function runBlackBoxCases(step: number): Promise<BlackBoxCases> {
  const folder = join(corpus!, 'onnx-node');
  const names = readdirSync(folder)
    .sort()
    .filter((_, at) => at % step === 0);
  const failures: Record<string, string> = {};
  let [agreeing, white] = [0, 0];
  const backend = onnxruntimeBackend({ workers: 1 });
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store, backends: [backend] });
  for (const name of names) {
    try {
      const bytes = readFileSync(join(folder, name, 'model.onnx'));
      const model = importModel(bytes, flour, { blackBox: 'prefer' });
      if (model.kind === 'tensor' && model.program.blackBoxes.length === 0) white += 1;
      const outputs = await replayTestData(model, runtime, join(folder, name));
      const wrong = outputs.find(({ agrees }) => !agrees);
      if (wrong === undefined) agreeing += 1;
      else failures[name] = wrong.difference!;
    } catch (error) {
      if (!(error instanceof BrezelError)) throw error;
      failures[name] = `${error.code}: ${error.message}`;
    }
  }
  await backend.dispose();
  return { agreeing, white, failures };
}

/**
 * Returns whether onnxruntime without Brezel rejects the file of a case, or gives other answers
 * than the file expects.
 */
export async function failsAlone(name: string): Promise<boolean> {
  const { default: onnxruntime } = await import('onnxruntime-node');
  try {
    const path = join(corpus!, 'onnx-node', name, 'model.onnx');
    await onnxruntime.InferenceSession.create(path, { logSeverityLevel: 4 });
    return answersOtherwise.has(name);
  } catch {
    return true;
  }
}

/**
 * Cases that onnxruntime opens, but does not pass. onnxruntime casts a float to text with eight
 * digits instead of seven, and rejects fmod of floats with different signs.
 */
const answersOtherwise = new Set(['test_cast_FLOAT_to_STRING', 'test_mod_float_mixed_sign_example']);
