import {
  type AnyPlan,
  createFlour,
  createRuntime,
  defineOperator,
  type MaterializationOptions,
  type Runtime,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { Random } from '../../../../native/test/blobs.js';
import { seed } from '../conformance/seed.js';
import { runtimes } from './runtimes.js';

const flour = await createFlour();
const text = flour.columns({ text: 'string' }).select('text');
const counted = text.tokenize().wordNgram({ vocabulary: [['good'], ['bad']] });
let runs = 0;
const shouting = defineOperator({
  name: 'test/shouting',
  inputs: ['text'],
  output: 'float32[2]',
  run: (value) => {
    runs++;
    return [value.length, value.replace(/[^A-Z]/g, '').length];
  },
});
const shouted = text.custom(shouting);
const strict = defineOperator({
  name: 'test/strict',
  inputs: ['text'],
  output: 'float32[2]',
  run: (value) => {
    if (value === 'no') throw new Error('no');
    return [value.length, 0];
  },
});
const known = text.oneHot({ categories: ['good', 'bad'], unknown: 'error' });
const plansOf = (features: typeof counted, weights: readonly number[]) =>
  [1, 2, 3].map((factor) => features.linear({ weights: weights.map((weight) => weight * factor) }).plan());
const counting = defineOperator({
  name: 'test/counting',
  inputs: ['text'],
  output: 'float32[2]',
  run: (value) => [/\bgood\b/g, /\bbad\b/g].map((word) => value.match(word)?.length ?? 0),
});
/** Plans whose featurizer caches results: in kernels of the addon, and in JavaScript. */
const families = {
  native: plansOf(counted, [1, -1]),
  wasm: plansOf(text.custom(counting) as typeof counted, [1, -1]),
};
const customs = plansOf(shouted as typeof counted, [1, 10]);
const stricts = plansOf(text.custom(strict) as typeof counted, [1, 10]);
/**
 * Returns the same plan with a high declared cost. The runtime may cache the results of its
 * featurizers.
 */
const slow = (plan: (typeof customs)[number]) => {
  const stages = plan.stages.map((one) => ({
    ...one,
    marks: { ...one.marks, materializable: one.stage.role === 'featurizer', nanosPerRow: 1e4 },
  }));
  return { ...plan, stages };
};
const picky = plansOf(counted.concat(known) as typeof counted, [1, -1, 4, 8]);
const small = plansOf(flour.columns({ x: 'float32' }).select('x').asVector() as never, [2]);

afterAll(() => {
  for (const plan of [...families.native, ...families.wasm, ...customs, ...stricts, ...picky, ...small]) plan.release();
  flour.dispose();
});

const kept = (runtime: Runtime) => runtime.stats().materialization!;

describe.each(runtimes(flour).map(([name]) => name as keyof typeof families))('%s', (name) => {
  const family = families[name];

  /** Runs a test in a separate runtime, so that its statistics start at zero. */
  async function inRuntime(run: (runtime: Runtime) => unknown, materialization?: MaterializationOptions | false) {
    const runtime = createRuntime({ store: flour.store, native: name === 'native', materialization });
    try {
      await run(runtime);
    } finally {
      await runtime.close();
    }
  }

  test('the second plan of a family finds the results of the first plan', () =>
    inRuntime((runtime) => {
      const [one, two, three] = family.map((plan) => runtime.register(plan));
      expect(kept(runtime)).toMatchObject({
        stages: 1,
        hits: 0,
        misses: 0,
        entries: 0,
        bytes: 0,
        maxBytes: 16 * 2 ** 20,
      });
      expect(runtime.predictSync(one!, 'good good bad')).toEqual({ output: [1] });
      expect(kept(runtime)).toMatchObject({ hits: 0, misses: 1, entries: 1, evictions: 0 });
      expect(runtime.predictSync(two!, { text: 'good good bad' })).toEqual({ output: [2] });
      expect(runtime.predictSync(three!, { text: Buffer.from('good good bad') })).toEqual({ output: [3] });
      expect(runtime.predictSync(three!, 'good bad bad')).toEqual({ output: [-3] });
      expect(kept(runtime)).toMatchObject({ hits: 2, misses: 2, entries: 2 });
    }));

  test('a custom operator is not called again', () =>
    inRuntime((runtime) => {
      const plans = customs.map((plan) => runtime.register(plan));
      runs = 0;
      const answers = plans.map((plan) => runtime.predictSync(plan, 'A good FILM'));
      expect(answers).toEqual([61, 122, 183].map((score) => ({ output: [score] })));
      expect(runs).toBe(1);
    }));

  test('off: nothing is cached or counted', () =>
    inRuntime((runtime) => {
      const plans = customs.map((plan) => runtime.register(plan));
      runs = 0;
      for (const plan of plans) runtime.predictSync(plan, 'A');
      expect(runs).toBe(3);
      expect(runtime.stats()).not.toHaveProperty('materialization');
    }, false));

  test('a stage of a single plan caches nothing, and a cache ends with its second last plan', () =>
    inRuntime((runtime) => {
      const first = runtime.register(family[0]!);
      runtime.predictSync(first, 'good');
      expect(kept(runtime)).toMatchObject({ stages: 0, hits: 0, misses: 0 });
      for (let time = 0; time < 3; time++) {
        const second = runtime.register(family[1]!);
        for (const plan of [first, second]) runtime.predictSync(plan, 'good');
        expect(kept(runtime)).toMatchObject({ stages: 1, entries: 1, hits: time + 1, misses: time + 1 });
        runtime.unregister(second);
        expect(kept(runtime)).toMatchObject({ stages: 0, entries: 0, bytes: 0 });
      }
    }));

  test('results of fast stages are not cached', () =>
    inRuntime((runtime) => {
      const plans = small.map((plan) => runtime.register(plan));
      for (const plan of plans) runtime.predictSync(plan as AnyPlan, { x: 1 });
      expect(kept(runtime)).toMatchObject({ stages: 0, misses: 0 });
    }));

  test('batches share results: a stage does not run on rows that another plan answered', () =>
    inRuntime(async (runtime) => {
      const [one, two, three] = customs.map((plan) => runtime.register(plan));
      runs = 0;
      const scores = (texts: string, factor: number) =>
        [...texts].map((text) => ({ output: [factor * (text === text.toUpperCase() ? 11 : 1)] }));
      const rows = (texts: string) => [...texts].map((text) => ({ text }));
      expect(await runtime.predictBatch(one!, rows('AbCd'))).toEqual(scores('AbCd', 1));
      expect(runs).toBe(4);
      expect(await runtime.predictBatch(two!, rows('dxAbY'))).toEqual(scores('dxAbY', 2));
      expect(runs).toBe(6); // "x" and "Y"
      expect(await runtime.predictColumns(three!, { text: [...'YxdCbA'] })).toEqual({
        output: expect.objectContaining({ 0: 33, 1: 3, 2: 3, 3: 33, 4: 3, 5: 33 }),
      });
      expect(runtime.predictSync(one!, 'Y')).toEqual({ output: [11] }); // single rows share, too
      expect(runs).toBe(6);
      expect(kept(runtime)).toMatchObject({ hits: 10, misses: 6, entries: 6 });
    }));

  test('batches on executors share results', () =>
    inRuntime(async (runtime) => {
      const plans = family.map((plan) => runtime.register(plan));
      // 200 different texts, so that the first batch shows that inputs repeat
      const texts = Array.from({ length: 3000 }, (_, at) => `${'good '.repeat(1 + (at % 5))}${at % 200} bad`);
      for (const [at, plan] of plans.entries()) {
        const want = texts.map((_, row) => ({ output: [(at + 1) * (row % 5)] }));
        expect(await runtime.predictBatch(plan, texts)).toEqual(want);
      }
      if (name !== 'native') return; // worker threads that run JavaScript do not share
      expect(runtime.stats().executors.shared.rows).toBeGreaterThan(0);
      expect(kept(runtime).hits).toBeGreaterThan(2 * texts.length);
    }));

  test('a rejected row is reported with its index, although the stage runs on fewer rows', () =>
    inRuntime(async (runtime) => {
      const plans = picky.map((plan) => runtime.register(slow(plan)));
      await runtime.predictBatch(plans[0]!, ['good', 'bad']);
      for (const plan of plans)
        await expect(runtime.predictBatch(plan, ['good', 'bad', 'good', 'neither', 'bad'])).rejects.toMatchObject({
          code: 'ERR_RUNTIME_INPUT',
          details: { row: 3 },
        });
      expect(await runtime.predictBatch(plans[1]!, ['bad', 'good'])).toEqual([{ output: [14] }, { output: [10] }]);
    }));

  test('the error of a custom operator names the row', () =>
    inRuntime(async (runtime) => {
      const [one, two] = stricts.map((plan) => runtime.register(plan));
      await runtime.predictBatch(one!, ['a', 'b', 'c']);
      await expect(runtime.predictBatch(two!, ['a', 'b', 'no', 'c'])).rejects.toMatchObject({
        code: 'ERR_RUNTIME_CUSTOM',
        message: expect.stringContaining('row 2'),
        cause: expect.objectContaining({ cause: expect.objectContaining({ message: 'no' }) }),
      });
    }));

  test('the reference engine and profile do not use the cache', () =>
    inRuntime(async (runtime) => {
      const [one, two] = customs.map((plan) => runtime.register(plan));
      const rows = ['A', 'A', 'B'].map((value) => ({ text: value }));
      await runtime.predictBatch(one!, rows.slice(0, 1), { engine: 'reference' });
      const profiled = runtime.profile(one!, rows, { durationMs: 1, blockRows: 1 });
      runtime.predictSync(two!, 'A'); // a prediction during the profile
      await profiled;
      expect(kept(runtime)).toMatchObject({ hits: 0, misses: 0, entries: 0 });
      for (const plan of [one!, two!]) runtime.predictSync(plan, 'A');
      expect(kept(runtime)).toMatchObject({ hits: 1, misses: 1 });
    }));

  test('a rejected row is rejected again', () =>
    inRuntime((runtime) => {
      const plans = picky.map((plan) => runtime.register(slow(plan)));
      const refused = expect.objectContaining({ code: 'ERR_RUNTIME_INPUT' });
      for (const plan of [...plans, ...plans]) {
        expect(() => runtime.predictSync(plan, 'neither')).toThrow(refused);
        expect(() => runtime.predictSync(plan, 5 as never)).toThrow(refused);
      }
      // One stage counts words. Another stage rejects unknown words.
      if (name === 'native') expect(kept(runtime)).toMatchObject({ stages: 2, hits: 5, misses: 7, entries: 1 });
      const answers = plans.map((plan) => runtime.predictSync(plan, 'good'));
      expect(answers).toEqual([5, 10, 15].map((score) => ({ output: [score] })));
      if (name === 'native') expect(kept(runtime)).toMatchObject({ hits: 9, misses: 9, entries: 3 });
      else expect(kept(runtime)).toMatchObject({ stages: 0, hits: 0, misses: 0 });
    }));

  test('memory is bounded for texts of any sizes', () => {
    const maxBytes = 50_000;
    const random = new Random(seed);
    return inRuntime(
      (runtime) => {
        const plans = family.map((plan) => runtime.register(plan));
        const texts = Array.from({ length: 40 }, () =>
          'good bad '.repeat(2 ** random.below(14)).slice(random.below(9)),
        );
        for (let time = 0; time < 500; time++) {
          const [plan, value] = [random.below(3), random.pick(texts)];
          const count = (word: RegExp) => value.match(word)?.length ?? 0;
          const score = (count(/\bgood\b/g) - count(/\bbad\b/g)) * (plan + 1);
          expect(runtime.predictSync(plans[plan]!, value).output, `BREZEL_SEED=${seed}`).toEqual([score]);
          expect(kept(runtime).bytes).toBeLessThanOrEqual(maxBytes);
        }
        expect(kept(runtime).hits).toBeGreaterThan(0);
        expect(kept(runtime).evictions).toBeGreaterThan(0);
      },
      { maxBytes },
    );
  });

  test('results of texts that do not repeat are soon not cached, until texts repeat', () =>
    inRuntime((runtime) => {
      const plans = family.map((plan) => runtime.register(plan));
      const ask = (first: number, count: number) => {
        for (let at = first; at < first + count; at++) runtime.predictSync(plans[at % 3]!, `good ${at}`);
      };
      ask(0, 2000);
      const { entries } = kept(runtime);
      expect(entries).toBeLessThan(600);
      for (let time = 0; time < 80; time++) ask(1e6, 100);
      const { hits } = kept(runtime);
      ask(1e6, 100);
      expect(kept(runtime).hits - hits).toBe(100);
    }));

  test('each runtime has a separate budget', () =>
    inRuntime((one) =>
      inRuntime(
        (other) => {
          for (const runtime of [one, other]) for (const plan of family) runtime.register(plan);
          const [plan] = [...one.stats().plans];
          expect(plan!.sharedStages).toBe(1);
          const extra = one.register(family[0]!);
          for (let time = 0; time < 2; time++) one.predictSync(extra, 'good');
          expect(kept(one)).toMatchObject({ hits: 1, maxBytes: 16 * 2 ** 20 });
          expect(kept(other)).toMatchObject({ hits: 0, misses: 0, maxBytes: 2048 });
        },
        { maxBytes: 2048 },
      ),
    ));

  test.each<[string, unknown, string]>([
    [
      'too small',
      { maxBytes: 1023 },
      'expected materialization.maxBytes an integer from 1024 at createRuntime, received 1023',
    ],
    [
      'no integer',
      { maxBytes: 1e6 + 0.5 },
      'expected materialization.maxBytes an integer from 1024 at createRuntime, received 1000000.5',
    ],
    [
      'no number',
      { maxBytes: '1 MiB' },
      'expected materialization.maxBytes an integer from 1024 at createRuntime, received 1 MiB',
    ],
    ['true', true, 'expected materialization, an object or false at createRuntime, received true'],
    ['null', null, 'expected materialization, an object or false at createRuntime, received null'],
  ])('an option that is %s', (_, materialization, message) => {
    expect(() =>
      createRuntime({ store: flour.store, native: name === 'native', materialization: materialization as never }),
    ).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_OPTION', message }));
  });
});
