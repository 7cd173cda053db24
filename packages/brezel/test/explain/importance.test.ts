import { type CompiledPlan, createFlour, createRuntime, drawImportance, type Row, type Runtime, vector } from 'brezel';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPicture } from './picture.js';

let flour: Awaited<ReturnType<typeof createFlour>>;
let runtime: Runtime;
beforeAll(async () => {
  flour = await createFlour();
  runtime = createRuntime({ store: flour.store, executors: 0 });
});
afterAll(async () => {
  await runtime.close();
  flour.dispose();
});

const register = (flow: { plan(): unknown }) => runtime.register(flow.plan() as CompiledPlan);
const threeClasses = () =>
  flour
    .input('x', vector('float32', 3))
    .linear({ weights: [1, -1, 2, 0, 3, -3, 0, 0.5, 1], bias: [1, 2, 3] })
    .softmax();
const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, (_, row) => ({ x: [row % 7, -(row % 3), row % 2 === 0 ? 0 : row] }));

describe('importance', () => {
  test('is the mean absolute contribution of each feature, for each class', async () => {
    const plan = register(threeClasses());
    const rows = rowsOf(150); // more than two blocks
    const { output, rows: count, classes } = await runtime.importance(plan, rows);
    expect([output, count, classes.map((one) => one.class)]).toEqual(['output', 150, [0, 1, 2]]);
    for (const { class: one, features, rest, sample } of classes) {
      expect([rest, sample]).toEqual([0, []]);
      const whys = rows.map((row) => runtime.contributions(plan, row, { class: one! }));
      for (const { index, importance, mean, rows: used } of features) {
        const values = whys.flatMap((why) => why.contributions.filter((each) => each.index === index));
        const sum = (of: (value: number) => number) => values.reduce((total, { value }) => total + of(value), 0);
        expect(importance).toBe(sum(Math.abs) / 150);
        expect(mean).toBe(sum((value) => value) / 150);
        expect(used).toBe(values.length);
      }
      const order = features.map(({ importance }) => importance);
      expect(order).toEqual([...order].sort((a, b) => b - a));
    }
    // A feature without a weight has no importance.
    expect(classes[0]!.features.map(({ index }) => index)).toEqual([0]);
    const [only] = (await runtime.importance(plan, rows, { class: 2, top: 1 })).classes;
    expect(only!.features).toEqual(classes[2]!.features.slice(0, 1));
    expect(only!.rest).toBe(classes[2]!.features.slice(1).reduce((sum, each) => sum + each.importance, 0));
  });

  test('explains both numbers of an output with two numbers', async () => {
    const plan = register(flour.input('x', vector('float32', 2)).linear({ weights: [1, 0, 0, 2], bias: [0, 0] }));
    const { classes } = await runtime.importance(plan, [{ x: [1, 1] }]);
    expect(classes.map(({ features }) => features.map(({ index, importance }) => [index, importance]))).toEqual([
      [[0, 1]],
      [[1, 2]],
    ]);
  });

  test('adds up the n-grams of texts by feature, and each row counts once', async () => {
    const words = flour.columns({ text: 'string' }).select('text').tokenize({ by: 'words' });
    const plan = register(words.wordNgram({ vocabulary: [['good'], ['bad']] }).linear({ weights: [2, -3] }));
    const { classes } = await runtime.importance(plan, [{ text: 'good good' }, { text: 'bad' }, { text: 'none' }]);
    expect(classes[0]!.features).toEqual([
      { input: 'text', feature: 'good', importance: 4 / 3, mean: 4 / 3, rows: 1 },
      { input: 'text', feature: 'bad', importance: 1, mean: -1, rows: 1 },
    ]);
  });

  test('reads streams, and closes the source after an error', async () => {
    const plan = register(threeClasses());
    let isClosed = false;
    async function* source(rows: readonly Row[]) {
      try {
        yield* rows;
      } finally {
        isClosed = true;
      }
    }
    const rows = rowsOf(100);
    expect(await runtime.importance(plan, source(rows))).toEqual(await runtime.importance(plan, rows));
    isClosed = false;
    const wrong = rows.with(70, { x: [1] });
    await expect(runtime.importance(plan, source(wrong))).rejects.toMatchObject({
      code: 'ERR_RUNTIME_INPUT',
      details: { row: 70 },
    });
    expect(isClosed).toBe(true);
    expect(await runtime.importance(plan, [])).toMatchObject({ rows: 0, classes: [{ features: [], rest: 0 }, {}, {}] });
  });

  test('samples rows with a seed', async () => {
    const plan = register(flour.input('x', vector('float32', 1)).linear({ weights: [1] }));
    const rows = Array.from({ length: 200 }, (_, row) => ({ x: [row + 1] }));
    const sampled = async (seed: number, sample = 20) =>
      (await runtime.importance(plan, rows, { sample, seed })).classes[0]!.sample.map(({ raw }) => raw);
    const first = await sampled(7);
    expect(first).toHaveLength(20);
    expect(await sampled(7)).toEqual(first);
    expect(await sampled(8)).not.toEqual(first);
    expect([...first].sort((a, b) => a - b)).toEqual(first); // in the order of the rows
    expect(new Set(first).size).toBe(20);
    expect(await sampled(7, 500)).toEqual(rows.map(({ x }) => x[0]));
    // Every row is equally likely. The mean of many samples is near the mean of all rows.
    const all = (await Promise.all(Array.from({ length: 40 }, (_, seed) => sampled(seed)))).flat();
    expect(Math.abs(all.reduce((sum, value) => sum + value, 0) / all.length - 100.5)).toBeLessThan(12);
  });

  test('refuses invalid options and sources', async () => {
    const plan = register(threeClasses());
    const call = (options: object) => runtime.importance(plan, [], options);
    for (const options of [{ sample: -1 }, { sample: 1e9 }, { seed: 0.5 }, { seed: '1' }, { top: -1 }, { sampel: 1 }])
      await expect(call(options)).rejects.toMatchObject({ code: 'ERR_RUNTIME_OPTION' });
    await expect(call({ output: 'none' })).rejects.toMatchObject({ code: 'ERR_EXPLAIN_OUTPUT' });
    await expect(runtime.importance(plan, 'rows' as never)).rejects.toMatchObject({ code: 'ERR_RUNTIME_INPUT' });
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(runtime.importance(plan, rowsOf(3), { signal })).rejects.toThrow('stopped');
  });
});

describe('the picture of importance', () => {
  test('has a row per feature, and points inside the picture for any numbers', () => {
    const number = fc.oneof(fc.double(), fc.constantFrom(0, 1e308, -1e308, Number.NaN, Number.POSITIVE_INFINITY));
    const rows = fc.array(fc.array(number, { minLength: 3, maxLength: 3 }), { maxLength: 40 });
    const property = fc.property(rows, fc.constantFrom(320, 760, 2000), (values, width) => {
      const features = [0, 1, 2].map((index) => ({ input: 'x', index, importance: values.length }));
      const sample = values.map((row) => ({
        contributions: row.map((value, index) => ({ input: 'x', index, value, received: -value })),
      }));
      const svg = drawImportance({ class: 1, features, sample }, { width });
      const picture = readPicture(svg);
      expect(picture.title).toBe('Importance for class 1');
      expect(picture.cards.map(({ tooltip }) => tooltip)).toEqual([0, 1, 2].map((at) => `x[${at}]: ${values.length}`));
      const circles = [...svg.matchAll(/<circle cx="([^"]+)" cy="([^"]+)"/g)].map(([, x, y]) => [Number(x), Number(y)]);
      expect(circles).toHaveLength(values.flat().filter(Number.isFinite).length);
      for (const [x, y] of circles) {
        expect(x! >= 0 && x! <= picture.width).toBe(true);
        expect(y! >= 0 && y! <= picture.height).toBe(true);
      }
    });
    fc.assert(property, { numRuns: 50 });
  });
});
