import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFlour, createRuntime, importOnnx, packFleet } from 'brezel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../fleet/folder.js';
import { textsOf, trainFilmModel } from './train-film-model.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const guides = readdirSync(join(root, 'docs/guides')).filter((name) => name.endsWith('.md'));
const blocksOf = (guide: string): string[] => {
  const page = readFileSync(join(root, 'docs/guides', guide), 'utf8');
  return [...page.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code]) => code!);
};
const PROMISE = /^(.*); \/\/ => (.*)$/;
/** Matches `console.log(x); // => y`, which states the printed value. */
const PRINTED = /^console\.log\((.*)\); \/\/ => /;
/**
 * For each guide, the number of lines that state a value (`// => value`). If a guide writes such
 * lines in another form, they would not be tested, and the number here would be wrong.
 */
const promises = {
  'browser.md': 0, // packages/brezel/test/web runs its calls
  'containers.md': 0, // packages/cli/test/deploy.long.test.ts runs its commands
  'deployment.md': 1,
  'explanations.md': 18,
  'exporting.md': 0,
  'from-onnxruntime.md': 4,
  'getting-started.md': 3,
  'recipes.md': 8,
  'rows-and-answers.md': 10,
  'server.md': 13,
  'service.md': 8,
  'several-servers.md': 0, // packages/cli/test/monitoring.test.ts checks its commands
  'troubleshooting.md': 0,
  'typescript.md': 0, // its TypeScript runs in test/types
};

const folder = temporaryFolder();
afterAll(() => folder.remove());

beforeAll(async () => {
  symlinkSync(join(root, 'node_modules'), folder.path('node_modules'));
  const model = readFileSync(join(root, 'examples/models/sa-fam-a-00.onnx'));
  writeFileSync(folder.path('model.onnx'), model);
  copyFileSync(join(root, 'examples/models/sa-fam-a-01.onnx'), folder.path('next.onnx'));
  copyFileSync(join(root, 'examples/from-onnxruntime/flowers.onnx'), folder.path('flowers.onnx'));
  using flour = await createFlour();
  const plan = importOnnx(model, flour, { name: 'model' }).program.plan();
  await packFleet([plan], folder.path('fleet.brezel'), { store: flour.store });
});

/**
 * Runs the code of a guide in a folder. Each line `expression; // => value` becomes an assertion.
 * `count` is the expected number of these lines.
 */
function runGuide(guide: string, count: number, cwd: string): void {
  const lines = blocksOf(guide).join('\n').split('\n');
  const code = lines.map((line) => line.replace(PRINTED, '$1; // => ').replace(PROMISE, 'assert.deepEqual($1, $2);'));
  expect(code.filter((line) => line.startsWith('assert'))).toHaveLength(count);
  if (lines.length < 2) return;
  const file = join(cwd, `${guide}.mjs`);
  writeFileSync(file, ["import assert from 'node:assert/strict';", ...code].join('\n'));
  execFileSync(process.execPath, [file], { cwd, encoding: 'utf8', stdio: 'pipe' });
}

describe('the code of docs/guides', () => {
  it('has an entry for each guide', () => expect(guides.sort()).toEqual(Object.keys(promises).sort()));

  it.each(Object.entries(promises))('%s runs and keeps its promises', (guide, count) => {
    runGuide(guide, count, folder.path('.'));
  });
});

describe('the model that getting-started.md trains', () => {
  const model = trainFilmModel(textsOf(readFileSync(join(root, 'docs/guides/getting-started.md'), 'utf8')));

  it('gives the probabilities of scikit-learn', async () => {
    using flour = await createFlour();
    const runtime = createRuntime({ store: flour.store });
    const plan = runtime.register(importOnnx(model, flour).program.plan());
    // scikit-learn 1.2.1 gives these probabilities of label 1 for the pipeline of the page.
    const expected = { 'a great film': 0.57801216, 'not good': 0.42312862, good: 0.53892084, bad: 0.41910579 };
    for (const [text, probability] of Object.entries(expected)) {
      const { probabilities } = runtime.predictSync(plan, text) as { probabilities: readonly number[] };
      expect(probabilities[1], text).toBeCloseTo(probability, 4);
    }
    await runtime.close();
  });

  it('gives the values of the page', () => {
    mkdirSync(folder.path('trained'));
    writeFileSync(folder.path('trained/model.onnx'), model);
    runGuide('getting-started.md', promises['getting-started.md'], folder.path('trained'));
  });
});
