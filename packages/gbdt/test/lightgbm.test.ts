import { importLightGbm } from 'brezel';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lightGbmText, type Model, randomTree, randomValue, type Tree, walk, withLeaves } from './lightgbm-file.js';
import { answersOf, faultOf } from './predictor.js';
import { seed } from './seed.js';

const stump = (more: object = {}): Tree => ({
  feature: 0,
  threshold: 0.5,
  defaultLeft: false,
  missing: 'nan',
  left: 1.25,
  right: -2,
  ...more,
});
const imported =
  (model: Model, options = {}) =>
  (flour: Parameters<typeof importLightGbm>[1]) =>
    importLightGbm(lightGbmText(model), flour, options);
const regression = (...trees: Tree[]): Model => ({ features: 1, targets: 1, trees });
/**
 * Returns the predictions for rows with one feature: one number per row if the model has one
 * target.
 */
const predictions = async (model: Model, values: readonly number[]) => {
  const answers = await answersOf(
    imported(model),
    values.map((value) => [value]),
  );
  return answers.map(({ prediction }) => (model.targets === 1 ? (prediction as number[])[0] : prediction));
};

describe('LightGBM', () => {
  test('a value on the threshold goes left, in float64', async () => {
    const above = 0.5 + 2 ** -53;
    expect(await predictions(regression(stump()), [0.5, above, -Infinity, Infinity])).toEqual([1.25, -2, 1.25, -2]);
  });

  test.each(['', ' 1', ' 1 2 3', ' x y'])('leaf_count=%s changes no answer', async (counts) => {
    const text = lightGbmText(regression(stump(), 3)).replaceAll(
      /\nnum_leaves=.*/g,
      (line) => `${line}\ninternal_count=\nleaf_count=${counts}`,
    );
    const answers = await answersOf((flour) => importLightGbm(text, flour), [[0], [1]]);
    expect(answers.map(({ prediction }) => prediction)).toEqual([[4.25], [1]]);
  });

  test('missing values', async () => {
    const below = { threshold: -1, left: 1, right: 2 };
    const cases: [object, number[]][] = [
      [{ ...below, missing: 'nan', defaultLeft: true }, [1, 2]],
      [{ ...below, missing: 'nan', defaultLeft: false }, [2, 2]],
      [{ ...below, missing: 'zero', defaultLeft: true }, [1, 1]],
      [{ ...below, missing: 'zero', defaultLeft: false }, [2, 2]],
      // NaN counts as 0, for any default direction.
      [{ ...below, missing: 'none', defaultLeft: true }, [2, 2]],
    ];
    for (const [split, want] of cases)
      expect([split, await predictions(regression(stump(split)), [Number.NaN, 0])]).toEqual([split, want]);
  });

  test('a threshold or a leaf that is NaN is rejected with its tree and node, unless it is allowed', async () => {
    const text = lightGbmText(regression(stump(), stump({ left: 3, threshold: 7 })));
    const read = (given: string, options?: object) => (flour: Parameters<typeof importLightGbm>[1]) =>
      importLightGbm(given, flour, options);
    const leaf = text.replace('leaf_value=3', 'leaf_value=nan');
    for (const [given, said] of [
      [leaf, 'expected a leaf that is a number at tree 1, leaf 0, received NaN'],
      [text.replace('threshold=7', 'threshold=-nan'), 'expected a threshold that is a number at tree 1, split 0'],
    ] as const) {
      const fault = await faultOf(read(given));
      expect(fault).toMatchObject({ code: 'ERR_GBDT_WEIGHT', message: expect.stringContaining(said), left: 0 });
    }
    expect(await answersOf(read(leaf, { nonFinite: 'allow' }), [[0], [8]])).toEqual([
      { prediction: [Number.NaN] },
      { prediction: [-4] },
    ]);
  });

  test('categories are truncated to integers, and values outside the set go right', async () => {
    const tree = stump({ categories: [0, 3, 4, 40], left: 1, right: 0 });
    const values = [0, 0.9, -0.5, -1, 1, 3, 4.99, 5, 40, 41, 64, 1e12, Infinity, -Infinity, Number.NaN];
    expect(await predictions(regression(tree), values)).toEqual([1, 1, 1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0]);
    expect(await predictions(regression(stump({ categories: [], left: 1, right: 0 })), [0, 3])).toEqual([0, 0]);
  });

  test('objectives', async () => {
    const of = async (objective: string, more: Partial<Model> = {}) =>
      (await predictions({ ...regression(stump()), objective, ...more }, [0]))[0];
    expect(await of('regression')).toBe(1.25);
    expect(await of('poisson')).toBeCloseTo(Math.exp(1.25), 12);
    expect(await of('binary sigmoid:1')).toBeCloseTo(1 / (1 + Math.exp(-1.25)), 14);
    expect(await of('binary sigmoid:2')).toBeCloseTo(1 / (1 + Math.exp(-2.5)), 14);
    expect(await of('cross_entropy_lambda')).toBeCloseTo(Math.log1p(Math.exp(1.25)), 12);
    const classes = { targets: 2, trees: [stump(), stump({ left: 0.25 })] };
    const one = 1 / (1 + Math.exp(-1));
    expect(await of('multiclass num_class:2', classes)).toEqual([expect.closeTo(one, 14), expect.closeTo(1 - one, 14)]);
    expect(await of('binary sigmoid:1', { isAverage: true, trees: [stump(), stump({ left: 0.25 })] })).toBeCloseTo(
      1 / (1 + Math.exp(-0.75)),
      14,
    );
    // In the old format, random forests have predictions in their leaves.
    const old = { isAverage: true, version: 'v2', trees: [stump({ left: 0.5 }), stump({ left: 1 })] };
    expect(await of('binary sigmoid:1', old)).toBe(0.75);
  });

  test('a random forest of several classes averages each class', async () => {
    const trees = [1, 2, 3, 5].map((left) => stump({ left }));
    expect(await predictions({ features: 1, targets: 2, trees, isAverage: true }, [0])).toEqual([[2, 3.5]]);
  });

  test('a tree without splits, and the first rounds', async () => {
    const model = regression(0.5, stump(), stump());
    expect(await predictions(model, [0])).toEqual([3]);
    const some = await answersOf(imported(model, { rounds: 2, outputs: ['leaves', 'raw'] }), [[0], [1]]);
    expect(some).toEqual([
      { leaves: [0, 0], raw: [1.75] },
      { leaves: [0, 1], raw: [-1.5] },
    ]);
  });

  test('random models give the answers that the format defines', async () => {
    const model = fc.integer({ min: 1, max: 4 }).chain((features) =>
      fc.record({
        features: fc.constant(features),
        targets: fc.constantFrom(1, 3),
        trees: fc.array(randomTree(features, 4).map(withLeaves), { minLength: 1, maxLength: 3 }),
        rows: fc.array(fc.array(randomValue, { minLength: features, maxLength: features }), {
          minLength: 1,
          maxLength: 12,
        }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(model, async ({ features, targets, trees: some, rows }) => {
        const trees = some.flatMap((tree) => Array<Tree>(targets).fill(tree));
        const answers = await answersOf(imported({ features, targets, trees }, { outputs: ['raw', 'leaves'] }), rows);
        rows.forEach((row, at) => {
          const reached = some.map((tree) => walk(tree, row));
          const sum = reached.reduce((total, { value }) => total + value, 0);
          expect(answers[at]!.raw).toEqual(Array(targets).fill(sum));
          expect(answers[at]!.leaves).toEqual(trees.map((tree) => walk(tree, row).leaf));
        });
      }),
      { seed, numRuns: 60 },
    );
  });

  describe('files of the v2 writer have no "end of trees"', () => {
    const whole = lightGbmText({ ...regression(stump(), stump({ left: 3 })), version: 'v2' });
    const start = whole.indexOf('Tree=0');
    const trees = whole.slice(start, whole.indexOf('end of trees'));
    const sizes = trees.split(/(?=Tree=1)/).map((tree) => tree.length);
    const old = (treeSizes: readonly number[], body = trees, importances = '\nfeature importances:\nf0=2\n') =>
      `${whole.slice(0, start).trimEnd()}\ntree_sizes=${treeSizes.join(' ')}\n\n${body}${importances}`;
    const predicted = async (text: string) =>
      (await answersOf((flour) => importLightGbm(text, flour), [[0]])).map(({ prediction }) => prediction);

    test('tree_sizes says where the trees end', async () => {
      expect(await predicted(whole)).toEqual([[4.25]]);
      expect(await predicted(old(sizes))).toEqual([[4.25]]);
      expect(await predicted(old(sizes, trees, ''))).toEqual([[4.25]]);
      expect(await predicted(old(sizes).replaceAll('\n', '\r\n'))).toEqual([[4.25]]);
    });

    test.each([
      ['cut off inside of a tree', old(sizes, trees.slice(0, -20), '')],
      ['cut off after a tree', old(sizes, trees.slice(0, sizes[0]), '')],
      ['sizes of other trees', old([sizes[0]! + 1, sizes[1]! - 1])],
      ['fewer sizes than trees', old(sizes.slice(0, 1))],
      ['no size', old([])],
      ['a size that is no number', old([sizes[0]!, Number.NaN])],
      ['neither sizes nor an end', whole.slice(0, whole.indexOf('end of trees'))],
    ])('%s', async (_, text) => {
      const fault = await faultOf((flour) => importLightGbm(text, flour));
      expect(fault).toMatchObject({ code: 'ERR_GBDT_FORMAT', left: 0 });
      expect(fault.message).toMatch(/tree_sizes|end of the file/);
    });
  });

  test('invalid files are rejected with a location, and free their memory', async () => {
    const good = lightGbmText(regression(stump(), stump({ categories: [3] })));
    const broken: [string, string, string][] = [
      ['', 'ERR_GBDT_FORMAT', 'line 1'],
      [good.slice(0, good.indexOf('end of trees')), 'ERR_GBDT_FORMAT', 'end of the file'],
      // A node that is its own child.
      [good.replace('left_child=-1', 'left_child=0'), 'ERR_GBDT_FORMAT', 'tree 0'],
      [good.replace('left_child=-1', 'left_child=-9'), 'ERR_GBDT_FORMAT', 'tree 0, split 0'],
      [good.replace('split_feature=0', 'split_feature=7'), 'ERR_GBDT_FORMAT', 'tree 0, split 0'],
      [good.replace('threshold=0.5', 'threshold=a'), 'ERR_GBDT_FORMAT', 'tree 0, threshold'],
      [good.replace('leaf_value=1.25', 'leaf_value='), 'ERR_GBDT_FORMAT', 'tree 0, leaf_value'],
      [good.replace('cat_boundaries=0 1', 'cat_boundaries=0 900'), 'ERR_GBDT_FORMAT', 'tree 1, cat_threshold'],
      [good.replace('num_leaves=2', 'num_leaves=1e9'), 'ERR_GBDT_FORMAT', 'tree 0'],
      [good.replace('max_feature_idx=0', 'max_feature_idx=2000000000'), 'ERR_GBDT_FORMAT', 'feature_names'],
      [good.replace('num_tree_per_iteration=1', 'num_tree_per_iteration=3'), 'ERR_GBDT_FORMAT', 'the trees'],
      [good.replace('shrinkage=1', 'is_linear=1'), 'ERR_GBDT_UNSUPPORTED', 'tree 0'],
      [good.replace('version=v3', 'objective=regression sqrt'), 'ERR_GBDT_UNSUPPORTED', 'objective'],
    ];
    for (const [text, code, at] of broken) {
      const fault = await faultOf((flour) => importLightGbm(text, flour));
      expect(fault).toEqual({ code, message: expect.stringContaining(at), left: 0 });
    }
    const wrong = await faultOf((flour) => importLightGbm(good, flour, { rounds: 3 }));
    expect(wrong).toMatchObject({
      code: 'ERR_GBDT_OPTION',
      message: 'expected at most 2 rounds at rounds, received 3',
    });
    const large = await faultOf((flour) => importLightGbm(good, flour, { limits: { fileBytes: 10 } }));
    expect(large).toMatchObject({ code: 'ERR_GBDT_LIMIT' });
    for (const limits of [{ bytes: 10 }, { fileBytes: -1 }, { fileBytes: '1' }]) {
      const option = await faultOf((flour) => importLightGbm(good, flour, { limits: limits as never }));
      expect(option).toMatchObject({ code: 'ERR_GBDT_OPTION', left: 0 });
    }
  });
});
