import { expect, test } from 'vitest';
import { checkPipelines } from './check-pipelines.js';
import { seed } from './seed.js';

const TEXTS = 1200;
/** Many texts of each pipeline, because a pipeline costs more than a text. */
const TEXTS_EACH = 60;

test('random pipelines over random texts: reference = WebAssembly = every instruction set, bit for bit', async () => {
  const { texts, pipelines, native } = await checkPipelines(TEXTS / TEXTS_EACH, TEXTS_EACH, seed);
  console.info(`${texts} texts over ${pipelines} pipelines, ${native} of them native`);
  expect(texts).toBeGreaterThanOrEqual(TEXTS);
});
