import { readFileSync } from 'node:fs';
import { type ContributionRules, numberShares } from '@brezel/core';
import { registerCustom } from '@brezel/flour';
import {
  type CompiledPlan,
  type Contributions,
  createFlour,
  createRuntime,
  defineOperator,
  importOnnx,
  type Row,
  vector,
} from 'brezel';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TickingClock } from '../../../../testing/ticking-clock.js';
import { forests } from './random-forests.js';

type Flour = Awaited<ReturnType<typeof createFlour>>;

/** Explains rows of a program. Each explanation is checked: its parts add up to the score. */
async function explained(
  build: (flour: Flour) => { plan(): CompiledPlan },
  rows: readonly Row[],
  options: object = {},
): Promise<Contributions[]> {
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store, executors: 0 });
  const plan = runtime.register(build(flour).plan());
  return rows.map((row) => {
    const why = runtime.contributions(plan, row, options);
    const magnitude = why.contributions.reduce((sum, { value }) => sum + Math.abs(value), 1);
    const sum = why.contributions.reduce((total, { value }) => total + value, why.base + why.rest);
    expect(Math.abs(sum - why.raw)).toBeLessThan(1e-6 * magnitude);
    return why;
  });
}

const listed = ({ contributions }: Contributions) =>
  contributions.map(({ value, ...place }) => ({ ...place, value: Math.fround(value) }));

describe('contributions of a linear model', () => {
  test('are weight times value, and the bias is the base', async () => {
    const [why] = await explained(
      (flour) => flour.input('x', vector('float32', 3)).linear({ weights: [2, -1, 4], bias: 0.5 }),
      [{ x: [1, 3, 0] }],
    );
    expect(why).toMatchObject({ output: 'output', answer: -0.5, raw: -0.5, base: 0.5, link: 'identity', rest: 0 });
    expect(listed(why!)).toEqual([
      { input: 'x', index: 1, received: 3, value: -3 },
      { input: 'x', index: 0, received: 1, value: 2 },
    ]);
  });

  test('stop at the score before a sigmoid', async () => {
    const [why] = await explained(
      (flour) => flour.input('x', vector('float32', 2)).logistic({ weights: [1, 2] }),
      [{ x: [1, 1] }],
    );
    expect(why!.raw).toBe(3);
    expect(why!.link).toBe('logit');
    expect(why!.answer).toBeCloseTo(1 / (1 + Math.exp(-3)), 6);
  });

  test('explain the greatest class, or the class that the caller names', async () => {
    const build = (flour: Flour) =>
      flour
        .input('x', vector('float32', 2))
        .linear({ weights: [1, -1, 2, -2], bias: [0.25, -0.25] })
        .softmax();
    const [greatest] = await explained(build, [{ x: [1, 1] }]);
    expect(greatest).toMatchObject({ class: 0, raw: 3.25, base: 0.25, link: 'softmax' });
    const [other] = await explained(build, [{ x: [1, 1] }], { class: 1 });
    expect(other).toMatchObject({ class: 1, raw: -3.25, base: -0.25 });
    expect(listed(other!).map(({ value }) => value)).toEqual([-2, -1]);
  });

  test('of both classes of one score have opposite signs', async () => {
    const bytes = readFileSync(new URL('../../../../examples/models/sa-fam-a-00.onnx', import.meta.url));
    const build = (flour: Flour) => importOnnx(bytes, flour).program;
    const rows = [{ text: 'It was not a good film, not good at all.' }];
    const [first] = await explained(build, rows, { output: 'probabilities', class: 0 });
    const [second] = await explained(build, rows, { output: 'probabilities', class: 1 });
    expect(second!.raw).toBe(-first!.raw);
    expect([first!.link, second!.link]).toEqual(['logit', 'logit']);
    expect(first!.answer).toBeCloseTo(1 / (1 + Math.exp(-first!.raw)), 6);
    expect(second!.contributions[0]!.value).toBe(-first!.contributions[0]!.value);
    const [label] = await explained(build, rows, { output: 'label', top: 3 });
    expect(label!.answer).toBe(first!.raw > 0 ? 0 : 1);
    expect(label!.raw).toBe(Math.abs(first!.raw));
    expect(label!.contributions).toHaveLength(3);
    expect(label!.rest).not.toBe(0);
  });

  test('pass through scalers, imputers and selections to the inputs', async () => {
    const build = (flour: Flour) => {
      const input = flour.columns({ a: 'float32', b: 'float32', c: 'float32' });
      const all = input.select('a').asVector().concat(input.select('b').asVector(), input.select('c').asVector());
      return all
        .impute({ values: [5, 6, 7] })
        .scale({ offset: [1, 2, 3], scale: [2, 2, 2] })
        .selectColumns([2, 0])
        .linear({ weights: [1, 10] });
    };
    const [why] = await explained(build, [{ a: 4, b: 100, c: Number.NaN }]);
    expect(listed(why!)).toEqual([
      { input: 'a', received: 4, value: 60 },
      { input: 'c', received: Number.NaN, value: 8 },
    ]);
  });

  test('pass through a projection on components', async () => {
    const components = [0.6, 0.8, -0.8, 0.6]; // the first component, then the second
    const [why] = await explained(
      (flour) =>
        flour
          .input('x', vector('float32', 2))
          .project({ components, mean: [1, 1] })
          .linear({ weights: [1, 2] }),
      [{ x: [2, 3] }],
    );
    // x - mean is (1, 2). The weights of the columns are (0.6 - 0.8 * 2, 0.8 + 0.6 * 2).
    expect(listed(why!).map(({ index, value }) => [index, value])).toEqual([
      [1, 4],
      [0, -1],
    ]);
  });

  test('of a repeated value carry the constants of all columns', async () => {
    const build = (flour: Flour) => {
      const x = flour.input('x', vector('float32', 1));
      const sum = x.arithmetic('add', flour.input('y', vector('float32', 3)));
      return sum.map('affine', { alpha: 2, beta: 5 }).linear({ weights: [1, 1, 1] });
    };
    const [why] = await explained(build, [{ x: [1], y: [1, 2, 3] }]);
    expect(why).toMatchObject({ raw: 33, base: 15 });
    expect(listed(why!).map(({ input, value }) => [input, value])).toEqual([
      ['x', 6],
      ['y', 6],
      ['y', 4],
      ['y', 2],
    ]);
  });

  test('of a row with NaN are NaN, and the greatest class is a number', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const x = flour.input('x', vector('float32', 3)).normalize('l2');
    const linear = runtime.register(x.linear({ weights: [1, 2, 3] }).plan(), { name: 'linear' });
    const { raw, contributions } = runtime.contributions(linear, { x: [Number.NaN, 1, 2] }, { top: 1 });
    expect([raw, contributions[0]!.value]).toEqual([Number.NaN, Number.NaN]);
    const plain = runtime.register(flour.input('x', vector('float32', 3)).map('negate').plan(), { name: 'plain' });
    expect(runtime.contributions(plain, { x: [Number.NaN, 3, 2] })).toMatchObject({ class: 2, answer: -2 });
  });

  test('of a category are those of all its columns', async () => {
    const build = (flour: Flour) => {
      const input = flour.columns({ city: 'string', age: 'float32' });
      const city = input.select('city').oneHot({ categories: ['Rome', 'Oslo'] });
      return city.concat(input.select('age').asVector()).linear({ weights: [3, -2, 0.5] });
    };
    const [rome, other] = await explained(build, [
      { city: 'Rome', age: 10 },
      { city: 'Bonn', age: 10 },
    ]);
    expect(listed(rome!)).toEqual([
      { input: 'age', received: 10, value: 5 },
      { input: 'city', feature: 'Rome', at: [0, 4], value: 3 },
    ]);
    expect(listed(other!)).toEqual([{ input: 'age', received: 10, value: 5 }]);
  });
});

describe('contributions of a text', () => {
  const vocabulary = [['not', 'good'], ['good'], ['creme']];

  test('name n-grams and their places in the text of the caller', async () => {
    const text = 'GOOD?  Not good, crème!';
    const [why] = await explained(
      (flour) =>
        flour
          .columns({ text: 'string' })
          .select('text')
          .preprocess({ stripAccents: 'unicode' })
          .tokenize({ by: 'words' })
          .wordNgram({ vocabulary })
          .linear({ weights: [-4, 1, 0.5], bias: 0.125 }),
      [{ text }],
    );
    expect(listed(why!)).toEqual([
      { input: 'text', feature: 'not good', at: [7, 15], value: -4 },
      {
        input: 'text',
        feature: 'good',
        at: [0, 4],
        places: [
          [0, 4],
          [11, 15],
        ],
        value: 2,
      },
      { input: 'text', feature: 'creme', at: [17, 22], value: 0.5 },
    ]);
    expect(why!.base).toBe(0.125);
    expect(why!.contributions.map(({ at }) => text.slice(...at!))).toEqual(['Not good', 'GOOD', 'crème']);
  });

  test('explain a sparse output', async () => {
    const build = (flour: Flour) =>
      flour
        .columns({ text: 'string' })
        .select('text')
        .tokenize()
        .wordNgram({ vocabulary: [['a'], ['b']] });
    const [why] = await explained(build, [{ text: 'a b b' }]);
    expect(why).toMatchObject({ class: 1, answer: 2, raw: 2 });
    expect(listed(why!)).toEqual([
      {
        input: 'text',
        feature: 'b',
        at: [2, 3],
        places: [
          [2, 3],
          [4, 5],
        ],
        value: 2,
      },
    ]);
  });

  // With quadratic time, this test would take minutes.
  test('of a long text take linear time', async () => {
    const build = (flour: Flour) =>
      flour
        .columns({ text: 'string' })
        .select('text')
        .tokenize()
        .wordNgram({ vocabulary: [['a']] })
        .linear({ weights: [1] });
    const [why] = await explained(build, [{ text: 'a '.repeat(200_000) }]);
    expect(why!.contributions[0]!.places).toHaveLength(200_000);
  });

  test('of hashed n-grams list all n-grams of a column', async () => {
    const [why] = await explained(
      (flour) =>
        flour
          .columns({ text: 'string' })
          .select('text')
          .tokenize()
          .hashNgram({ columns: 1, alternateSign: false })
          .linear({ weights: [2] }),
      [{ text: 'a b a' }],
    );
    expect(why!.contributions[0]).toMatchObject({ feature: 'a | b', at: [0, 1], value: 6 });
  });

  test('keep their places through every operator on texts', async () => {
    const letters = fc.constantFrom('a', 'B', 'é', 'İ', 'ﬁ', '𝒜', 'Σ', ' ', '  ', '\t', '½', '가', 'z\u0301');
    const texts = fc.array(letters, { maxLength: 12 }).map((parts) => parts.join(''));
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const text = () => flour.columns({ text: 'string' }).select('text');
    const prepared = [
      text(),
      text().preprocess({ stripAccents: 'unicode' }),
      text().preprocess({ stripAccents: 'ascii' }),
      text().normalizeText({ keepPunctuations: false, keepNumbers: false }),
      text().stringNormalize({ case: 'lower' }),
    ];
    // Every character is an n-gram. The locations must cover the characters that the operators
    // keep, in order.
    const grams = [...'abcdefghijklmnopqrstuvwxyz'].map((letter) => [letter]);
    const plans = prepared.map((flow, at) =>
      runtime.register(
        flow
          .charNgram({ vocabulary: grams })
          .linear({ weights: new Array(26).fill(1) })
          .plan({ name: 'p' } as never),
        { name: `plan ${at}` },
      ),
    );
    fc.assert(
      fc.property(texts, (row) => {
        for (const plan of plans)
          for (const { feature, at, places = [at!] } of runtime.contributions(plan, { text: row }).contributions)
            for (const [start, end] of places) {
              const part = row.slice(start, end);
              expect(part).not.toBe('');
              expect(part.normalize('NFKD').toLowerCase()).toContain(feature!);
            }
      }),
    );
  });
});

describe('contributions of a forest', () => {
  test('have the same bits in the addon and in JavaScript, one by one and in batches', async () => {
    const numbers = fc.oneof(
      fc.integer({ min: -1, max: 9 }).map((half) => half / 2),
      fc.constant(Number.NaN),
    );
    const rows = fc.array(fc.array(numbers, { minLength: 5, maxLength: 5 }), { minLength: 1, maxLength: 20 });
    using flour = await createFlour();
    const runtimes = [{}, { native: false as const }, { isa: 'baseline' as const }].map((options) =>
      createRuntime({ store: flour.store, executors: 0, ...options }),
    );
    const property = fc.asyncProperty(forests, rows, fc.constantFrom(0, 1, undefined), async (forest, xs, one) => {
      const plans = runtimes.map((runtime) =>
        runtime.register(flour.input('x', vector('float32', 5)).treeEnsemble(forest).plan()),
      );
      const inputs = xs.map((x) => ({ x }));
      const [native, javascript, baseline] = await Promise.all(
        runtimes.map((runtime, at) => runtime.contributionsBatch(plans[at]!, inputs, { class: one })),
      );
      expect(native).toEqual(javascript);
      expect(baseline).toEqual(javascript);
      expect(inputs.map((row) => runtimes[0]!.contributions(plans[0]!, row, { class: one }))).toEqual(native);
      native!.forEach(({ base, raw, answer, contributions, class: element = 0 }, row) => {
        expect(contributions.reduce((sum, { value }) => sum + value, base)).toBeCloseTo(raw, 3);
        // The explained answer has the bits of the plan's answer.
        const { output } = runtimes[0]!.predictSync(plans[0]!, inputs[row]!) as { output: number | number[] };
        expect(answer).toBe([output].flat()[element as number]);
      });
      runtimes.forEach((runtime, at) => {
        runtime.unregister(plans[at]!);
      });
    });
    await fc.assert(property, { numRuns: 25 });
    for (const runtime of runtimes) await runtime.close();
  });
});

describe('interactions', () => {
  /**
   * A score by city and age: Rome gives 4 if the age is above 12, Oslo gives 2, all other rows give
   * 0. Each leaf has one training row.
   */
  const forest = {
    feature: Int32Array.of(0, 2, 1, 0, 0, 0, 0),
    threshold: Float32Array.of(0.5, 1, 0.5, 0, 0, 0, 0),
    mode: Int32Array.of(0, 0, 0, 6, 6, 6, 6),
    trueChild: Int32Array.of(2, 4, 6, 0, 0, 0, 0),
    falseChild: Int32Array.of(1, 3, 5, 0, 0, 0, 0),
    missingTrue: new Int32Array(7),
    roots: Int32Array.of(0),
    leafStart: Int32Array.of(0, 0, 0, 0, 1, 2, 3, 4),
    leafTarget: new Int32Array(4),
    leafWeight: Float32Array.of(4, 0, 2, 0),
    base: Float32Array.of(0),
    cover: Float32Array.of(4, 2, 2, 1, 1, 1, 1),
  };
  const ages = (flour: Flour) => {
    const input = flour.columns({ city: 'string', age: 'float32', weight: 'float32' });
    const city = input.select('city').oneHot({ categories: ['Rome', 'Oslo'] });
    const age = input
      .select('age')
      .asVector()
      .scale({ offset: [10], scale: [0.5] });
    const score = city.concat(age).treeEnsemble(forest);
    const weight = input
      .select('weight')
      .asVector()
      .linear({ weights: [0.25] });
    return score.arithmetic('add', weight);
  };
  const row = { city: 'Rome', age: 14, weight: 2 };

  test('of columns become interactions of the row', async () => {
    const [why] = await explained(ages, [row], { interactions: true });
    expect(listed(why!)).toEqual([
      { input: 'age', received: 14, value: 1.5 },
      { input: 'city', feature: 'Rome', at: [0, 4], value: 1 },
      { input: 'weight', received: 2, value: 0.5 },
    ]);
    const close = (value: number) => expect.closeTo(value, 12);
    expect(why!.interactions).toEqual([
      [close(1), close(0.5), 0],
      [close(0.5), close(0.5), 0],
      [0, 0, 0.5],
    ]);
  });

  test('are those of the listed contributions, one by one and in batches', async () => {
    const [why] = await explained(ages, [row], { interactions: true, top: 1 });
    expect(why).toMatchObject({ rest: 1.5, interactions: [[expect.closeTo(1, 12)]] });
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const plan = runtime.register(ages(flour).plan());
    const rows = [row, { ...row, city: 'Oslo' }, { ...row, age: 3 }];
    const batch = await runtime.contributionsBatch(plan, rows, { interactions: true });
    expect(batch).toEqual(rows.map((one) => runtime.contributions(plan, one, { interactions: true })));
    expect(runtime.contributions(plan, row)).not.toHaveProperty('interactions');
    const invalid = { interactions: 1 } as never;
    expect(() => runtime.contributions(plan, row, invalid)).toThrow(/true or false/);
  });

  test('list a value whose contribution is 0', async () => {
    // The expected score, if only one of the two numbers is known, equals the mean of the training
    // rows. So both contributions are 0, but their interaction is not.
    const crossed = {
      ...forest,
      feature: Int32Array.of(0, 1, 1, 0, 0, 0, 0),
      leafWeight: Float32Array.of(1, 0, 0, 3),
    };
    const build = (flour: Flour) => flour.input('x', vector('float32', 2)).treeEnsemble(crossed);
    const [why] = await explained(build, [{ x: [1, 2] }], { interactions: true });
    expect(why!.contributions.map(({ index, value }) => [index, value]).sort()).toEqual([
      [0, 0],
      [1, 0],
    ]);
    expect(why!.interactions).toEqual([
      [-0.5, 0.5],
      [0.5, -0.5],
    ]);
  });

  test('are exactly symmetric, also if several columns depend on one value', async () => {
    const branches = 31; // a tree of depth 5, in which node n has the children 2n + 1 and 2n + 2
    const nodes = Array.from({ length: 2 * branches + 1 }, (_, node) => node);
    const ofBranch = (value: (node: number) => number) =>
      Int32Array.from(nodes, (node) => (node < branches ? value(node) : 0));
    const deep = {
      feature: ofBranch((node) => (5 * node) % 6),
      threshold: Float32Array.from(nodes, (node) => ((7 * node) % 10) / 10),
      mode: Int32Array.from(nodes, (node) => (node < branches ? 0 : 6)),
      trueChild: ofBranch((node) => 2 * node + 1),
      falseChild: ofBranch((node) => 2 * node + 2),
      missingTrue: new Int32Array(nodes.length),
      roots: Int32Array.of(0),
      leafStart: Int32Array.from([...nodes, nodes.length], (node) => Math.max(0, node - branches)),
      leafTarget: new Int32Array(branches + 1),
      leafWeight: Float32Array.from({ length: branches + 1 }, (_, leaf) => Math.sin(leaf)),
      base: Float32Array.of(0),
      cover: Float32Array.from(nodes, (node) => 2 ** (5 - Math.floor(Math.log2(node + 1)))),
    };
    const build = (flour: Flour) => {
      const x = flour.input('x', vector('float32', 3));
      return x.concat(x.scale({ offset: [0.1, 0.2, 0.3], scale: [0.9, 1.1, 0.8] })).treeEnsemble(deep);
    };
    const rows = Array.from({ length: 9 }, (_, row) => ({ x: [row / 9, (row % 4) / 3, ((3 * row) % 7) / 11] }));
    for (const { interactions, contributions } of await explained(build, rows, { interactions: true })) {
      expect(interactions!.map((line, row) => line.map((_, column) => interactions![column]![row]))).toEqual(
        interactions,
      );
      contributions.forEach(({ value }, row) => {
        expect(interactions![row]!.reduce((sum, part) => sum + part, 0)).toBeCloseTo(value, 12);
      });
    }
  });

  test('have a limit', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const wide = flour.input('x', vector('float32', 1100)).linear({ weights: new Array(1100).fill(1) });
    const plan = runtime.register(wide.plan());
    const many = { x: new Array(1100).fill(1) };
    const explain = (top?: number) => runtime.contributions(plan, many, { interactions: true, top });
    expect(() => explain()).toThrow(expect.objectContaining({ code: 'ERR_EXPLAIN_LIMIT' }));
    expect(explain(2).interactions).toEqual([
      [1, 0],
      [0, 1],
    ]);
    const rows = new Array(17).fill(many);
    await expect(runtime.contributionsBatch(plan, rows, { interactions: true, top: 1024 })).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_EXPLAIN_LIMIT' }),
    );
  });

  test('have a limit of the features of a forest, whatever top is', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const features = 1100;
    const trees = Array.from({ length: features }, (_, tree) => tree);
    // Each tree has one branch, which tests one feature, and two leaves.
    const nodes = trees.flatMap((tree) => [3 * tree, 3 * tree + 1, 3 * tree + 2]);
    const ofBranch = (value: (tree: number) => number) =>
      Int32Array.from(nodes, (node) => (node % 3 === 0 ? value(Math.floor(node / 3)) : 0));
    const forest = flour.input('x', vector('float32', features)).treeEnsemble({
      feature: ofBranch((tree) => tree),
      threshold: new Float32Array(nodes.length),
      mode: Int32Array.from(nodes, (node) => (node % 3 === 0 ? 0 : 6)),
      trueChild: ofBranch((tree) => 3 * tree + 1),
      falseChild: ofBranch((tree) => 3 * tree + 2),
      missingTrue: new Int32Array(nodes.length),
      roots: Int32Array.from(trees, (tree) => 3 * tree),
      leafStart: Int32Array.from(
        [...nodes, 3 * features],
        (node) => Math.floor(node / 3) * 2 + (node % 3 === 2 ? 1 : 0),
      ),
      leafTarget: new Int32Array(2 * features),
      leafWeight: Float32Array.from({ length: 2 * features }, (_, leaf) => leaf % 2),
      base: Float32Array.of(0),
      cover: Float32Array.from(nodes, (node) => (node % 3 === 0 ? 2 : 1)),
    });
    const plan = runtime.register(forest.plan());
    expect(() => runtime.contributions(plan, { x: trees }, { interactions: true, top: 5 })).toThrow(
      expect.objectContaining({
        code: 'ERR_EXPLAIN_LIMIT',
        details: expect.objectContaining({ at: expect.stringMatching(/tree-ensemble/) }),
      }),
    );
  });
});

describe('contributionsBatch', () => {
  test('reports the row of an error, and stops when it is aborted', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const scores = flour.input('x', vector('float32', 2)).linear({ weights: [1, 2] });
    const plan = runtime.register(scores.plan());
    const rows = Array.from({ length: 40 }, (_, row) => ({ x: [row, 1] }));
    const all = await runtime.contributionsBatch(plan, rows, { top: 1 });
    expect(all.map(({ raw }) => raw)).toEqual(rows.map(({ x: [first] }) => first! + 2));
    expect(all[30]).toMatchObject({ rest: 2, contributions: [{ index: 0, value: 30 }] });
    expect(await runtime.contributionsBatch(plan, [])).toEqual([]);
    const wrong = rows.with(33, { x: [1] });
    await expect(runtime.contributionsBatch(plan, wrong)).rejects.toMatchObject({
      code: 'ERR_RUNTIME_INPUT',
      details: { row: 33 },
    });
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(runtime.contributionsBatch(plan, rows, { signal })).rejects.toThrow('stopped');
    await expect(runtime.contributionsBatch(plan, rows, { batch: 1 } as never)).rejects.toThrow(/batch/);
    await expect(runtime.contributionsBatch(plan, 'rows' as never)).rejects.toThrow(/array of rows/);
  });

  test('reports the row that cannot be explained', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const once = defineOperator({
      name: 'explain-test/once',
      inputs: ['float32[]'],
      output: 'float32',
      run: ([x]) => x!,
    });
    const fails = ({ inputs: [x] }: { readonly inputs: readonly unknown[] }) =>
      (x as { readonly values: ArrayLike<number> }).values[0] === 33;
    const shares = { inputs: [numberShares([[0, { slope: 1, constant: 0 }]], true)] };
    const none = { columns: new Int32Array(), values: new Float64Array() };
    const cases: [ContributionRules, string][] = [
      [{ carry: (call) => (fails(call) ? undefined : shares) }, 'ERR_EXPLAIN_OPERATOR'],
      [{ carry: (call) => (fails(call) ? { cannot: 'covers', received: 'x' } : shares) }, 'ERR_EXPLAIN_COVERS'],
      [
        { carry: (call) => (fails(call) ? (undefined as unknown as [typeof shares])[0] : shares) },
        'ERR_EXPLAIN_FAILED',
      ],
      [
        { carry: () => shares, interactions: (call) => (fails(call) ? { cannot: 'size', received: 'x' } : none) },
        'ERR_EXPLAIN_LIMIT',
      ],
    ];
    for (const [rules, code] of cases) {
      registerCustom({ ...once.definition, contributions: rules }, true);
      const plan = runtime.register(flour.input('x', vector('float32', 1)).custom(once).plan());
      const rows = Array.from({ length: 40 }, (_, row) => ({ x: [row] }));
      await expect(runtime.contributionsBatch(plan, rows, { interactions: true })).rejects.toMatchObject({
        code,
        details: { row: 33, at: expect.stringContaining('row 33, stage ') },
      });
      runtime.unregister(plan);
    }
  });

  test('reports the row that an operator rejects, as predictBatch does', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const category = flour.columns({ x: 'string' }).select('x').indexOf(['a', 'b'], { unknown: 'error' });
    const plan = runtime.register(
      flour.program({ y: category.oneHot({ categories: [0, 1] }).linear({ weights: [1, 2] }) }).plan(),
    );
    const rejected = { code: 'ERR_RUNTIME_INPUT', details: { row: 2, at: 'row 2' } };
    const rows = ['a', 'a', 'zz'];
    await expect(runtime.contributionsBatch(plan, rows)).rejects.toMatchObject(rejected);
    await expect(runtime.predictBatch(plan, rows)).rejects.toMatchObject(rejected);
    expect(() => runtime.contributions(plan, 'zz')).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_INPUT' }));
  });

  test('explains the rows of the call, whatever the caller does with the list', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0, clock: new TickingClock() });
    const plan = runtime.register(
      flour
        .input('x', vector('float32', 2))
        .linear({ weights: [1, 2] })
        .plan(),
    );
    const changes: ((rows: { x: number[] }[]) => unknown)[] = [
      (rows) => rows.splice(5),
      (rows) => rows.push({ x: [1] }, { x: [2] }),
      (rows) => rows.fill(null as never),
    ];
    for (const change of changes) {
      const rows = Array.from({ length: 40 }, (_, row) => ({ x: [row, 1] }));
      const call = runtime.contributionsBatch(plan, rows);
      change(rows);
      expect((await call).map(({ raw }) => raw)).toEqual(Array.from({ length: 40 }, (_, row) => row + 2));
    }
  });
});

describe('explanations that are impossible', () => {
  const code = (expected: string) => expect.objectContaining({ code: expected });

  test('name the operator, the output or the class', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const x = flour.input('x', vector('float32', 2));
    const network = x
      .linear({ weights: [1, 2, 3, 4], bias: [0, 0] })
      .map('relu')
      .linear({ weights: [1, 1] });
    const plan = runtime.register(network.plan());
    expect(() => runtime.contributions(plan, { x: [1, 2] })).toThrow(code('ERR_EXPLAIN_OPERATOR'));
    expect(() => runtime.contributions(plan, { x: [1, 2] })).toThrow(/linear/);
    expect(() => runtime.contributions(plan, { x: [1, 2] }, { output: 'y' })).toThrow(code('ERR_EXPLAIN_OUTPUT'));
    expect(() => runtime.contributions(plan, { x: [1, 2] }, { class: 1 })).toThrow(code('ERR_EXPLAIN_OUTPUT'));
    expect(() => runtime.contributions(plan, { x: [1, 2] }, { top: -1 })).toThrow(code('ERR_RUNTIME_OPTION'));
    expect(() => runtime.contributions(plan, { x: [1] } as never)).toThrow(code('ERR_RUNTIME_INPUT'));
    runtime.unregister(plan);
    expect(() => runtime.contributions(plan, { x: [1, 2] })).toThrow(code('ERR_RUNTIME_UNKNOWN_PLAN'));
  });

  test('name the stage of explanation rules that fail', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const twice = defineOperator({
      name: 'explain-test/twice',
      inputs: ['float32[]'],
      output: 'float32',
      run: ([x]) => 2 * x!,
    });
    const rules: { -readonly [Name in keyof ContributionRules]: ContributionRules[Name] } = {
      carry: () => {
        throw new TypeError('no such weight');
      },
    };
    registerCustom({ ...twice.definition, contributions: rules }, true);
    const plan = runtime.register(flour.input('x', vector('float32', 1)).custom(twice).plan());
    const details = expect.objectContaining({ at: 'row 0, stage 1, explain-test/twice' });
    const failed = { code: 'ERR_EXPLAIN_FAILED', details };
    expect(() => runtime.contributions(plan, { x: [1] })).toThrow(expect.objectContaining(failed));
    rules.carry = () => ({ inputs: [numberShares([[0, { slope: 0, constant: 2 }]], true)] });
    const throwText = (): never => {
      throw 'nothing'; // a value that is not an error
    };
    rules.interactions = throwText;
    expect(runtime.contributions(plan, { x: [1] })).toMatchObject({ contributions: [{ index: 0, value: 2 }] });
    expect(() => runtime.contributions(plan, { x: [1] }, { interactions: true })).toThrow(
      expect.objectContaining(failed),
    );
    rules.link = throwText;
    expect(() => runtime.contributions(plan, { x: [1] })).toThrow(expect.objectContaining(failed));
  });

  test('say that a forest has no covers', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const forest = {
      feature: Int32Array.of(0, 0, 0),
      threshold: Float32Array.of(1, 0, 0),
      mode: Int32Array.of(0, 6, 6),
      trueChild: Int32Array.of(1, 0, 0),
      falseChild: Int32Array.of(2, 0, 0),
      missingTrue: Int32Array.of(0, 0, 0),
      roots: Int32Array.of(0),
      leafStart: Int32Array.of(0, 0, 1, 2),
      leafTarget: Int32Array.of(0, 0),
      leafWeight: Float32Array.of(1, 3),
      base: Float32Array.of(0),
    };
    const input = () => flour.input('x', vector('float32', 1));
    const plain = runtime.register(input().treeEnsemble(forest).plan(), { name: 'plain' });
    expect(() => runtime.contributions(plain, { x: [2] })).toThrow(code('ERR_EXPLAIN_COVERS'));
    for (const cover of [
      [4, 1, Number.NaN],
      [-4, 1, 3],
      [Number.NaN, 1, 3],
      [4, 1],
    ])
      expect(() => input().treeEnsemble({ ...forest, cover: Float32Array.from(cover) })).toThrow(
        code('ERR_FLOUR_PARAM'),
      );
    // A forest with the same covers and other children has other contributions.
    const [trueChild, falseChild] = [forest.falseChild, forest.trueChild];
    const swapped = { ...forest, trueChild, falseChild, cover: Float32Array.of(4, 1, 3) };
    const other = runtime.register(input().treeEnsemble(swapped).plan(), { name: 'swapped' });
    expect(runtime.contributions(other, { x: [2] })).toMatchObject({ raw: 1, base: 2.5 });
    const covered = input().treeEnsemble({ ...forest, cover: Float32Array.of(4, 1, 3) });
    const plan = runtime.register(covered.plan(), { name: 'covered' });
    const why = runtime.contributions(plan, { x: [2] });
    expect(why).toMatchObject({ answer: 3, raw: 3, base: 2.5, contributions: [{ input: 'x', index: 0, value: 0.5 }] });
  });
});
