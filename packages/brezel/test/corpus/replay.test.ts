import { createFlour, createRuntime, importOnnx, loadNative } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { corpus, corpusFolders, readModel } from './corpus.js';
import leftOut from './left-out.json' with { type: 'json' };
import { answersOf, compareAnswers } from './replay-model.js';

/** Families and text pipelines, whose plans run completely in the addon. */
const native = new Set([...corpusFolders('family'), ...corpusFolders('pipelines', 'sa-')]);
const folders = [...corpusFolders('family'), ...corpusFolders('pipelines'), ...corpusFolders('models')];
const nameOf = (folder: string) => folder.split('/').slice(-2).join('/');
const reasons = new Map(Object.entries(leftOut));

const flour = await createFlour();
const runtime = createRuntime({ store: flour.store });
const { addon } = loadNative();
const before = addon?.parameterStats();

async function replay(folder: string): Promise<void> {
  const model = readModel(folder);
  const plan = flour.attempt(() => importOnnx(model.bytes, flour).program.plan());
  const registered = runtime.register(plan);
  plan.release();
  if (addon !== undefined && native.has(folder)) expect(registered.engine).toBe('native');
  compareAnswers(model, await answersOf(runtime, model, registered));
}

describe.skipIf(corpus === undefined)('corpus', () => {
  test('the whole family, the pipelines and the models exist', () => {
    expect(folders.length).toBeGreaterThanOrEqual(175);
    const known = new Set(folders.map(nameOf));
    expect([...reasons.keys()].filter((name) => !known.has(name))).toEqual([]);
  });

  test.each(folders.map((folder) => [nameOf(folder), folder]))('%s', async (name, folder) => {
    // Skipped models have a reason. A skipped model that passes must leave the list.
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
  // The statistics of the addon describe the whole process. Objects of other test files may be
  // collected meanwhile, but no object of this file may remain.
  const after = addon?.parameterStats();
  expect(after?.objects ?? 0).toBeLessThanOrEqual(before?.objects ?? 0);
  expect(after?.bytes ?? 0).toBeLessThanOrEqual(before?.bytes ?? 0);
});
