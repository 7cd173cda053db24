import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { archiveOf, type Part, schemaOf, type TypeName } from './archive-file.js';
import * as parts from './parts.js';
import { answersOf } from './predictor.js';
import { seed } from './seed.js';

const { fround } = Math;
const answers = (
  transforms: readonly Part[],
  rows: readonly (readonly number[])[],
  schema?: Record<string, TypeName>,
) =>
  answersOf(
    archiveOf(transforms, schema ?? { X: ['Single', rows[0]!.length] }),
    rows.map((X) => ({ X })),
  );
const sigmoid = (x: number) => fround(1 / (1 + Math.exp(-x)));

describe('predictors of ML.NET', () => {
  test('linear regression, dense and sparse, and Poisson regression', async () => {
    const rows = [
      [1, 2, -4],
      [0, 0, 0],
    ];
    const linear = parts.linear('LinearRegressionExec', [0.5, 0, 2], 0.25);
    expect(await answers([parts.regression('X', linear)], rows)).toEqual([{ Score: -7.25 }, { Score: 0.25 }]);
    const sparse = parts.sparseLinear([0.5, 0, 2], 0.25);
    expect(await answers([parts.regression('X', sparse)], rows)).toEqual([{ Score: -7.25 }, { Score: 0.25 }]);
    const poisson = parts.linear('PoissonRegressionExec', [0.5, 0, 2], 0.25);
    const [, zero] = await answers([parts.regression('X', poisson)], rows);
    expect(zero!.Score).toBeCloseTo(Math.exp(0.25), 6);
  });

  test('two classes: the label is true above the threshold', async () => {
    const linear = parts.linear('Linear2CExec', [1], 0);
    const rows = [[0.5], [0], [-1], [Number.NaN]];
    expect(await answers([parts.binary('X', linear)], rows)).toEqual([
      { PredictedLabel: true, Score: 0.5 },
      { PredictedLabel: false, Score: 0 },
      { PredictedLabel: false, Score: -1 },
      { PredictedLabel: false, Score: Number.NaN },
    ]);
    expect((await answers([parts.binary('X', linear, 0.75)], [[0.5], [1]])).map((one) => one.PredictedLabel)).toEqual([
      false,
      true,
    ]);
  });

  test('two classes with a calibrator, beside the model or below it', async () => {
    const linear = parts.linear('Linear2CExec', [2], 1);
    const below = parts.linear('Linear2CExec', [2], 1, { parts: { Calibrator: parts.platt(-1, 0) } });
    for (const model of [parts.calibrated(linear, parts.platt(-1, 0)), below])
      expect(await answers([parts.binary('X', model)], [[1], [-1]])).toEqual([
        { PredictedLabel: true, Score: 3, Probability: expect.closeTo(sigmoid(3), 6) },
        { PredictedLabel: false, Score: -1, Probability: expect.closeTo(sigmoid(-1), 6) },
      ]);
    const byProbability = parts.binary('X', parts.calibrated(linear, parts.platt(-1, 0)), 0.9, 'Probability');
    expect((await answers([byProbability], [[0], [1]])).map((one) => one.PredictedLabel)).toEqual([false, true]);
  });

  test('several classes: keys of the label, if a transform contains them', async () => {
    const model = (loader: string) =>
      parts.multiclassLinear(
        loader,
        [
          [1, 0],
          [0, 1],
          [-1, -1],
        ],
        [0, 0, 0.5],
      );
    const rows = [
      [2, 1],
      [0, 3],
      [-1, -1],
      [1, 1],
    ];
    const schema = { X: ['Single', 2], Name: 'TextSpan' } as const;
    const chain = [
      parts.valueToKey('Label', 'Name', ['ant', 'bee', 'cow']),
      parts.multiclass('X', 'Label', model('MulticlassLinear')),
    ];
    const keys = await answers(chain, rows, schema);
    // The first of equal scores wins.
    expect(keys.map((one) => one.PredictedLabel)).toEqual([1, 2, 3, 1]);
    expect(keys[2]!.Score).toEqual([-1, -1, 2.5]);
    const named = await answers([...chain, parts.keyToValue(['PredictedLabel', 'PredictedLabel'])], rows, schema);
    expect(named.map((one) => one.PredictedLabel)).toEqual(['ant', 'bee', 'cow', 'ant']);
    const [first] = await answers([parts.multiclass('X', undefined, model('MultiClassLRExec'))], rows);
    const powers = [2, 1, -2.5].map(Math.exp);
    const sum = powers.reduce((total, one) => total + one);
    expect(first!.Score).toEqual(powers.map((one) => expect.closeTo(one / sum, 6)));
  });

  test('one model per class', async () => {
    const calibrated = (weight: number) =>
      parts.calibrated(parts.linear('Linear2CExec', [weight], 0), parts.platt(-1, 0));
    const of = (formula: number) =>
      answers([parts.multiclass('X', undefined, parts.oneVersusAll(formula, [calibrated(1), calibrated(-1)]))], [[2]]);
    expect(await of(0)).toEqual([{ PredictedLabel: 1, Score: [2, -2] }]);
    const shares = [sigmoid(2), sigmoid(-2)];
    expect((await of(1))[0]!.Score).toEqual(shares.map((one) => expect.closeTo(one / (shares[0]! + shares[1]!), 6)));
    const soft = 1 / (1 + Math.exp(-4));
    expect((await of(2))[0]!.Score).toEqual([expect.closeTo(soft, 6), expect.closeTo(1 - soft, 6)]);
  });

  test('clusters: squared distances, and the nearest cluster', async () => {
    const model = parts.clustering(
      'X',
      parts.kMeans([
        [0, 0],
        [3, 4],
      ]),
    );
    expect(
      await answers(
        [model],
        [
          [0, 0],
          [3, 3],
          [3, 4],
        ],
      ),
    ).toEqual([
      { PredictedLabel: 1, Score: [0, 25] },
      { PredictedLabel: 2, Score: [18, 1] },
      { PredictedLabel: 2, Score: [25, 0] },
    ]);
  });

  test('without a schema, the columns of the training data are the inputs', async () => {
    const files = { TrainSchema: schemaOf({ X: ['Single', 1], Label: 'Single' }) };
    const model = parts.multiclass(
      'X',
      'Label',
      parts.multiclassLinear('MulticlassLinear', [[1], [-1]], [0, 0]),
      files,
    );
    expect(await answersOf(archiveOf([model]), [{ X: [2] }])).toEqual([{ PredictedLabel: 1, Score: [2, -2] }]);
    const without = archiveOf([parts.multiclass('X', 'Label', parts.multiclassLinear('MulticlassLinear', [[1]], [0]))]);
    const inputs = { X: { kind: 'vector', dtype: 'float32', size: 1 } } as const;
    expect(await answersOf(without, [{ X: [2] }], { inputs })).toEqual([{ PredictedLabel: 1, Score: [2] }]);
  });
});

const BOOSTED = 0x00010005;
const stump: parts.TestTree = { lte: [~0], gt: [~1], feature: [0], threshold: [0.1], leaves: [0.1, -2] };
const regressionOf = (
  trees: readonly parts.TestTree[],
  rows: readonly (readonly number[])[],
  loader = 'FastTreeRegressionExec',
  version = BOOSTED,
) =>
  answers([parts.regression('X', parts.forest(loader, version, rows[0]!.length, trees))], rows).then((all) =>
    all.map((one) => one.Score),
  );

describe('forests of ML.NET', () => {
  test('float32 thresholds, leaves added up in float64', async () => {
    const [at, above] = [fround(0.1), fround(0.1) + 2 ** -26];
    const rows = [[at], [above], [Number.NaN], [Number.NEGATIVE_INFINITY]];
    expect(await regressionOf([stump, stump, stump], rows)).toEqual(
      [0.1 + 0.1 + 0.1, -6, -6, 0.1 + 0.1 + 0.1].map(fround),
    );
  });

  test('replacements of missing values', async () => {
    const low = { ...stump, missing: [0.05] };
    const high = { ...stump, missing: [0.5] };
    const none = { ...stump, missing: [0] };
    expect(await regressionOf([low], [[Number.NaN]])).toEqual([fround(0.1)]);
    expect(await regressionOf([high], [[Number.NaN]])).toEqual([-2]);
    expect(await regressionOf([none], [[Number.NaN]])).toEqual([-2]);
  });

  test('categories: a row goes right if one of the features is above 0', async () => {
    const tree: parts.TestTree = {
      lte: [~0, ~1],
      gt: [1, ~2],
      feature: [0, 1],
      threshold: [0, 0.5],
      leaves: [1, 2, 3],
      categories: { 0: [0, 2] },
    };
    const rows = [
      [0, 9, 0],
      [1, 0, 0],
      [0, 1, 1],
      [-1, 0, Number.NaN],
    ];
    expect(await regressionOf([tree], rows)).toEqual([1, 2, 3, 1]);
  });

  test('random forests are means, rankers sums, Tweedie models powers', async () => {
    const trees = [stump, { ...stump, leaves: [0.5, 1] }];
    expect(await regressionOf(trees, [[0]], 'FastForestRegressionExec', 0x00010006)).toEqual([fround(fround(0.6) / 2)]);
    expect(await regressionOf(trees, [[0]], 'FastTreeRankerExec')).toEqual([fround(0.6)]);
    expect((await regressionOf(trees, [[0]], 'FastTreeTweedieExec', 0x00010003))[0]).toBeCloseTo(Math.exp(0.6), 5);
    const model = parts.calibrated(parts.forest('LightGBMBinaryExec', BOOSTED, 1, [stump]), parts.platt(-0.5, 0));
    const [answer] = await answers([parts.binary('X', model)], [[1]]);
    expect(answer).toEqual({ PredictedLabel: false, Score: -2, Probability: expect.closeTo(sigmoid(-1), 6) });
  });

  test('random trees give the answers of the C# code', async () => {
    const value = fc.constantFrom(-1, -0.5, 0, 0.25, 1, Number.NaN);
    const model = fc.record({
      trees: fc.array(randomTree, { minLength: 1, maxLength: 4 }),
      rows: fc.array(fc.tuple(value, value, value), { minLength: 1, maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(model, async ({ trees, rows }) => {
        const sums = rows.map((row) => fround(trees.reduce((sum, tree) => sum + walk(tree, row), 0)));
        expect(await regressionOf(trees, rows)).toEqual(sums);
      }),
      { seed, numRuns: 15 },
    );
  });
});

const FEATURES = 3;

/** Trees of up to 6 nodes. Node n + 1 replaces a leaf of an earlier node. */
const randomTree: fc.Arbitrary<parts.TestTree> = fc
  .array(
    fc.record({
      feature: fc.nat(FEATURES - 1),
      threshold: fc.constantFrom(-0.5, 0, 0.25),
      leaf: fc.nat(5),
      missing: fc.constantFrom(0, -1, 1),
      categories: fc.option(fc.uniqueArray(fc.nat(FEATURES - 1), { minLength: 1, maxLength: FEATURES }), { freq: 3 }),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((nodes) => {
    const [lte, gt] = [[~0], [~1]];
    nodes.slice(1).forEach(({ leaf }, at) => {
      const split = leaf % (at + 2);
      const children = [lte, gt].find((list) => list.includes(~split))!;
      children[children.indexOf(~split)] = at + 1;
      lte.push(~split);
      gt.push(~(at + 2));
    });
    const leaves = Array.from({ length: nodes.length + 1 }, (_, at) => 0.1 * 3 ** at - 1);
    const categories = nodes.flatMap((one, at) => (one.categories === null ? [] : [[at, one.categories] as const]));
    return {
      lte,
      gt,
      leaves,
      feature: nodes.map(({ feature }) => feature),
      threshold: nodes.map(({ threshold }) => threshold),
      missing: nodes.map(({ missing }) => missing),
      categories: Object.fromEntries(categories),
    };
  });

/** Follows a row to its leaf, as `InternalRegressionTree.GetLeafCore` does. */
function walk(
  { lte, gt, feature, threshold, missing = [], categories = {}, leaves }: parts.TestTree,
  row: readonly number[],
): number {
  const hasMissing = missing.some((value) => value !== 0);
  const taken = (at: number, node: number) => (hasMissing && Number.isNaN(row[at]) ? missing[node]! : row[at]!);
  let node = 0;
  while (node >= 0) {
    const own = categories[node];
    const isGreater =
      own === undefined ? !(taken(feature[node]!, node) <= threshold[node]!) : own.some((at) => taken(at, node) > 0);
    node = (isGreater ? gt : lte)[node]!;
  }
  return leaves[~node]!;
}
