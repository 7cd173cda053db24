import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFlour, createRuntime, importOnnx, loadNative } from 'brezel';
import { afterAll, expect, test } from 'vitest';
import { readModel } from './corpus.js';
import { answersOf, compareAnswers } from './replay-model.js';

// Replays the models in this repository as replay.test.ts replays the corpus, so that machines
// without the corpus test some models, too.

const own = fileURLToPath(new URL('own/', import.meta.url));
const examples = fileURLToPath(new URL('../../../../examples/models/', import.meta.url));
const names = readdirSync(own, { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? [one.name] : []));

const flour = await createFlour();
const runtime = createRuntime({ store: flour.store });
afterAll(async () => {
  await runtime.close();
  flour.dispose();
  expect(flour.store.stats().objects).toBe(0);
});

test('there are cases', () => expect(names.length).toBeGreaterThanOrEqual(16));

test.each(names)('%s', async (name) => {
  const file = join(own, name, 'model.onnx');
  const model = readModel(join(own, name), existsSync(file) ? file : join(examples, `${name}.onnx`));
  expect(model.inputs.length).toBeGreaterThanOrEqual(30);
  const plan = flour.attempt(() => importOnnx(model.bytes, flour).program.plan());
  const registered = runtime.register(plan);
  plan.release();
  if (loadNative().addon !== undefined) expect(registered.engine).toBe('native');
  compareAnswers(model, await answersOf(runtime, model, registered));
});
