import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type CompiledPlan, createFlour, importOnnx } from 'brezel';
import { describe, expect, test } from 'vitest';
import { expectGolden } from '../../../../testing/golden.js';
import { corpus, corpusFolders } from './corpus.js';

/**
 * The tested folders. Of the family, only the first model, because all its models have equal plans.
 */
const folders = [...corpusFolders('family').slice(0, 1), ...corpusFolders('pipelines'), ...corpusFolders('models')];

/**
 * Returns the kernels of each stage, such as `featurizer text_ngram weight normalize | model linear
 * mirror`, or states that a stage runs in JavaScript.
 */
function enginesOf(plan: CompiledPlan): string {
  const stages = plan.stages.map(({ stage: { role, calls } }) => {
    const kernels = calls?.map(({ kernel }) => kernel).filter((kernel) => kernel !== 'alias');
    return `${role} ${kernels === undefined ? 'JavaScript' : kernels.join(' ') || 'nothing to do'}`;
  });
  return stages.join(' | ');
}

/** Returns the code of the error of a model that cannot be compiled. */
const refusal = (fault: unknown) => (fault as { code?: string }).code ?? String(fault);

describe.skipIf(corpus === undefined)('the engine of every model of the corpus', () => {
  test('is the recorded engine', async () => {
    const lines: string[] = [];
    for (const folder of folders) {
      const flour = await createFlour();
      let told: string;
      try {
        const plan = importOnnx(readFileSync(join(folder, 'model.onnx')), flour).program.plan();
        told = enginesOf(plan);
        plan.release();
      } catch (fault) {
        told = refusal(fault);
      }
      flour.dispose();
      lines.push(`${basename(folder)}: ${told}`);
    }
    expect(lines.length).toBeGreaterThan(100);
    expectGolden(new URL('engines.golden', import.meta.url), `${lines.join('\n')}\n`);
  });
});
