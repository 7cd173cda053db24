import { createFlour, createRuntime, importOnnx, loadNative } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { difference } from '../conformance/engines.js';
import { compareRow, corpus, corpusFolders, readModel } from './corpus.js';

const folders = [...corpusFolders('family'), ...corpusFolders('pipelines', 'sa-')];
const flour = await createFlour();
const runtime = createRuntime({ store: flour.store });
const { addon } = loadNative();
const before = addon?.parameterStats();

describe.skipIf(corpus === undefined)('corpus', () => {
  test('the whole family and the text pipelines are there', () => {
    expect(folders.length).toBeGreaterThanOrEqual(65);
  });

  test.each(folders.map((folder) => [folder.split('/').slice(-2).join('/'), folder]))('%s', async (_, folder) => {
    const model = readModel(folder);
    const plan = flour.attempt(() => importOnnx(model.bytes, flour).program.plan());
    const registered = runtime.register(plan);
    plan.release();
    if (addon !== undefined) expect(registered.engine).toBe('native');
    const answers = {
      reference: await runtime.predictBatch(registered, model.inputs, { engine: 'reference' }),
      batch: await runtime.predictBatch(registered, model.inputs, { engine: 'batch' }),
      inline: await runtime.predictBatch(registered, model.inputs, { engine: 'inline' }),
      single: model.inputs.map((row) => runtime.predictSync(registered, row)),
      'batches of one': (await Promise.all(model.inputs.map((row) => runtime.predictBatch(registered, [row])))).flat(),
    };
    for (const [engine, got] of Object.entries(answers)) {
      expect(got).toHaveLength(model.expected.length);
      got.forEach((answer, row) => {
        const want =
          (engine === 'single' || !model.meta.ort.batch_ok) && model.single !== undefined
            ? model.single[row]
            : model.expected[row];
        const failure = compareRow(model, row, answer, want) ?? difference(answer, answers.reference[row]);
        if (failure !== undefined) throw new Error(`${engine}, row ${row}: ${failure}`);
      });
    }
  });

  test('members of a family share their featurizer', () => {
    const { stages, parameters, plans } = runtime.stats();
    expect(plans).toHaveLength(folders.length);
    expect(stages.used - stages.distinct).toBeGreaterThanOrEqual(40);
    expect(parameters.savedBytes).toBeGreaterThan(parameters.bytes);
  });
});

afterAll(async () => {
  await runtime.close();
  flour.dispose();
  expect(flour.store.stats()).toEqual({ objects: 0, bytes: 0, references: 0, bytesShared: 0 });
  expect(addon?.parameterStats()).toEqual(before);
});
