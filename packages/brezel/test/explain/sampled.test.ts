import {
  type CompiledPlan,
  type Contributions,
  createFlour,
  createRegistry,
  createRuntime,
  defineOperator,
  type RegisteredPlan,
  type Runtime,
  vector,
} from 'brezel';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forests } from './random-forests.js';
import { shapleyValues } from './shapley.js';

type Flour = Awaited<ReturnType<typeof createFlour>>;

const product = defineOperator({
  name: 'sampled-test/product',
  inputs: ['float32[]'],
  output: 'float32',
  run: (x) => x[0]! * x[1]! + x[2]! * x[3]! * x[4]! - x[5]!,
});

/** Models without an exact explanation: a network, and a function of the user. */
const models: Readonly<Record<string, (flour: Flour) => { plan(): CompiledPlan }>> = {
  network: (flour: Flour) => {
    const weights = Array.from({ length: 24 }, (_, at) => Math.sin(1 + at));
    return flour
      .input('x', vector('float32', 6))
      .linear({ weights, bias: [0.1, -0.2, 0.3, 0] })
      .map('relu')
      .linear({ weights: [1, -2, 3, 0.5] });
  },
  product: (flour: Flour) => flour.input('x', vector('float32', 6)).custom(product),
};

const checkSum = ({ base, rest, raw, contributions }: Contributions) => {
  const magnitude = contributions.reduce((sum, { value }) => sum + Math.abs(value), 1 + Math.abs(raw));
  const sum = contributions.reduce((total, { value }) => total + value, base + rest);
  expect(Math.abs(sum - raw)).toBeLessThanOrEqual(1e-6 * magnitude);
};

const rowOf = (seed: number) => Array.from({ length: 6 }, (_, at) => Math.fround(Math.cos(seed * 7 + at * 3) * 2));
const row = rowOf(1);
const background = [2, 3, 4, 5].map(rowOf);

async function definition(runtime: Runtime, plan: RegisteredPlan, x = row, compared = background) {
  const scores = async (rows: number[][]) => {
    const answers = await runtime.predictBatch(
      plan,
      rows.map((one) => ({ x: one })),
    );
    return answers.map(({ output }) => Number([output].flat()[0]));
  };
  return shapleyValues(x, compared, scores);
}

const sampled = (compared: readonly (readonly number[])[] = background) => ({
  method: 'sampled' as const,
  background: compared.map((x) => ({ x })),
});

describe('sampled contributions', () => {
  test.each(Object.entries(models))('estimate the Shapley values of a %s within standard errors', async (_, build) => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const plan = runtime.register(build(flour).plan()) as RegisteredPlan;
    expect(() => runtime.contributions(plan, { x: row })).toThrow(
      expect.objectContaining({ code: 'ERR_EXPLAIN_OPERATOR' }),
    );
    const wanted = await definition(runtime, plan);
    let [farthest, total] = [0, 0];
    for (const seed of [1, 2, 3, 4, 5]) {
      const why = runtime.contributions(plan, { x: row }, { ...sampled(), samples: 5, seed });
      checkSum(why);
      expect(why.base).toBeCloseTo(wanted.base, 5);
      expect(why.sampling).toEqual({ samples: 5, seed, evaluations: 4 * 2 * 5 * 5 });
      for (const { index, value, error } of why.contributions) {
        const distance = Math.abs(value - wanted.values.get(index!)!);
        farthest = Math.max(farthest, (distance - 1e-5) / Math.max(error!, 1e-5));
        total += error!;
      }
    }
    expect(total).toBeGreaterThan(0.01);
    expect(farthest).toBeLessThan(5);
  });

  test.each(Object.entries(models))('are exact for a %s if all subsets need no more runs', async (_, build) => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const plan = runtime.register(build(flour).plan()) as RegisteredPlan;
    const wanted = await definition(runtime, plan);
    const why = runtime.contributions(plan, { x: row }, { ...sampled(), samples: 7 });
    checkSum(why);
    expect(why.sampling!.evaluations).toBe(4 * 62);
    expect(why.contributions).toHaveLength(6);
    for (const { index, value, error } of why.contributions) {
      expect(error).toBe(0);
      expect(value).toBeCloseTo(wanted.values.get(index!)!, 5);
    }
    // Fields that equal those of the background cost nothing.
    const same = [row.map((one, at) => (at < 2 ? 0 : one)), row, row.map((one, at) => (at < 1 ? 1 : one))];
    const few = runtime.contributions(plan, { x: row }, { ...sampled(same), samples: 2 });
    expect(few.sampling!.evaluations).toBe(2);
    const exact = await definition(runtime, plan, row, same);
    for (const { index, value, error } of few.contributions) {
      expect([index! < 2, error]).toEqual([true, 0]);
      expect(value).toBeCloseTo(exact.values.get(index!)!, 5);
    }
  });

  test('agree with exact explanations of forests with a background', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const numbers = fc.integer({ min: -1, max: 9 }).map((half) => half / 2);
    const vectors = fc.array(numbers, { minLength: 5, maxLength: 5 });
    const backgrounds = fc.array(vectors, { minLength: 1, maxLength: 4 });
    const property = fc.asyncProperty(forests, vectors, backgrounds, async (forest, x, compared) => {
      const plan = runtime.register(flour.input('x', vector('float32', 5)).treeEnsemble(forest).plan());
      const options = { ...sampled(compared), class: 1 };
      const estimated = runtime.contributions(plan, { x }, { ...options, samples: 8 });
      const exact = runtime.contributions(plan, { x }, { ...options, method: 'exact' });
      const found = new Map(estimated.contributions.map((one) => [one.index, one]));
      for (const { index, value } of exact.contributions) {
        const close = { input: 'x', index, error: 0, value: expect.closeTo(value, 3) };
        if (Math.abs(value) > 1e-3) expect(found.get(index)).toMatchObject(close);
      }
      runtime.unregister(plan);
    });
    await fc.assert(property, { numRuns: 15 });
  });

  test('are the same alone and in batches, in every engine, for the same seed', async () => {
    using flour = await createFlour();
    const rows = Array.from({ length: 20 }, (_, at) => ({ x: rowOf(at) }));
    const options = { ...sampled(), samples: 3, seed: -7, top: 4 };
    let first: Contributions[] | undefined;
    for (const engine of [{}, { native: false as const }, { isa: 'baseline' as const }]) {
      await using runtime = createRuntime({ store: flour.store, executors: 0, ...engine });
      const plan = runtime.register(models.network!(flour).plan());
      const whys = await runtime.contributionsBatch(plan, rows, options);
      whys.forEach(checkSum);
      expect(rows.map((one) => runtime.contributions(plan, one, options))).toEqual(whys);
      first ??= whys;
      expect(whys).toEqual(first);
      const other = runtime.contributions(plan, rows[0]!, { ...options, seed: 2 });
      expect(other.contributions).not.toEqual(whys[0]!.contributions);
      const { classes } = await runtime.importance(plan, rows, { ...sampled(), samples: 3, seed: -7 });
      const all = await runtime.contributionsBatch(plan, rows, { ...options, top: undefined });
      const mean =
        all.reduce((sum, one) => sum + Math.abs(one.contributions.find(({ index }) => index === 0)?.value ?? 0), 0) /
        20;
      expect(classes[0]!.features.find(({ index }) => index === 0)!.importance).toBeCloseTo(mean, 12);
    }
  });

  test('of columns, texts and dictionaries name the input', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const columns = flour.columns({ text: 'string', stars: 'float32' });
    const words = columns
      .select('text')
      .tokenize({ by: 'words' })
      .wordNgram({ vocabulary: [['good'], ['bad']] });
    const score = words
      .concat(columns.select('stars').asVector())
      .linear({ weights: [2, -1, 0.5] })
      .map('sigmoid');
    const plan = runtime.register(score.plan());
    const why = runtime.contributions(
      plan,
      { text: 'good film', stars: 2 },
      { method: 'sampled', background: [{ text: 'bad', stars: 4 }], samples: 2, reasons: 1, texts: { text: 'Words' } },
    );
    expect(why).toMatchObject({ link: 'logit', raw: 3, base: 1, sampling: { evaluations: 2 } });
    expect(why.contributions).toEqual([
      { input: 'text', at: [0, 9], value: 3, error: 0 },
      { input: 'stars', received: 2, value: -1, error: 0 },
    ]);
    expect(why.reasons!.toward).toEqual([{ input: 'text', text: 'Words', value: 3 }]);
  });

  test('work in a registry and beside answers', async () => {
    await using registry = await createRegistry();
    using flour = await createFlour({ store: registry.store });
    registry.add('network', models.network!(flour).plan());
    const contributions = { ...sampled(), samples: 7 };
    const { contributions: why } = await registry.predict('network', { x: row }, { contributions });
    expect(why.contributions).toHaveLength(6);
  });

  test('refuse invalid options, and too many runs', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const plan = runtime.register(models.network!(flour).plan());
    const explain = (options: object) => runtime.contributions(plan, { x: row }, options as never);
    for (const wrong of [
      { method: 'sampled' },
      { ...sampled(), method: 'kernel' },
      { ...sampled(), samples: 1 },
      { ...sampled(), samples: 2.5 },
      { ...sampled(), samples: 10_001 },
      { ...sampled(), samples: Number.NaN },
      { ...sampled(), seed: 'a' },
      { ...sampled(), seed: 2 ** 40 },
      { samples: 3 },
      { seed: 3 },
      { ...sampled(), interactions: true },
    ])
      expect(() => explain(wrong)).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_OPTION' }));
    const many = Array.from({ length: 600 }, (_, at) => rowOf(at + 2));
    expect(() => explain({ ...sampled(many), samples: 10 })).not.toThrow();
    const wide = runtime.register(
      flour
        .input('x', vector('float32', 2000))
        .linear({ weights: new Array(2000).fill(1) })
        .map('relu')
        .plan(),
    );
    const zeros = { x: new Array<number>(2000).fill(0) };
    const ones = new Array(9).fill({ x: new Array<number>(2000).fill(1) });
    expect(() => runtime.contributions(wide, zeros, { method: 'sampled', background: ones })).toThrow(
      expect.objectContaining({ code: 'ERR_EXPLAIN_LIMIT', hint: expect.stringContaining('fewer background rows') }),
    );
  });

  test('report the row for which an operator fails', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const picky = defineOperator({
      name: 'sampled-test/picky',
      inputs: ['float32[]'],
      output: 'float32',
      run: (x) => {
        if (x[0] === 1 && x[1] === 0) throw new Error('an odd mixture');
        return x[0]!;
      },
    });
    const plan = runtime.register(flour.input('x', vector('float32', 2)).custom(picky).plan());
    const rows = [{ x: [0, 0] }, { x: [1, 1] }];
    await expect(
      runtime.contributionsBatch(plan, rows, { method: 'sampled', background: [{ x: [0, 0] }] }),
    ).rejects.toMatchObject({ code: 'ERR_RUNTIME_CUSTOM', details: { row: 1 } });
  });
});
