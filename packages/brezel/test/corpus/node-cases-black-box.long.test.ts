import { expect, test } from 'vitest';
import { corpus } from './corpus.js';
import { failsAlone, runBlackBoxCases } from './node-cases-black-box.js';

// Every case that onnxruntime can run also runs as a black box.

test.skipIf(corpus === undefined)('every node case that onnxruntime itself can run, as a black box', async () => {
  const { agreeing, white, failures } = await runBlackBoxCases(1);
  const names = Object.keys(failures);
  console.info(
    `${agreeing} of ${agreeing + names.length} node cases agree in black boxes, ${white} of them without any`,
  );
  const alone = await Promise.all(names.map(failsAlone));
  const ours = names.filter((_, at) => !alone[at]);
  expect(Object.fromEntries(ours.map((name) => [name, failures[name]]))).toEqual({});
  expect(agreeing).toBeGreaterThan(500);
  expect(white).toBeLessThan(10);
});
