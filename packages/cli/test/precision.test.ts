import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createFlour, createRegistry, createRuntime, importModelAsync, importScikitLearn } from 'brezel';
import { afterAll, expect, test } from 'vitest';
import { brezel, model, temporaryFolder } from './brezel.js';

const path = fileURLToPath(new URL('../../scikit-learn/test/models/tfidf.json', import.meta.url));
const row = { text: 'a film that was wonderful, and not slow' };
const line = `${JSON.stringify(row)}\n`;
const folder = temporaryFolder();
const flour = await createFlour();
const runtime = createRuntime({ store: flour.store });
afterAll(async () => {
  folder.remove();
  await runtime.close();
  flour.dispose();
});

/** Returns the answer of the importer in this precision. */
function answerIn(precision: 'float64' | 'float32') {
  const { program } = importScikitLearn(readFileSync(path), flour, { precision, name: precision });
  return runtime.predictSync(runtime.register(program.plan()), row);
}
const [exact, fast] = [answerIn('float64'), answerIn('float32')];

/**
 * Rounds the numbers of an answer to float32. The command line prints the shortest decimals of
 * float32.
 */
const rounded = (answer: object): object =>
  JSON.parse(JSON.stringify(answer), (_, value) => (typeof value === 'number' ? Math.fround(value) : value));

test('both precisions have other numbers in this row', () => {
  expect(fast.probabilities).not.toEqual(exact.probabilities);
});

test('--precision of predict and pack', async () => {
  const predict = async (...args: string[]) => JSON.parse((await brezel(['predict', ...args, '-i', '-'], line)).out);
  expect(await predict(path)).toEqual(exact);
  expect(await predict(path, '--precision', 'float64')).toEqual(exact);
  expect(rounded(await predict(path, '--precision', 'float32'))).toEqual(fast);
  const fleet = folder.path('film.brezel');
  expect((await brezel(['pack', path, '--precision', 'float32', '-o', fleet])).code).toBe(0);
  expect(rounded(await predict(fleet))).toEqual(fast);
});

test('--precision has no effect on a file of another format, and rejects other types', async () => {
  const film = ['predict', model(0), '-i', '-'];
  const plain = await brezel(film, line);
  expect(await brezel([...film, '--precision', 'float32'], line)).toEqual(plain);
  const { code, err } = await brezel(['predict', path, '-i', '-', '--precision', 'float16'], line);
  expect([code, err]).toEqual([2, expect.stringMatching(/float16.*float64, float32/s)]);
});

test.each([0, 1])('precision of a registry and of a version, with %i import threads', async (importThreads) => {
  const answerOf = async (precision: 'float64' | 'float32' | undefined, ofVersion: object = {}) => {
    await using registry = await createRegistry({ importThreads, ...(precision !== undefined && { precision }) });
    registry.add('film', { path, ...ofVersion });
    return registry.predict('film', row);
  };
  expect(await answerOf(undefined)).toEqual(exact);
  expect(await answerOf('float32')).toEqual(fast);
  expect(await answerOf('float32', { precision: 'float64' })).toEqual(exact);
  expect(await answerOf(undefined, { precision: 'float32' })).toEqual(fast);
  const wrong = { code: 'ERR_REGISTRY_OPTION', message: expect.stringContaining('precision float64 or float32') };
  await expect(answerOf('float16' as never)).rejects.toMatchObject(wrong);
  await expect(answerOf(undefined, { precision: 'float16' })).rejects.toMatchObject(wrong);
});

test('precision of importModelAsync', async () => {
  const plan = await importModelAsync(readFileSync(path), flour, { precision: 'float32', name: 'async' });
  expect(runtime.predictSync(runtime.register(plan), row)).toEqual(fast);
  plan.release();
  await expect(importModelAsync(readFileSync(path), flour, { precision: 'half' as never })).rejects.toMatchObject({
    code: 'ERR_SKLEARN_OPTION',
  });
});
