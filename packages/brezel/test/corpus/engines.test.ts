import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type CompiledPlan, createFlour, importOnnx } from 'brezel';
import { describe, expect, test } from 'vitest';
import { expectGolden } from '../../../../testing/golden.js';
import { corpus, corpusFolders } from './corpus.js';

/** The first of a family: all its members are planned alike. */
const folders = [...corpusFolders('family').slice(0, 1), ...corpusFolders('pipelines'), ...corpusFolders('models')];

/**
 * `featurizer text_ngram weight normalize | model linear mirror`: kernels of each stage, or that it
 * runs in JavaScript.
 */
function enginesOf(plan: CompiledPlan): string {
  const stages = plan.stages.map(({ stage: { role, calls } }) => {
    const kernels = calls?.map(({ kernel }) => kernel).filter((kernel) => kernel !== 'alias');
    return `${role} ${kernels === undefined ? 'JavaScript' : kernels.join(' ') || 'nothing to do'}`;
  });
  return stages.join(' | ');
}

/** Why a model cannot be planned, without its place in the file. */
const refusal = (fault: unknown) => (fault as { code?: string }).code ?? String(fault);

describe.skipIf(corpus === undefined)('the engine of every model of the corpus', () => {
  test('is the one that was chosen before', async () => {
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
