import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { columnsModel, linearModel, ngramModel, pipelineModel, regressorModel, treeModel } from './models.js';
import { mlModels } from './models-ml.js';
import { recognizedModels } from './models-recognized.js';
import { mutated, rewritten } from './mutations.js';
import { Survivor } from './survive.js';

const small = [
  ngramModel(),
  linearModel(),
  treeModel(),
  regressorModel(),
  pipelineModel(),
  columnsModel(),
  ...mlModels(),
  ...recognizedModels(),
];
const examples = fileURLToPath(new URL('../../../../examples/models/', import.meta.url));
const large = existsSync(examples)
  ? readdirSync(examples)
      .filter((name) => name.endsWith('.onnx'))
      .slice(0, 2)
      .map((name) => new Uint8Array(readFileSync(`${examples}${name}`)))
  : [];

/**
 * Imports and runs files with mutated bytes or graphs. Prints the number of rejected files for each
 * error code.
 */
export async function fuzzImport(
  kind: 'small' | 'large',
  how: 'bytes' | 'graphs',
  numRuns: number,
  seed: number,
): Promise<void> {
  const files = kind === 'small' ? small : large;
  if (files.length === 0) return console.warn('no example models to mutate');
  const survivor = await Survivor.create();
  const outcomes = new Map<string, number>();
  const property = fc.asyncProperty(how === 'bytes' ? mutated(files) : rewritten(files), async (bytes) => {
    const outcome = await survivor.outcome(bytes);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  });
  await fc.assert(property, { numRuns, seed });
  console.info(
    `${numRuns} mutations of ${how} of ${kind} models: ${[...outcomes].map(([code, times]) => `${code} ${times}`).join(', ')}`,
  );
}
