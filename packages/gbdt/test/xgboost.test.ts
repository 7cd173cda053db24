import { importXgboost } from 'brezel';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answersOf, faultOf } from './predictor.js';
import { seed } from './seed.js';
import {
  asJson,
  asUbjson,
  long,
  type Model,
  randomTree,
  randomValue,
  type Tree,
  walk,
  xgboostDocument,
} from './xgboost-file.js';

const stump = (more: object = {}): Tree => ({
  feature: 0,
  threshold: 0.5,
  defaultLeft: false,
  left: 1.25,
  right: -2,
  ...more,
});
const imported =
  (model: Model, options = {}) =>
  (flour: Parameters<typeof importXgboost>[1]) =>
    importXgboost(asJson(xgboostDocument(model)), flour, options);
const answer = async (model: Model, values: readonly number[], output = 'prediction') => {
  const answers = await answersOf(
    imported(model, { outputs: [output] }),
    values.map((value) => [value]),
  );
  return answers.map((one) => one[output]);
};

/** The start of an object in UBJSON whose first value has the given head and count. */
const ubjson = (head: string, count: number) =>
  Buffer.concat([Buffer.from('{i\u0001'), Buffer.from(head), long(count)]);

describe('XGBoost', () => {
  test('a value on the threshold goes right, and a missing value goes to the default child', async () => {
    const model = (defaultLeft: boolean): Model => ({ features: 1, trees: [stump({ defaultLeft })], baseScore: '0' });
    const values = [0.5, Math.fround(0.49999997), -Infinity, Number.NaN];
    expect(await answer(model(true), values)).toEqual([[-2], [1.25], [1.25], [1.25]]);
    expect(await answer(model(false), values)).toEqual([[-2], [1.25], [1.25], [-2]]);
  });

  test('a threshold or a leaf that is NaN is rejected with its tree and node, unless it is allowed', async () => {
    const { NaN: nan } = Number;
    const written =
      (tree: Tree, options = {}) =>
      (flour: Parameters<typeof importXgboost>[1]) =>
        importXgboost(
          asUbjson(xgboostDocument({ features: 1, trees: [stump(), tree], baseScore: '0' })),
          flour,
          options,
        );
    for (const [tree, said] of [
      [stump({ right: nan }), 'a leaf that is a number at model.learner.gradient_booster.model.trees[1], node 2'],
      [
        stump({ threshold: nan }),
        'a threshold that is a number at model.learner.gradient_booster.model.trees[1], node 0',
      ],
    ] as const) {
      const fault = await faultOf(written(tree));
      expect(fault).toMatchObject({ code: 'ERR_GBDT_WEIGHT', message: expect.stringContaining(said), left: 0 });
    }
    // A node that tests categories has no threshold.
    const categories = stump({ categories: [0, 3], threshold: nan, left: 1, right: 2 });
    expect(await answersOf(written(categories), [[0]])).toEqual([{ prediction: [1.25 + 2] }]);
    expect(await answersOf(written(stump({ right: nan }), { nonFinite: 'allow' }), [[0], [1]])).toEqual([
      { prediction: [2.5] },
      { prediction: [nan] },
    ]);
  });

  test('categories of the set go right after truncation, and other values go left', async () => {
    const values = [0, 0.9, -0.5, 3, 4.5, 5, 1e9, Number.NaN];
    for (const [defaultLeft, missing] of [
      [true, 1],
      [false, 2],
    ] as const) {
      const tree = stump({ categories: [0, 3, 4], left: 1, right: 2, defaultLeft });
      const got = await answer({ features: 1, trees: [tree], baseScore: '0' }, values);
      expect(got.flat()).toEqual([2, 2, 1, 2, 2, 1, 1, missing]);
    }
  });

  test('objectives, and the base score in the space of predictions', async () => {
    const of = async (objective: string, more: Partial<Model> = {}, output = 'prediction') =>
      (await answer({ features: 1, trees: [stump()], objective, baseScore: '2.5E-1', ...more }, [0], output))[0];
    const logit = Math.log(0.25 / 0.75);
    const near = (value: number) => [expect.closeTo(value, 6)];
    expect(await of('reg:squarederror')).toEqual([1.5]);
    expect(await of('binary:logistic', {}, 'raw')).toEqual(near(logit + 1.25));
    expect(await of('binary:logistic')).toEqual(near(1 / (1 + Math.exp(-logit - 1.25))));
    // The base score of this objective is a margin.
    expect(await of('binary:logitraw')).toEqual(near(0.25 + 1.25));
    expect(await of('count:poisson')).toEqual(near(0.25 * Math.exp(1.25)));
    expect(await of('binary:hinge', { baseScore: '0' })).toBe(1);
    // The format of XGBoost 3.1 and later.
    expect(await of('reg:squarederror', { baseScore: '[1E0]' })).toEqual([2.25]);
    const classes = { targets: 3, trees: [stump(), stump({ left: 3 }), stump({ left: 0 })] };
    expect(await of('multi:softmax', classes)).toBe(1);
    const powers = [1.25, 3, 0].map(Math.exp);
    const sum = powers.reduce((total, power) => total + power);
    expect(await of('multi:softprob', classes)).toEqual(powers.map((power) => expect.closeTo(power / sum, 6)));
  });

  test('dropout scales trees, and linear boosters skip missing values', async () => {
    const dart: Model = { features: 1, trees: [stump(), stump()], dropout: [0.5, 1], baseScore: '0' };
    expect(await answer(dart, [0])).toEqual([[1.875]]);
    const document = xgboostDocument({ features: 2, trees: [] });
    const learner = { ...document.learner, gradient_booster: { name: 'gblinear', model: { weights: [2, -1, 0.25] } } };
    const text = asJson({ ...document, learner });
    const answers = await answersOf(
      (flour) => importXgboost(text, flour),
      [
        [1, 3],
        [Number.NaN, 3],
      ],
    );
    expect(answers).toEqual([{ prediction: [-0.25] }, { prediction: [-2.25] }]);
  });

  test('early stopping is reported, and the option rounds is used', async () => {
    const model: Model = { features: 1, trees: [stump(), stump(), stump()], bestIteration: 0, baseScore: '0' };
    const warnings: string[] = [];
    const all = await answersOf(
      (flour) => {
        const one = imported(model)(flour);
        warnings.push(...one.warnings);
        return one;
      },
      [[0]],
    );
    expect(all).toEqual([{ prediction: [3.75] }]);
    expect(warnings).toEqual([expect.stringContaining('{ rounds: 1 }')]);
    expect(await answersOf(imported(model, { rounds: 1 }), [[0]])).toEqual([{ prediction: [1.25] }]);
  });

  test('random models give the answers that the format defines, from JSON and UBJSON', async () => {
    const model = fc.integer({ min: 1, max: 4 }).chain((features) =>
      fc.record({
        features: fc.constant(features),
        trees: fc.array(randomTree(features, 4), { minLength: 1, maxLength: 4 }),
        rows: fc.array(fc.array(randomValue, { minLength: features, maxLength: features }), {
          minLength: 1,
          maxLength: 9,
        }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(model, async ({ features, trees, rows }) => {
        const document = xgboostDocument({ features, trees });
        const options = { outputs: ['raw', 'leaves'] as const };
        const answers = await answersOf((flour) => importXgboost(asJson(document), flour, options), rows);
        const ubjson = await answersOf((flour) => importXgboost(asUbjson(document), flour, options), rows);
        expect(ubjson).toEqual(answers);
        rows.forEach((row, at) => {
          const reached = trees.map((tree) => walk(tree, row));
          const sum = reached.reduce((total, { value }) => Math.fround(total + value), 0.5);
          expect(answers[at]!).toEqual({ raw: [sum], leaves: reached.map(({ node }) => node) });
        });
      }),
      { seed, numRuns: 50 },
    );
  });

  test('invalid files are rejected with a location, and free their memory', async () => {
    const good = asJson(xgboostDocument({ features: 1, trees: [stump(), stump({ categories: [3] })] }));
    const broken: [string | Uint8Array, string, string][] = [
      ['{', 'ERR_GBDT_FORMAT', 'JSON'],
      ['[]', 'ERR_GBDT_FORMAT', 'model'],
      ['{"learner":{}}', 'ERR_GBDT_FORMAT', 'model.learner.learner_model_param'],
      [good.replace('"left_children":[1,', '"left_children":[0,'), 'ERR_GBDT_FORMAT', 'trees[0], node 0'],
      [good.replace('"right_children":[2,', '"right_children":[9,'), 'ERR_GBDT_FORMAT', 'trees[0], node 0'],
      [good.replace('"split_indices":[0,', '"split_indices":[5,'), 'ERR_GBDT_FORMAT', 'trees[0], node 0'],
      [good.replace('"split_indices":[0,', '"split_indices":[0.5,'), 'ERR_GBDT_FORMAT', 'split_indices[0]'],
      [good.replace('"split_indices":[0,', '"split_indices":[4294967296,'), 'ERR_GBDT_FORMAT', 'split_indices[0]'],
      [good.replace('"left_children":[1,', '"left_children":[1.5,'), 'ERR_GBDT_FORMAT', 'left_children[0]'],
      [good.replace('"right_children":[2,', '"right_children":[2.5,'), 'ERR_GBDT_FORMAT', 'right_children[0]'],
      [good.replace('"categories_nodes":[0', '"categories_nodes":[0.5'), 'ERR_GBDT_FORMAT', 'categories_nodes[0]'],
      [good.replace('5E-1', '[5E-1,7]'), 'ERR_GBDT_FORMAT', 'one number, or 1'],
      [good.replace('"split_conditions":[0.5', '"split_conditions":["a"'), 'ERR_GBDT_FORMAT', 'split_conditions[0]'],
      [good.replace('"categories":[3]', '"categories":[]'), 'ERR_GBDT_FORMAT', 'categories_nodes[0]'],
      [good.replace('"tree_info":[0', '"tree_info":[4'), 'ERR_GBDT_FORMAT', 'tree_info[0]'],
      [good.replace('5E-1', 'much'), 'ERR_GBDT_FORMAT', 'base_score'],
      [good.replace('"num_class":"0"', '"num_class":"99999999"'), 'ERR_GBDT_FORMAT', 'at most 65536 targets'],
      [good.replace('"size_leaf_vector":"0"', '"size_leaf_vector":"3"'), 'ERR_GBDT_UNSUPPORTED', 'trees[0]'],
      [good.replace('reg:squarederror', 'my:own'), 'ERR_GBDT_UNSUPPORTED', 'objective.name'],
      [good.replace('"gbtree"', '"gbforest"'), 'ERR_GBDT_UNSUPPORTED', 'gradient_booster'],
      // The file declares more numbers than it has bytes.
      [ubjson('a[$d#L', 2 ** 40), 'ERR_GBDT_FORMAT', 'byte'],
      [ubjson('a[$Z#L', 2 ** 40), 'ERR_GBDT_FORMAT', 'take bytes'],
      [Buffer.concat([ubjson('a[#L', 1), Buffer.from('['.repeat(99))]), 'ERR_GBDT_FORMAT', '32 levels'],
    ];
    for (const [file, code, at] of broken) {
      expect([at, file]).not.toEqual([at, good]);
      const fault = await faultOf((flour) => importXgboost(file, flour));
      expect(fault).toEqual({ code, message: expect.stringContaining(at), left: 0 });
    }
  });
});
