import { type Answer, createFlour, createRuntime, importOnnx, loadNative, type RegisteredPlan } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { difference } from '../conformance/engines.js';
import { compareRow, corpus, corpusFolders, readModel } from './corpus.js';
import leftOut from './left-out.json' with { type: 'json' };

/** Families and text pipelines run in the addon as a whole. */
const native = new Set([...corpusFolders('family'), ...corpusFolders('pipelines', 'sa-')]);
const folders = [...corpusFolders('family'), ...corpusFolders('pipelines'), ...corpusFolders('models')];
const nameOf = (folder: string) => folder.split('/').slice(-2).join('/');
const reasons = new Map(Object.entries(leftOut));

const flour = await createFlour();
const runtime = createRuntime({ store: flour.store });
const { addon } = loadNative();
const before = addon?.parameterStats();

type Model = ReturnType<typeof readModel>;

/** Every way in which the rows of a model can be answered. */
async function answersOf(model: Model, plan: RegisteredPlan): Promise<Readonly<Record<string, readonly Answer[]>>> {
  return {
    reference: await runtime.predictBatch(plan, model.inputs, { engine: 'reference' }),
    batch: await runtime.predictBatch(plan, model.inputs, { engine: 'batch' }),
    inline: await runtime.predictBatch(plan, model.inputs, { engine: 'inline' }),
    single: model.inputs.map((row) => runtime.predictSync(plan, row)),
    'batches of one': (await Promise.all(model.inputs.map((row) => runtime.predictBatch(plan, [row])))).flat(),
  };
}

/** @throws for the first row and engine that differ from the corpus or from the reference. */
function compare(model: Model, answers: Awaited<ReturnType<typeof answersOf>>): void {
  for (const [engine, got] of Object.entries(answers)) {
    expect(got).toHaveLength(model.expected.length);
    got.forEach((answer, row) => {
      // Row by row must give the same as the batch: what onnxruntime made of single rows counts where it has no batch.
      const want = model.meta.ort.batch_ok ? model.expected[row] : (model.single ?? model.expected)[row];
      const failure = compareRow(model, row, answer, want) ?? difference(answer, answers.reference![row]);
      if (failure !== undefined) throw new Error(`${engine}, row ${row}: ${failure}`);
    });
  }
}

async function replay(folder: string): Promise<void> {
  const model = readModel(folder);
  const plan = flour.attempt(() => importOnnx(model.bytes, flour).program.plan());
  const registered = runtime.register(plan);
  plan.release();
  if (addon !== undefined && native.has(folder)) expect(registered.engine).toBe('native');
  compare(model, await answersOf(model, registered));
}

describe.skipIf(corpus === undefined)('corpus', () => {
  test('the whole family, the pipelines and the models are there', () => {
    expect(folders.length).toBeGreaterThanOrEqual(175);
    const known = new Set(folders.map(nameOf));
    expect([...reasons.keys()].filter((name) => !known.has(name))).toEqual([]);
  });

  test.each(folders.map((folder) => [nameOf(folder), folder]))('%s', async (name, folder) => {
    // What is left out says why, and must be taken off the list once it passes.
    if (reasons.has(name)) await expect(replay(folder), 'passes: take it off left-out.json').rejects.toThrow();
    else await replay(folder);
  });

  test('members of a family share their featurizer', () => {
    const { stages, parameters, plans } = runtime.stats();
    expect(plans.length).toBeGreaterThanOrEqual(folders.length - reasons.size);
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
