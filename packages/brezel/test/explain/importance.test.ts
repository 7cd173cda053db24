import { type CompiledPlan, createFlour, createRuntime, drawImportance, type Row, type Runtime, vector } from 'brezel';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../../testing/manual-clock.js';
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

describe('importance with limits', () => {
  test('ends at the deadline while the source gives no rows, and closes the source', async () => {
    const clock = new ManualClock();
    await using own = createRuntime({ store: flour.store, executors: 0, clock });
    const plan = own.register(threeClasses().plan() as CompiledPlan);
    let isClosed = false;
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<IteratorResult<Row>>(() => {}),
        return: async () => {
          isClosed = true;
          return { done: true as const, value: undefined };
        },
      }),
    };
    const call = own.importance(plan, source, { deadlineMs: 50 });
    const ended = expect(call).rejects.toMatchObject({ code: 'ERR_RUNTIME_DEADLINE' });
    await clock.untilTimer();
    clock.advance(51);
    await ended;
    expect([isClosed, clock.timers]).toEqual([true, 0]);
    await own.importance(plan, rowsOf(3), { deadlineMs: 50 });
    expect(clock.timers).toBe(0);
  });

  test('sorts features with NaN and infinite contributions: they come first', async () => {
    const plan = register(flour.input('x', vector('float32', 6)).linear({ weights: [1, 1, 1, 1, 1, 1] }));
    const values = [2, Number.NaN, 9, Number.POSITIVE_INFINITY, 5, 7];
    const { classes } = await runtime.importance(plan, [{ x: values }], {});
    expect(classes[0]!.features.map(({ importance }) => importance)).toEqual([
      Number.NaN,
      Number.POSITIVE_INFINITY,
      9,
      7,
      5,
      2,
    ]);
    const top = await runtime.importance(plan, [{ x: values.with(3, 1) }], { top: 3 });
    expect(top.classes[0]!.features.map(({ index }) => index)).toEqual([1, 2, 5]);
    expect(top.classes[0]!.rest).toBe(5 + 2 + 1);
  });

  test('limits the contributions in the samples of all classes together', async () => {
    const [classes, features] = [128, 128];
    const weights = new Float32Array(classes * features).fill(1);
    const plan = register(
      flour.input('x', vector('float32', features)).linear({ weights, bias: new Float32Array(classes) }),
    );
    const x = new Float32Array(features).fill(1);
    const rows = Array.from({ length: 2 ** 21 / classes / features + 1 }, () => ({ x }));
    await expect(runtime.importance(plan, rows, { sample: 200 })).rejects.toMatchObject({
      code: 'ERR_EXPLAIN_LIMIT',
      details: { received: `${2 ** 21 + features}` },
    });
    const one = await runtime.importance(plan, rows, { sample: 200, class: 5 });
    expect(one.classes[0]!.sample).toHaveLength(rows.length);
    // A sample that replaces its rows does not grow.
    const few = await runtime.importance(plan, rows.slice(0, 8), { sample: 2 });
    expect(few.classes.every(({ sample }) => sample.length === 2)).toBe(true);
  });

  test('reads and computes each row once, whatever the number of classes', async () => {
    const plan = register(threeClasses());
    const readsOf = async (options: object) => {
      let reads = 0;
      const row = {
        get x() {
          reads += 1;
          return [1, 2, 3];
        },
      };
      await runtime.importance(plan, [row, row], options);
      return reads;
    };
    expect(await readsOf({})).toBe(await readsOf({ class: 0 }));
  });
});

describe('the picture of importance', () => {
  test('keeps features with the same name apart', () => {
    const features = [
      { input: 'x', index: 0, importance: 2 },
      { input: 'x[0]', importance: 1 },
      { input: 'x', index: 1, importance: 0 },
    ];
    const contribution = (input: string, index: number | undefined, value: number) => ({
      input,
      ...(index !== undefined && { index }),
      value,
      received: value,
    });
    const sample = [1, 2].map((value) => ({
      contributions: [
        contribution('x', 0, value),
        contribution('x', 0, -value),
        contribution('x[0]', undefined, value),
      ],
    }));
    const rows = drawImportance({ features, sample }).split('<g class="bz-feature"').slice(1);
    expect(rows.map((row) => row.split('<circle').length - 1)).toEqual([4, 2, 0]);
  });

  test('refuses an invalid number of features', () => {
    const importance = { features: [{ input: 'x', importance: 1 }], sample: [] };
    for (const top of [-1, 0.5, Number.NaN, '3' as never])
      expect(() => drawImportance(importance, { top })).toThrow(/top: expected an integer from 0/);
    for (const top of [0, 1, Number.POSITIVE_INFINITY])
      expect(readPicture(drawImportance(importance, { top })).cards).toHaveLength(Math.min(1, top));
  });

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
