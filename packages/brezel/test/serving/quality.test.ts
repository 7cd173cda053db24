import { fileURLToPath } from 'node:url';
import {
  createFlour,
  createRegistry,
  createRuntime,
  explainAnalyze,
  type FlourContext,
  type Flow,
  loadNative,
  measurePlan,
  type QualityOptions,
  registryMetrics,
  runtimeMetrics,
  scalar,
  tensor,
  vector,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';

const flour = await createFlour();
const runtimes = [undefined, false].map((native) =>
  createRuntime({ store: flour.store, ...(native === false && { native }), executors: 0 }),
);
afterAll(async () => {
  for (const runtime of runtimes) await runtime.close();
  flour.dispose();
});

/** A forest over three columns: thresholds -1 and 2 for column 0, and 10 for column 1. */
const forest = {
  roots: Int32Array.of(0, 3),
  feature: Int32Array.of(0, 0, 0, 1, 0, 0, 0, 0),
  threshold: Float32Array.of(2, 0, 0, 10, -1, 0, 0, 0),
  mode: Int32Array.of(0, 6, 6, 0, 0, 6, 6, 6),
  trueChild: Int32Array.of(1, 0, 0, 4, 5, 0, 0, 0),
  falseChild: Int32Array.of(2, 0, 0, 7, 6, 0, 0, 0),
  missingTrue: new Int32Array(8),
  leafStart: Int32Array.of(0, 0, 1, 2, 2, 2, 3, 4, 5),
  leafTarget: new Int32Array(5),
  leafWeight: Float32Array.of(1, 2, 3, 4, 5),
  base: Float32Array.of(0),
};

/** Registers a program in both runtimes, answers rows, and returns the equal counters. */
async function counted(
  program: ReturnType<FlourContext['program']>,
  rows: readonly object[],
  quality: QualityOptions | boolean = { sampleEvery: 1 },
  missing: 'accept' | 'refuse' = 'refuse',
) {
  const found = [];
  for (const runtime of runtimes) {
    const plan = runtime!.register(program.plan(), { quality, missing });
    for (const row of rows) runtime!.predictSync(plan, row as never);
    const single = runtime!.quality(plan)!;
    await runtime!.predictBatch(plan, rows as never);
    const both = runtime!.quality(plan)!;
    expect(both.rows).toBe(2 * single.rows);
    for (const [name, counts] of Object.entries(single.inputs))
      for (const [count, value] of Object.entries(counts)) expect(both.inputs[name]).toHaveProperty(count, 2 * value);
    for await (const _ of runtime!.predictStream(plan, rows as never)) {
      // this test does not check answers
    }
    expect(runtime!.quality(plan)!.inputs).toEqual(
      Object.fromEntries(
        Object.entries(single.inputs).map(([name, counts]) => [
          name,
          Object.fromEntries(Object.entries(counts).map(([count, value]) => [count, 3 * value])),
        ]),
      ),
    );
    found.push(single);
    runtime!.unregister(plan);
  }
  expect(found[1]).toEqual(found[0]);
  return found[0]!;
}

describe('counters of data quality', () => {
  test('predictMany counts its row once for each plan', async () => {
    const x = flour.input('x', scalar('float32')).asVector();
    const [counting, other] = [0.5, 2].map((values) => flour.program({ y: x.impute({ values }) }));
    const rows = [{ x: Number.NaN }, { x: 1 }];
    for (const runtime of runtimes) {
      const plan = runtime.register(counting!.plan(), { quality: { sampleEvery: 1 }, missing: 'accept' });
      const plain = runtime.register(other!.plan(), { missing: 'accept' });
      for (const row of rows) runtime.predictManySync([plan, plain, plan], row);
      runtime.predictManySync([plain, plan], rows[0]!, new Float64Array(2));
      expect(runtime.quality(plan)).toMatchObject({ rows: 3, inputs: { x: { values: 3, missing: 2 } } });
      await runtime.predictMany([plain, plan], rows[0]!);
      expect(runtime.quality(plan)).toMatchObject({ rows: 4, inputs: { x: { values: 4, missing: 3 } } });
      for (const one of [plan, plain]) runtime.unregister(one);
    }
  });

  test('predictManyBatch examines as many rows of a call as predictBatch, and at most 128', async () => {
    const x = flour.input('x', scalar('float32')).asVector();
    const [counting, other] = [0.5, 2].map((values) => flour.program({ y: x.impute({ values }) }));
    for (const runtime of runtimes) {
      const plan = runtime.register(counting!.plan(), { quality: { sampleEvery: 4 }, missing: 'accept' });
      const same = runtime.register(counting!.plan(), { quality: { sampleEvery: 4 }, missing: 'accept' });
      const plain = runtime.register(other!.plan(), { missing: 'accept' });
      for (const length of [1, 3, 9, 0, 513, 2000, 5]) {
        let reads = 0;
        const row = {
          get x() {
            reads++;
            return Number.NaN;
          },
        };
        const rows = Array.from({ length }, () => row);
        await runtime.predictBatch(same, rows);
        const readOnce = reads;
        reads = 0;
        await runtime.predictManyBatch([plan, plain], rows);
        expect(runtime.quality(plan)).toEqual(runtime.quality(same));
        expect(reads).toBe(readOnce);
        expect(reads).toBeLessThanOrEqual(length + 128);
      }
      for (const one of [plan, same, plain]) runtime.unregister(one);
    }
  });

  test('categories of texts and numbers', async () => {
    const color = flour.input('color', scalar('string'));
    const size = flour.input('size', scalar('int64'));
    const onehot = color.oneHot({ categories: ['red', 'ä'] }).concat(size.oneHot({ categories: [1, 5] }));
    const program = flour.program({ y: onehot.linear({ weights: [1, 2, 3, 4] }) });
    const rows = [
      { color: 'red', size: 1 },
      { color: 'ä', size: 2 },
      { color: 'blue', size: 5n },
      { color: '', size: 2n ** 60n + 1n },
    ];
    expect(await counted(program, rows)).toEqual({
      sampleEvery: 1,
      rows: 4,
      inputs: {
        color: { values: 4, missing: 0, unknown: 2 },
        size: { values: 4, missing: 0, unknown: 2 },
      },
    });
  });

  test('missing values, and thresholds through imputers, scalers and concatenation', async () => {
    const age = flour.input('age', scalar('float32')).asVector().impute({ values: 1 });
    const x = flour.input('x', vector('float32', 2)).scale({ offset: [10, 0], scale: [-2, 1] });
    const program = flour.program({ y: age.concat(x).treeEnsemble(forest) });
    const rows = [
      { age: Number.NaN, x: [5, 0] },
      { age: -1, x: [4.5, 1e9] },
      { age: -1.5, x: Float32Array.of(5.5, -1e9) },
      { age: 2.5, x: [5, Number.NaN] },
      { age: null, x: [Number.POSITIVE_INFINITY, 0] },
      { x: [5, 0] },
    ];
    const { inputs } = await counted(program, rows, { sampleEvery: 1 }, 'accept');
    // column 1 of the forest is (x[0] - 10) * -2, and its threshold 10 is x[0] = 5
    expect(inputs).toEqual({
      age: { values: 6, missing: 3, below: 1, above: 1 },
      x: { values: 12, missing: 1, below: 1, above: 2 },
    });
  });

  test('the range of a min-max scaler, and the value that an imputer replaces', async () => {
    const x = flour.input('x', vector('float32', 2)).impute({ values: 0, missing: -9 });
    const scaled = x.arithmetic('multiply', [0.5, 0.1]).arithmetic('add', [-1, 0]);
    const program = flour.program({ y: scaled.map('tanh') });
    const rows = [{ x: [2, 0] }, { x: [4, 10] }, { x: [1.9, 10.1] }, { x: [-9, -0.1] }];
    expect((await counted(program, rows)).inputs).toEqual({ x: { values: 8, missing: 1, below: 2, above: 1 } });
  });

  test('terms of texts that a vocabulary lacks', async () => {
    const text = flour.input('text', scalar('string'));
    const words = text.tokenize().wordNgram({ vocabulary: [['good'], ['good', 'film']] });
    const chars = text.charNgram({ vocabulary: [[...'goo'], [...'ood']] });
    const program = flour.program({ y: words.concat(chars).linear({ weights: [1, 2, 3, 4] }) });
    const { inputs } = await counted(program, [{ text: 'good bad film' }, { text: '' }, { text: 'ood' }]);
    // words: good, bad, film, ood; characters: 11 n-grams of "good bad film", and "ood"
    expect(inputs).toEqual({ text: { values: 3, missing: 0, terms: 4 + 12, unknownTerms: 2 + 9 } });
  });

  test('marker values of single elements, in the element type of the input', async () => {
    const x = flour.input('x', vector('float32', 2));
    const first = x.selectColumns([0]).impute({ values: 1, missing: 0 });
    const one = flour.program({ y: first.concat(x.selectColumns([1])) });
    expect((await counted(one, [{ x: [5, 0] }])).inputs).toEqual({ x: { values: 2, missing: 0 } });
    expect((await counted(one, [{ x: [0, 5] }])).inputs).toEqual({ x: { values: 2, missing: 1 } });
    const rounded = flour.program({ y: x.impute({ values: 0, missing: -9.9 }) });
    expect((await counted(rounded, [{ x: [-9.9, 1] }])).inputs).toEqual({ x: { values: 2, missing: 1 } });
    const wide = flour.input('wide', vector('float64', 2)).cast('float32').impute({ values: 0, missing: -9.9 });
    const narrowed = flour.program({ y: wide });
    expect((await counted(narrowed, [{ wide: [-9.9, 1] }])).inputs).toEqual({ wide: { values: 2, missing: 1 } });
  });

  test('a step after a cast that changes values gives no check', async () => {
    const flag = flour
      .input('n', vector('int64', 1))
      .cast('bool')
      .cast('int64')
      .oneHot({ categories: [0, 1] });
    expect((await counted(flour.program({ y: flag.densify() }), [{ n: [7] }])).inputs).toEqual({
      n: { values: 1, missing: 0 },
    });
    const whole = flour
      .input('x', vector('float32', 1))
      .cast('int64')
      .oneHot({ categories: [0, 1] });
    expect((await counted(flour.program({ y: whole.densify() }), [{ x: [Number.NaN] }, { x: [0.5] }])).inputs).toEqual({
      x: { values: 2, missing: 1 },
    });
    const wider = flour
      .input('n', vector('int32', 1))
      .cast('int64')
      .oneHot({ categories: [0, 1] });
    expect((await counted(flour.program({ y: wider.densify() }), [{ n: [7] }])).inputs).toEqual({
      n: { values: 1, missing: 0, unknown: 1 },
    });
    const real = flour.input('n', vector('int64', 3)).cast('float32').treeEnsemble(forest);
    expect((await counted(flour.program({ y: real }), [{ n: [3, 11, 0] }])).inputs).toEqual({
      n: { values: 3, missing: 0, below: 0, above: 2 },
    });
  });

  test('rows have the forms that predictions accept', async () => {
    const grid = flour.input('x', tensor('string', [2, 1])) as Flow<'tensor'>;
    const texts = grid.asVector().oneHot({ categories: ['a', 'b'] });
    const nested = [{ x: [['a'], ['b']] }, { x: ['a', 'c'] }, [['c'], ['b']]];
    expect((await counted(flour.program({ y: texts.densify() }), nested)).inputs).toEqual({
      x: { values: 6, missing: 0, unknown: 2 },
    });
    const square = flour.input('x', tensor('float32', [2, 2])) as Flow<'tensor'>;
    const numbers = square.asVector().map('negate');
    const lists = [{ x: [Float32Array.of(1, 2), Float32Array.of(3, 4)] }];
    expect((await counted(flour.program({ y: numbers }), lists)).inputs).toEqual({ x: { values: 4, missing: 0 } });
    const byte = flour.input('x', vector('float32', 1)).oneHot({ categories: [5] });
    expect((await counted(flour.program({ y: byte.densify() }), [{ x: Uint8Array.of(5) }])).inputs).toEqual({
      x: { values: 1, missing: 0, unknown: 0 },
    });
    const filled = flour
      .input('x', scalar('string'))
      .imputeText({ missing: '?', value: 'a' })
      .oneHot({ categories: ['a'] });
    const bytes = [{ x: Buffer.from('?') }, { x: '?' }];
    expect((await counted(flour.program({ y: filled.densify() }), bytes)).inputs.x).toMatchObject({ missing: 2 });
  });

  test('a row that changes during its call keeps its answer, and does not count', async () => {
    const program = flour.program({ y: flour.input('x', scalar('float32')).map('negate') });
    for (const runtime of runtimes) {
      const plan = runtime!.register(program.plan(), { quality: { sampleEvery: 1 } });
      // the prediction reads the getter first, and the counters read it a second time
      let reads = 0;
      const row = {
        get x() {
          if (reads++ > 0) throw new Error('read again');
          return 3;
        },
      };
      expect(runtime!.predictSync(plan, row)).toEqual({ y: -3 });
      expect(reads).toBe(2);
      expect(runtime!.quality(plan)).toMatchObject({ rows: 0, inputs: { x: { values: 0 } } });
      runtime!.unregister(plan);
    }
  });

  test('a getter of an examined row may call the plan', async () => {
    const a = flour.input('a', scalar('float32')).asVector();
    const program = flour.program({ y: a.concat(flour.input('x', vector('float32', 2))).treeEnsemble(forest) });
    const usual = { a: 0, x: [20, 0] };
    for (const runtime of runtimes) {
      const plan = runtime.register(program.plan(), { quality: { sampleEvery: 1 } });
      runtime.predictSync(plan, usual);
      let reads = 0;
      const row = {
        a: -9,
        get x() {
          // the prediction reads the row first, and the examination reads it again
          if (++reads === 2) runtime.predictSync(plan, usual);
          return [20, 0];
        },
      };
      runtime.predictSync(plan, row);
      runtime.predictSync(plan, usual);
      const { rows, inputs } = runtime.quality(plan)!;
      expect([reads, rows, inputs.a]).toEqual([2, 4, { values: 4, missing: 0, below: 1, above: 0 }]);
      runtime.unregister(plan);
    }
  });

  test('a plan without checks counts rows and missing values; unused inputs and maps have no counters', async () => {
    const x = flour.input('x', scalar('float32'));
    const program = flour.program({ y: x.map('negate') });
    expect((await counted(program, [{ x: 1 }, { x: Number.NaN }])).inputs).toEqual({ x: { values: 2, missing: 1 } });
  });

  test('one of sampleEvery rows of single calls, batches and streams, and at most 128 of a batch', async () => {
    const [runtime] = runtimes;
    const plan = runtime!.register(flour.program({ y: flour.input('x', scalar('float32')).map('negate') }).plan(), {
      quality: { sampleEvery: 4 },
    });
    const rows = () => runtime!.quality(plan)!.rows;
    for (let turn = 0; turn < 5; turn++) runtime!.predictSync(plan, { x: 1 });
    expect(rows()).toBe(2);
    await runtime!.predictBatch(
      plan,
      Array.from({ length: 3 }, () => ({ x: 1 })),
    );
    expect(rows()).toBe(2);
    await runtime!.predictBatch(
      plan,
      Array.from({ length: 9 }, () => ({ x: 1 })),
    );
    expect(rows()).toBe(5);
    await runtime!.predictBatch(
      plan,
      Array.from({ length: 100_000 }, () => ({ x: 1 })),
    );
    expect(rows()).toBeGreaterThan(100);
    expect(rows()).toBeLessThanOrEqual(5 + 128);
    const before = rows();
    await expect(runtime!.predictBatch(plan, [{ x: 'a' }] as never)).rejects.toThrow();
    expect(() => runtime!.predictSync(plan, {} as never)).toThrow();
    expect(rows()).toBe(before);
    runtime!.unregister(plan);
  });

  test.each([7, 'yes', { sampleEvery: 0 }, { sampleEvery: 1.5 }, { every: 3 }])('rejects quality: %j', (quality) => {
    const program = flour.program({ y: flour.input('x', scalar('float32')).map('negate') });
    expect(() => runtimes[0]!.register(program.plan(), { quality: quality as never })).toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_OPTION' }),
    );
  });

  test('plans without the option have no counters', () => {
    const [runtime] = runtimes;
    const plan = runtime!.register(flour.program({ y: flour.input('x', scalar('float32')).map('negate') }).plan());
    runtime!.predictSync(plan, { x: 1 });
    expect(runtime!.quality(plan)).toBeUndefined();
    expect(runtime!.stats().plans.find(({ name }) => name === plan.name)).not.toHaveProperty('quality');
    runtime!.unregister(plan);
  });

  // Without the addon, the reference implementation holds a map of the categories, with and without
  // counters.
  const hasAddon = loadNative().addon !== undefined;
  test('many categories are looked up in the packed dictionary of the plan', async () => {
    const categories = Array.from({ length: 200_000 }, (_, at) => `category ${at}`);
    using own = await createFlour();
    await using runtime = createRuntime({ store: own.store, executors: 0 });
    const plan = own.program({ y: own.input('c', scalar('string')).indexOf(categories) }).plan();
    const one = runtime.register(plan, { quality: { sampleEvery: 1 } });
    const two = runtime.register(plan, { quality: { sampleEvery: 1 }, name: 'two' });
    if (hasAddon) expect(own.store.copiedBytes).toBe(0); // the first examined row copies
    for (const c of ['category 7', 'category 199999', 'category 200000']) {
      runtime.predictSync(one, { c });
      runtime.predictSync(two, { c });
    }
    expect(runtime.quality(one)!.inputs).toEqual({ c: { values: 3, missing: 0, unknown: 1 } });
    expect(runtime.quality(two)).toEqual(runtime.quality(one));
    if (!hasAddon) return;
    const dictionary = plan.stages[0]!.stage.calls![0]!.parameters[0]!;
    expect(own.store.copiedBytes).toBeLessThanOrEqual(own.store.info(dictionary).bytes);
  });
});

test('statistics, metrics and EXPLAIN show the counters', async () => {
  const [runtime] = runtimes;
  const program = flour.program(
    {
      y: flour
        .input('color', scalar('string'))
        .oneHot({ categories: ['red'] })
        .densify(),
    },
    { name: 'colors' },
  );
  const plan = runtime!.register(program.plan(), { quality: true });
  runtime!.predictSync(plan, { color: 'blue' });
  const stats = runtime!.stats();
  expect(stats.plans.find(({ name }) => name === 'colors')!.quality).toEqual({
    sampleEvery: 64,
    rows: 1,
    inputs: { color: { values: 1, missing: 0, unknown: 1 } },
  });
  const readings = runtimeMetrics.flatMap(({ name, read }) => read(stats).map((reading) => ({ name, ...reading })));
  const labels = { plan: 'colors', input: 'color' };
  expect(readings).toContainEqual({ name: 'quality.rows', labels: { plan: 'colors' }, value: 1 });
  expect(readings).toContainEqual({ name: 'quality.unknown', labels, value: 1 });
  expect(readings.some(({ name, labels }) => name === 'quality.below' && labels.plan === 'colors')).toBe(false);
  runtime!.unregister(plan);
  const text = await explainAnalyze(program, [{ color: 'red' }, { color: 'blue' }], { durationMs: 1 });
  expect(text).toContain('data quality of 2 rows');
  expect(text).toMatch(/color +0 +1 \(50.*%\) +- +- +-/);
});

test('an error of measurePlan names the row of the list', async () => {
  const program = flour.program({ y: flour.input('x', scalar('float32')).map('negate') });
  const rows = Array.from({ length: 300 }, (_, at) => ({ x: at === 131 ? 'bad' : 1 }));
  await expect(measurePlan(program, rows as never, { durationMs: 1 })).rejects.toThrow(
    expect.objectContaining({ code: 'ERR_RUNTIME_INPUT', details: expect.objectContaining({ row: 131 }) }),
  );
});

test('a registry has statistics after its runtime closed', async () => {
  const own = await createFlour();
  const runtime = createRuntime({ store: own.store, executors: 0 });
  const registry = await createRegistry({ runtime });
  const program = own.program({ y: own.input('x', scalar('float32')).map('negate') });
  registry.add('negate', { load: async () => ({ plan: program.plan() }) }, { quality: { sampleEvery: 1 } });
  await registry.load('negate');
  registry.predictSync('negate', { x: 1 });
  expect(registry.stats().versions[0]!.quality!.rows).toBe(1);
  await runtime.close();
  expect(registry.stats().versions[0]).toMatchObject({ version: 'negate@1', requests: 1 });
  await registry.close();
  own.dispose();
});

test('a registry adds up the loads of a version', async () => {
  const file = fileURLToPath(new URL('../../../../examples/models/sa-fam-a-00.onnx', import.meta.url));
  await using runtime = createRuntime({ store: flour.store, executors: 0 });
  const registry = await createRegistry({ runtime });
  registry.add('film', { path: file }, { quality: { sampleEvery: 1 } });
  const terms = () => registry.stats().versions[0]!.quality!.inputs.text!.terms!;
  expect(registry.stats().versions[0]!.quality).toBeUndefined();
  await registry.load('film');
  registry.predictSync('film', { text: 'a charming little film' });
  const once = terms();
  expect(once).toBeGreaterThan(20);
  registry.unload('film');
  expect(terms()).toBe(once);
  await registry.load('film');
  registry.predictSync('film', { text: 'a charming little film' });
  expect(terms()).toBe(2 * once);
  const version = registry.stats().versions[0]!.version;
  const readings = registryMetrics.flatMap(({ name, read }) =>
    read(registry.stats()).map((reading) => ({ name, ...reading })),
  );
  expect(readings).toContainEqual({ name: 'registry.version.quality.rows', labels: { version }, value: 2 });
  await registry.close();
});
