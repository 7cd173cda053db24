import { createFlour, createRuntime, loadNative } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';

// No schema detects these invalid values: the program rejects them during the prediction.

const flour = await createFlour();
const runtimes = [
  createRuntime({ store: flour.store, native: false }),
  ...(loadNative().addon ? [createRuntime({ store: flour.store })] : []),
];
const text = flour.columns({ t: 'string' }).select('t');
const number = flour.columns({ n: 'float32' }).select('n');
const colours = flour
  .program({ y: text.oneHot({ categories: ['red', 'green'], unknown: 'error' }).linear({ weights: [1, 2] }) })
  .plan();
const sizes = flour.program({ y: number.cast('int64').indexOf([1, 2], { unknown: 'error' }) }).plan();
const red = { t: 'red' };

afterAll(async () => {
  for (const runtime of runtimes) await runtime.close();
  colours.release();
  sizes.release();
  flour.dispose();
});

describe.each(runtimes.map((runtime) => [runtime.isa ?? 'javascript', runtime] as const))('%s', (_, runtime) => {
  const plan = runtime.register(colours);
  const refused = (row: number) =>
    expect.objectContaining({ code: 'ERR_RUNTIME_INPUT', message: expect.stringContaining(`row ${row}`) });

  test('an unknown category alone', () => {
    expect(() => runtime.predictSync(plan, { t: 'blue' })).toThrow(refused(0));
    expect(() => runtime.predictSync(plan, { t: 'blue' }, new Float64Array(1))).toThrow(refused(0));
  });

  test.each(['batch', 'request-response', 'reference'] as const)(
    'in a batch, by %s: no row is answered',
    async (engine) => {
      const rows = [...new Array(300).fill(red), { t: 'blue' }, red];
      await expect(runtime.predictBatch(plan, rows, { engine })).rejects.toThrow(refused(300));
    },
  );

  test('does not affect the next row', () => {
    expect(() => runtime.predictSync(plan, { t: '' })).toThrow(refused(0));
    expect(runtime.predictSync(plan, { t: 'green' })).toEqual({ y: [2] });
  });

  test('numbers', () => {
    const registered = runtime.register(sizes);
    expect(runtime.predictSync(registered, { n: 2.5 })).toEqual({ y: 1 });
    expect(() => runtime.predictSync(registered, { n: 3 })).toThrow(refused(0));
    expect(() => runtime.predictSync(registered, { n: Number.NaN })).toThrow(refused(0));
  });
});
