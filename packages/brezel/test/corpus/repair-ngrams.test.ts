import { createFlour, createRuntime, importOnnx } from 'brezel';
import { describe, expect, test } from 'vitest';
import { corpus, corpusFolders, readModel } from './corpus.js';

// In these models, the exporter wrote each n-gram as one string. Without a repair, the answers
// equal the answers of the file. With the repair, they equal the answers of the training library.

/**
 * For each model, the minimum distance between the answers of the file and of the training library.
 * The rows of the second model contain none of its unsplit n-grams.
 */
const models = [
  ['sa-tfidf-w13-linsvc-imdb', 0.01],
  ['sa-union-word-char-logreg-amazon', 0],
] as const;

/**
 * Returns the maximum distance between Brezel's scores and the scores of the training library, and
 * the warnings of the import.
 */
async function distance(name: string, repairNgrams: boolean): Promise<{ worst: number; warnings: readonly string[] }> {
  const model = readModel(corpusFolders('pipelines', name)[0]!);
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store });
  const { program, warnings } = importOnnx(model.bytes, flour, { repairNgrams });
  const plan = runtime.register(program.plan());
  const scoresName = plan.outputs[1]!.name;
  const answers = await runtime.predictBatch(plan, model.inputs.slice(0, model.meta.normal_rows));
  const distances = answers.map((answer, row) => {
    const got = [answer[scoresName]].flat() as number[];
    const want = [model.sklearn![row]!.scores].flat() as number[];
    return Math.abs(got.at(-1)! - want.at(-1)!);
  });
  return { worst: Math.max(...distances), warnings };
}

describe.skipIf(corpus === undefined)('n-grams that contain spaces', () => {
  test.each(models)('%s', async (name, least) => {
    const asItIs = await distance(name, false);
    expect(asItIs.warnings.filter((one) => one.includes('never match'))).toHaveLength(1);
    const repaired = await distance(name, true);
    expect(repaired.warnings.filter((one) => one.includes("NOT the file's"))).toHaveLength(1);
    expect(asItIs.worst).toBeGreaterThanOrEqual(least);
    expect(repaired.worst).toBeLessThan(1e-4);
  });

  test('n-grams of characters with a space are not changed', async () => {
    const [folder] = corpusFolders('pipelines', 'sa-tfidf-char13-logreg-amazon');
    using flour = await createFlour();
    expect(importOnnx(readModel(folder!).bytes, flour).warnings.join()).not.toContain('never match');
  });
});
