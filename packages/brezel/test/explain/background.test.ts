import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CompiledPlan,
  type Contributions,
  createFlour,
  createRegistry,
  createRuntime,
  importLightGbm,
  importOnnx,
  importXgboost,
  type RegisteredPlan,
  type Row,
  type Runtime,
  vector,
} from 'brezel';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { corpus } from '../corpus/corpus.js';
import { forests } from './random-forests.js';
import { shapleyValues } from './shapley.js';

type Flour = Awaited<ReturnType<typeof createFlour>>;

/**
 * Checks that the parts of an explanation add up to the score.
 *
 * @param least the magnitude that the tolerance has without contributions
 */
function checkSum({ base, rest, raw, contributions }: Contributions, least = 1): void {
  const magnitude = contributions.reduce((sum, { value }) => sum + Math.abs(value), least);
  const sum = contributions.reduce((total, { value }) => total + value, base + rest);
  expect(Math.abs(sum - raw)).toBeLessThanOrEqual(1e-6 * magnitude);
}

async function explained(
  build: (flour: Flour) => { plan(): CompiledPlan },
  row: Row,
  background: readonly Row[],
  options: object = {},
): Promise<Contributions> {
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store, executors: 0 });
  const why = runtime.contributions(runtime.register(build(flour).plan()), row, { ...options, background });
  checkSum(why);
  return why;
}

const listed = ({ contributions }: Contributions) =>
  contributions.map(({ input, index, feature, at, value }) => ({
    ...{ input, index, feature, at },
    value: Math.fround(value),
  }));

/**
 * Compares explanations of a plan over one vector `x` with the Shapley values of the definition,
 * computed with predictions of the same plan.
 */
async function compareWithDefinition(
  runtime: Runtime,
  plan: RegisteredPlan,
  row: readonly number[],
  background: readonly (readonly number[])[],
  { output = 'output', players }: { output?: string; players?: number[] } = {},
): Promise<void> {
  const { length: classes } = runtime.predictSync(plan, { x: row })[output] as unknown as number[];
  for (let one = 0; one < classes; one++) {
    const scores = async (rows: number[][]) => {
      const answers = await runtime.predictBatch(
        plan,
        rows.map((x) => ({ x })),
      );
      return answers.map((answer) => (answer[output] as number[])[one]!);
    };
    const wanted = await shapleyValues(row, background, scores, players);
    const rows = background.map((x) => ({ x }));
    const why = runtime.contributions(plan, { x: row }, { output, class: one, background: rows });
    // The plan adds up leaves in float32, so a score far from 0 has a larger rounding error.
    checkSum(why, 1 + Math.abs(why.raw));
    const magnitude = why.contributions.reduce((sum, { value }) => sum + Math.abs(value), 1 + Math.abs(why.raw));
    expect(Math.abs(why.base - wanted.base)).toBeLessThan(2e-6 * magnitude);
    const found = new Map(why.contributions.map(({ index, value }) => [index!, value]));
    for (const [player, value] of wanted.values)
      expect(Math.abs((found.get(player) ?? 0) - value)).toBeLessThan(2e-6 * magnitude);
    for (const player of found.keys()) expect(wanted.values.has(player)).toBe(true);
  }
}

describe('contributions with a background: linear models', () => {
  test('are weight times the difference to the mean', async () => {
    const why = await explained(
      (flour) => flour.input('x', vector('float32', 3)).linear({ weights: [2, -1, 4], bias: 0.5 }),
      { x: [1, 3, 0] },
      [{ x: [0, 1, 0] }, { x: [0, 3, 2] }],
    );
    expect(why).toMatchObject({ raw: -0.5, base: 2.5, rest: 0 });
    expect(listed(why).map(({ index, value }) => [index, value])).toEqual([
      [2, -4],
      [0, 2],
      [1, -1],
    ]);
  });

  test('pass through scalers, imputers, selections, PCA and sums', async () => {
    const build = (flour: Flour) => {
      const input = flour.columns({ a: 'float32', b: 'float32', c: 'float32' });
      const all = input.select('a').asVector().concat(input.select('b').asVector(), input.select('c').asVector());
      const scaled = all.impute({ values: [5, 6, 7] }).scale({ offset: [1, 2, 3], scale: [2, 2, 2] });
      const selected = scaled.selectColumns([2, 0]).linear({ weights: [1, 10] });
      const components = [0.6, 0.8, 0, -0.8, 0.6, 0];
      const projected = all.impute({ values: [5, 6, 7] }).project({ components, mean: [1, 1, 1] });
      return selected.arithmetic('add', projected.linear({ weights: [1, 2] })).map('affine', { alpha: 2, beta: 5 });
    };
    const background = [
      { a: 1, b: 2, c: 3 },
      { a: 3, b: 0, c: Number.NaN },
    ];
    const why = await explained(build, { a: 4, b: 100, c: 9 }, background);
    // The slopes of a, b and c, and their means after the imputer.
    const [a, b, c] = [2 * (10 * 2 + 0.6 - 2 * 0.8), 2 * (0.8 + 2 * 0.6), 2 * 2];
    const close = (value: number) => expect.closeTo(value, 3);
    expect(why.contributions.map(({ input, value }) => [input, value])).toEqual([
      ['b', close(b * (100 - 1))],
      ['a', close(a * (4 - 2))],
      ['c', close(c * (9 - 5))],
    ]);
  });

  test('of both classes of one score have opposite signs', async () => {
    const bytes = readFileSync(new URL('../../../../examples/models/sa-fam-a-00.onnx', import.meta.url));
    const build = (flour: Flour) => importOnnx(bytes, flour).program as never as { plan(): CompiledPlan };
    const row = { text: 'It was not a good film, not good at all.' };
    const background = [{ text: 'a good film' }, { text: 'Not bad.' }, { text: '' }];
    const first = await explained(build, row, background, { output: 'probabilities', class: 0 });
    const second = await explained(build, row, background, { output: 'probabilities', class: 1 });
    expect(second.base).toBeCloseTo(-first.base, 6);
    expect(second.contributions[0]!.value).toBeCloseTo(-first.contributions[0]!.value, 6);
    const plain = await explained(build, row, [row, row], { output: 'probabilities', class: 0 });
    expect(plain.base).toBeCloseTo(plain.raw, 6);
    for (const { value } of plain.contributions) expect(Math.abs(value)).toBeLessThan(1e-6);
  });

  test('of a text include words that only the background has', async () => {
    const build = (flour: Flour) =>
      flour
        .columns({ text: 'string' })
        .select('text')
        .tokenize({ by: 'words' })
        .wordNgram({ vocabulary: [['good'], ['bad'], ['film']] })
        .linear({ weights: [4, -2, 1], bias: 0.25 });
    const why = await explained(build, { text: 'good film' }, [{ text: 'bad film' }, { text: 'film' }]);
    expect(why.base).toBe(0.25);
    expect(listed(why)).toEqual([
      { input: 'text', feature: 'good', at: [0, 4], index: undefined, value: 4 },
      { input: 'text', feature: 'bad', at: undefined, index: undefined, value: 1 },
    ]);
  });

  test.each(['l1', 'l2', 'max'] as const)('compare normalized numbers (%s)', async (norm) => {
    const normOf = (x: readonly number[]) =>
      norm === 'l1'
        ? x.reduce((sum, one) => sum + Math.abs(one), 0)
        : norm === 'l2'
          ? Math.hypot(...x)
          : Math.max(...x.map(Math.abs));
    const [row, ...background] = [
      [3, 4],
      [1, 0],
      [0, 0],
      [-2, 2],
    ];
    const why = await explained(
      (flour) =>
        flour
          .input('x', vector('float32', 2))
          .normalize(norm)
          .linear({ weights: [2, -3] }),
      { x: row },
      background.map((x) => ({ x })),
    );
    [2, -3].forEach((weight, index) => {
      const mean = background.reduce((sum, x) => sum + x[index]! / (normOf(x) || 1), 0) / background.length;
      const found = why.contributions.find((one) => one.index === index)!.value;
      expect(found).toBeCloseTo(weight * (row![index]! / normOf(row!) - mean), 6);
    });
  });

  test('of a category compare with the frequency of the category', async () => {
    const build = (flour: Flour) => {
      const input = flour.columns({ city: 'string', age: 'float32' });
      const city = input.select('city').oneHot({ categories: ['Rome', 'Oslo'] });
      return city.concat(input.select('age').asVector()).linear({ weights: [3, -2, 0.5] });
    };
    const background = [
      { city: 'Rome', age: 10 },
      { city: 'Bonn', age: 14 },
    ];
    const why = await explained(build, { city: 'Oslo', age: 10 }, background);
    expect(why.base).toBe(7.5);
    expect(why.contributions.map(({ input, value }) => [input, value])).toEqual([
      ['city', -3.5],
      ['age', -1],
    ]);
  });
});

const numbers = fc.oneof(
  fc.integer({ min: -1, max: 9 }).map((half) => half / 2),
  fc.constant(Number.NaN),
);
const vectors = fc.array(numbers, { minLength: 5, maxLength: 5 });
const backgrounds = fc.array(vectors, { minLength: 1, maxLength: 5 });

describe('contributions with a background: forests', () => {
  test('are the Shapley values of the definition', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const property = fc.asyncProperty(forests, vectors, backgrounds, async (forest, row, background) => {
      const plan = runtime.register(flour.input('x', vector('float32', 5)).treeEnsemble(forest).plan());
      await compareWithDefinition(runtime, plan as RegisteredPlan, row, background);
      runtime.unregister(plan);
    });
    await fc.assert(property, { numRuns: 25 });
  });

  test.each(['sum', 'average'] as const)('with sets of members and float64 numbers (%s)', async (aggregate) => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const property = fc.asyncProperty(forests, vectors, backgrounds, async (forest, row, background) => {
      const { cover, ...trees } = forest;
      // Every third test becomes a test of membership in {0, 1, 2.5}.
      const isMember = (node: number) => trees.mode[node]! < 6 && !Number.isNaN(cover[node]) && node % 3 === 0;
      const mode = trees.mode.map((one, node) => (isMember(node) ? 7 : one));
      const memberStart = Int32Array.from({ length: mode.length + 1 }, (_, node) =>
        mode.subarray(0, node).reduce((sum, one) => sum + (one === 7 ? 3 : 0), 0),
      );
      const members = Float64Array.from({ length: memberStart.at(-1)! }, (_, at) => [0, 1, 2.5][at % 3]!);
      const doubles = (values: Float32Array) => Float64Array.from(values);
      const general = {
        ...{ ...trees, mode, memberStart, members, cover },
        ...{ threshold: doubles(trees.threshold), leafWeight: doubles(trees.leafWeight), base: doubles(trees.base) },
      };
      const x = flour.input('x', vector('float64', 5));
      const plan = runtime.register(x.forest(general, aggregate).plan());
      await compareWithDefinition(runtime, plan as RegisteredPlan, row, background);
      runtime.unregister(plan);
    });
    await fc.assert(property, { numRuns: 15 });
  });

  test('have the same bits in every engine, one by one and in batches', async () => {
    using flour = await createFlour();
    const runtimes = [{}, { native: false as const }, { isa: 'baseline' as const }].map((options) =>
      createRuntime({ store: flour.store, executors: 0, ...options }),
    );
    const rows = fc.array(vectors, { minLength: 1, maxLength: 20 });
    const property = fc.asyncProperty(forests, rows, backgrounds, async (forest, xs, compared) => {
      const flow = flour.input('x', vector('float32', 5)).treeEnsemble(forest);
      const plans = runtimes.map((runtime) => runtime.register(flow.plan()));
      const [inputs, background] = [xs, compared].map((all) => all.map((x) => ({ x })));
      const options = { class: 1, background };
      const [native, ...others] = await Promise.all(
        runtimes.map((runtime, at) => runtime.contributionsBatch(plans[at]!, inputs!, options)),
      );
      for (const other of others) expect(other).toEqual(native);
      expect(inputs!.map((row) => runtimes[0]!.contributions(plans[0]!, row, options))).toEqual(native);
      runtimes.forEach((runtime, at) => {
        runtime.unregister(plans[at]!);
      });
    });
    await fc.assert(property, { numRuns: 10 });
    for (const runtime of runtimes) await runtime.close();
  });

  // Masks of these paths have three words of 32 bits.
  test('support paths with more than 64 features, without covers', async () => {
    const splits = 70;
    const nodes = Array.from({ length: 2 * splits + 1 }, (_, node) => node);
    const isSplit = (node: number) => node % 2 === 0 && node < 2 * splits;
    const list = (value: (node: number) => number) =>
      Int32Array.from(nodes, (node) => (isSplit(node) ? value(node) : 0));
    const chain = {
      feature: list((node) => node / 2),
      threshold: new Float32Array(nodes.length).fill(0.5),
      mode: Int32Array.from(nodes, (node) => (isSplit(node) ? 3 : 6)),
      trueChild: list((node) => node + 2),
      falseChild: list((node) => node + 1),
      missingTrue: new Int32Array(nodes.length),
      roots: Int32Array.of(0),
      leafStart: Int32Array.from(
        [...nodes, nodes.length],
        (node) => nodes.filter((one) => one < node && !isSplit(one)).length,
      ),
      leafTarget: new Int32Array(splits + 1),
      leafWeight: Float32Array.from({ length: splits + 1 }, (_, leaf) => (7 * leaf) % 11),
      base: Float32Array.of(1),
    };
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const plan = runtime.register(flour.input('x', vector('float32', splits)).treeEnsemble(chain).plan());
    const row = new Array<number>(splits).fill(1);
    const players = [0, 10, 31, 32, 33, 63, 64, 69];
    const background = [1, 2].map((step) =>
      row.map((one, at) => (players.includes(at) && players.indexOf(at) % step === 0 ? 0 : one)),
    );
    for (const x of [row, background[1]!])
      await compareWithDefinition(runtime, plan as RegisteredPlan, x, x === row ? background : [row, background[0]!], {
        players,
      });
  });

  test('refuse too many background rows, and trees that share nodes', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const trees = 1000;
    const nodes = Array.from({ length: 3 * trees }, (_, node) => node);
    const wide = {
      feature: new Int32Array(nodes.length),
      threshold: new Float32Array(nodes.length),
      mode: Int32Array.from(nodes, (node) => (node % 3 === 0 ? 0 : 6)),
      trueChild: Int32Array.from(nodes, (node) => (node % 3 === 0 ? node + 1 : 0)),
      falseChild: Int32Array.from(nodes, (node) => (node % 3 === 0 ? node + 2 : 0)),
      missingTrue: new Int32Array(nodes.length),
      roots: Int32Array.from({ length: trees }, (_, tree) => 3 * tree),
      leafStart: Int32Array.from(
        [...nodes, nodes.length],
        (node) => 2 * Math.floor(node / 3) + (node % 3 === 2 ? 1 : 0),
      ),
      leafTarget: new Int32Array(2 * trees),
      leafWeight: new Float32Array(2 * trees).fill(1),
      base: Float32Array.of(0),
    };
    const input = () => flour.input('x', vector('float32', 1));
    const plan = runtime.register(input().treeEnsemble(wide).plan(), { name: 'wide' });
    const background = new Array(9000).fill({ x: [1] });
    expect(() => runtime.contributions(plan, { x: [1] }, { background })).toThrow(
      expect.objectContaining({ code: 'ERR_EXPLAIN_LIMIT', message: expect.stringContaining('9000 background rows') }),
    );
    const shared = {
      ...wide,
      ...{ feature: Int32Array.of(0, 0, 0, 0), threshold: Float32Array.of(0, 1, 0, 0) },
      ...{
        mode: Int32Array.of(0, 0, 6, 6),
        trueChild: Int32Array.of(2, 2, 0, 0),
        falseChild: Int32Array.of(1, 3, 0, 0),
      },
      ...{ missingTrue: new Int32Array(4), roots: Int32Array.of(0), leafStart: Int32Array.of(0, 0, 0, 1, 2) },
      ...{ leafTarget: new Int32Array(2), leafWeight: Float32Array.of(1, 2) },
    };
    const odd = runtime.register(input().treeEnsemble(shared).plan(), { name: 'shared' });
    expect(() => runtime.contributions(odd, { x: [1] }, { background: [{ x: [2] }] })).toThrow(
      expect.objectContaining({ code: 'ERR_EXPLAIN_OPERATOR' }),
    );
  });
});

/** A model of the corpus: a folder, the name of its raw output, and how it is imported. */
const models =
  corpus === undefined
    ? []
    : ['gbdt', 'contributions'].flatMap((kind) =>
        readdirSync(join(corpus!, kind))
          .map((name) => join(corpus!, kind, name))
          .filter((folder) => existsSync(join(folder, 'inputs.jsonl'))),
      );

describe.skipIf(corpus === undefined)('contributions with a background: models of XGBoost and LightGBM', () => {
  // Among the models: DART, random forests, several classes, categories, missing values, gblinear.
  test.each(models)('%s', async (folder) => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const file = ['model.lightgbm.txt', 'model.json', 'model.ubj'].find((name) => existsSync(join(folder, name)))!;
    const read = file.endsWith('.txt') ? importLightGbm : importXgboost;
    const plan = runtime.register(read(readFileSync(join(folder, file)), flour, { outputs: ['raw'] }).program.plan());
    const lines = readFileSync(join(folder, 'inputs.jsonl'), 'utf8').trim().split('\n');
    const rows = lines.slice(0, 8).map((line) => (JSON.parse(line).x as unknown[]).map(Number));
    const [row, ...others] = rows as [number[], ...number[][]];
    const differing = [...row.keys()].filter((at) => others.some((other) => !Object.is(other[at], row[at])));
    const step = Math.max(1, Math.floor(differing.length / 7));
    const players = differing.filter((_, at) => at % step === 0).slice(0, 7);
    const background = others
      .slice(0, 4)
      .map((other) => row.map((one, at) => (players.includes(at) ? other[at]! : one)));
    await compareWithDefinition(runtime, plan as RegisteredPlan, row, background, { output: 'raw', players });
  });
});

describe('the option background', () => {
  const sum = (flour: Flour) => flour.input('x', vector('float32', 2)).linear({ weights: [1, 2] });

  test('works in batches, importance, predictions and a registry', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const plan = runtime.register(sum(flour).plan());
    const background = [{ x: [1, 1] }, { x: [3, 1] }];
    const rows = Array.from({ length: 40 }, (_, at) => ({ x: [at, 2] }));
    const whys = rows.map((row) => runtime.contributions(plan, row, { background }));
    expect(whys[7]).toMatchObject({ base: 4, contributions: [{ value: 5 }, { value: 2 }] });
    expect(await runtime.contributionsBatch(plan, rows, { background })).toEqual(whys);
    const { classes } = await runtime.importance(plan, rows.slice(0, 3), { background });
    expect(classes[0]!.features.map(({ index, importance }) => [index, importance])).toEqual([
      [1, 2],
      [0, 1],
    ]);
    const explained = await runtime.predictBatch(plan, rows, { contributions: { background } });
    expect(explained.map(({ contributions }) => contributions)).toEqual(whys);
    await using registry = await createRegistry();
    using own = await createFlour({ store: registry.store });
    registry.add('sum', sum(own).plan());
    const one = await registry.predict('sum', rows[7]!, { contributions: { background } });
    expect(one.contributions).toEqual(whys[7]);
  });

  test('uses the values of the background at the call', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const plan = runtime.register(sum(flour).plan());
    const background = [{ x: [1, 1] }];
    const baseOf = () => runtime.contributions(plan, { x: [0, 0] }, { background }).base;
    expect(baseOf()).toBe(3);
    expect(baseOf()).toBe(3);
    background[0]!.x[0] = 2;
    expect(baseOf()).toBe(4);
    background.push({ x: [0, 0] });
    expect(baseOf()).toBe(2);
    const pending = runtime.contributionsBatch(plan, [{ x: [0, 0] }], { background });
    const predicted = runtime.predict(plan, { x: [0, 0] }, { contributions: { background } });
    background.length = 0;
    expect((await pending)[0]!.base).toBe(2);
    expect((await predicted).contributions.base).toBe(2);
  });

  test('refuses invalid backgrounds', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const plan = runtime.register(sum(flour).plan());
    const explain = (background: unknown, more = {}) =>
      runtime.contributions(plan, { x: [0, 0] }, { background, ...more } as never);
    for (const wrong of [[], 'rows', null, {}, 3, new Array(10_001).fill({ x: [0, 0] })])
      expect(() => explain(wrong)).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_OPTION' }));
    for (const wrong of [
      [{ x: [0, 0] }, { x: [0] }],
      [{ x: [0, 0] }, undefined],
      [{ x: [1, 2] }, { x: [1, 'a'] }],
    ]) {
      const inBackground = { code: 'ERR_RUNTIME_INPUT', message: expect.stringContaining('background, row 1') };
      expect(() => explain(wrong)).toThrow(expect.objectContaining(inBackground));
      await expect(runtime.contributionsBatch(plan, [{ x: [0, 0] }], { background: wrong as never })).rejects.toThrow(
        expect.objectContaining({ details: expect.not.objectContaining({ row: 1 }) }),
      );
    }
    expect(() => explain([{ x: [0, 0] }], { interactions: true })).toThrow(/interactions without a background/);
    expect(() => runtime.contributions(plan, { x: [0, 0] }, { backgrund: [] } as never)).toThrow(/"background"/);
    const nan = explain([{ x: [Number.NaN, 0] }]);
    expect(nan.base).toBeNaN();
  });
});
