import { readFileSync } from 'node:fs';
import { createFlour, createRuntime, importPmml } from 'brezel';
import { describe, expect, test } from 'vitest';
import { double, pmml, schema, string } from './documents.js';

// The answers are computed by hand from the formulas of the PMML specification.

const file = (name: string) => readFileSync(new URL(`models/${name}.pmml`, import.meta.url));

/**
 * Returns the answers of a model, in the addon and without it, and checks that they are equal.
 */
async function answersOf(model: Uint8Array | string, rows: readonly Record<string, unknown>[]) {
  const all: unknown[][] = [];
  for (const options of [{}, { native: false }] as const) {
    using flour = await createFlour(options);
    await using runtime = createRuntime({ store: flour.store });
    const plan = runtime.register(importPmml(model, flour).program.plan());
    const answers = rows.map((row) => runtime.predictSync(plan, row));
    expect(await runtime.predictBatch(plan, rows)).toStrictEqual(answers);
    all.push(answers);
  }
  expect(all[1]).toStrictEqual(all[0]);
  return all[0] as Record<string, unknown>[];
}

const { NaN: missing } = Number;

describe('files', () => {
  test('a regression with numbers and categories', async () => {
    const answers = await answersOf(file('claims'), [
      { age: 30, salary: 50_000, car_location: 'street' }, // 132.37 + 213 + 500 + 325.03
      { age: 30, salary: 50_000, car_location: 'carpark' }, // 132.37 + 213 + 500 + 41.1
      { age: missing, salary: 1000, car_location: '' }, // a missing category adds 0
      { age: 30, salary: missing, car_location: 'street' },
    ]);
    expect(answers[0]!.prediction).toBeCloseTo(1170.4, 10);
    expect(answers[1]!.prediction).toBeCloseTo(886.47, 10);
    expect(answers[2]!.prediction).toBeCloseTo(426.37, 10);
    expect(answers[3]!.prediction).toBeNaN();
  });

  test('a tree with surrogates and default children', async () => {
    const row = { temperature: 70, humidity: 60, windy: 'false', outlook: 'sunny' };
    const answers = await answersOf(file('golf'), [
      row, // node 3
      { ...row, humidity: 85 }, // node 4
      { ...row, temperature: 95 }, // node 5
      { ...row, outlook: 'rain' }, // node 6
      { ...row, outlook: '', temperature: missing }, // 1 by default, 2 by the surrogate, 3
      { ...row, temperature: missing, humidity: missing }, // 2 and 3 by default
      { ...row, temperature: missing, humidity: 85 }, // node 5 is unknown: 2, then 4
    ]);
    expect(answers.map(({ label }) => label)).toEqual([
      'will play',
      'no play',
      'no play',
      'may play',
      'will play',
      'will play',
      'no play',
    ]);
    expect(answers.map(({ chance }) => chance)).toEqual([0.95, 0.1, 0, 0, 0.95, 0.95, 0.1]);
    expect(answers[1]!.probabilities).toEqual([0.1, 0.4, 0.5]);
    expect(answers[1]!.decision).toBe('no play');
  });

  test('a scorecard with reason codes and a complex partial score', async () => {
    const answers = await answersOf(file('scorecard'), [
      // 100 + 3 + 12 + (0.03 * 500 + 11); differences from the baselines: 16, 6, -6
      { department: 'engineering', age: 25, income: 500 },
      // 100 - 9 - 1 + 5; differences: 28, 19, 15
      { department: '', age: missing, income: 2000 },
      // 100 + 19 + 18 + 5; differences: 0, 0, 15. Of equal ones, the first characteristic is first.
      { department: 'marketing', age: 40, income: 2000 },
      // 100 + 0 - 3 + 11; differences: 19, 21, 9
      { department: 'sales', age: 18, income: 0 },
      // no attribute of the income is true
      { department: 'sales', age: 18, income: missing },
    ]);
    const scores = answers.map(({ finalScore }) => finalScore);
    expect(scores.slice(0, 4)).toEqual([141, 95, 142, 108]);
    expect(scores[4]).toBeNaN();
    expect(answers.map(({ reason1, reason2 }) => [reason1, reason2])).toEqual([
      ['RC1', 'RC2'],
      ['RC1', 'RC2'],
      ['RC3', 'RC1'],
      ['RC2_MINOR', 'RC1'],
      ['', ''],
    ]);
    using flour = await createFlour();
    const { outputs } = importPmml(file('scorecard'), flour).program.plan();
    expect(outputs.find(({ name }) => name === 'isGood')).toMatchObject({ labels: ['yes', 'no', ''] });
    expect(answers.map(({ isGood }) => isGood)).toEqual(['yes', 'no', 'yes', 'no', '']);
  });

  test('a chain of boosted trees and a logistic function', async () => {
    const answers = await answersOf(file('boosting'), [
      { age: 25, income: 1000, region: 'Bremen' }, // -0.75 + 0.125 - 0.25
      { age: 40, income: 10_000, region: 'Bayern' }, // 1 - 0.5 - 0.25
      { age: 40, income: missing, region: 'Berlin' }, // 0.5 - 0.5 - 0.25
      // With the strategy none, a missing age fails both tests. A missing region has no area.
      { age: missing, income: 1000, region: '' }, // 0.5 + 0.125 - 0.25
    ]);
    const margins = [-0.875, 0.25, -0.25, 0.375];
    margins.forEach((margin, index) => {
      const probability = 1 / (1 + Math.exp(-margin));
      expect(answers[index]!.label).toBe(margin > 0 ? 1 : 0);
      const [first, second] = answers[index]!.probabilities as number[];
      expect(first).toBeCloseTo(1 - probability, 14);
      expect(second).toBeCloseTo(probability, 14);
    });
  });
});

describe('rules of the specification', () => {
  test('targets: bounds, then rescaling, then rounding', async () => {
    const target =
      '<Targets><Target field="y" min="-10" max="10.5" rescaleFactor="3.14" rescaleConstant="10" castInteger="round"/></Targets>';
    const model = `<RegressionModel functionName="regression">${schema(['x'], 'y')}${target}<RegressionTable intercept="0"><NumericPredictor name="x" coefficient="1"/></RegressionTable></RegressionModel>`;
    const answers = await answersOf(pmml(double('x') + double('y'), model), [{ x: 8 }, { x: 12.97 }, { x: -20 }]);
    // 8 * 3.14 + 10 = 35.12; 10.5 * 3.14 + 10 = 42.97; -31.4 + 10 = -21.4
    expect(answers.map(({ prediction }) => prediction)).toEqual([35, 43, -21]);
  });

  test('the vote of trees, and their weighted average', async () => {
    const tree = (limit: number) =>
      `<TreeModel functionName="classification">${schema(['x'], 'y')}<Node><True/><Node score="a"><SimplePredicate field="x" operator="lessThan" value="${limit}"/></Node><Node score="b"><SimplePredicate field="x" operator="greaterOrEqual" value="${limit}"/></Node></Node></TreeModel>`;
    const model = (method: string) =>
      `<MiningModel functionName="classification">${schema(['x'], 'y')}<Segmentation multipleModelMethod="${method}"><Segment weight="3"><True/>${tree(1)}</Segment><Segment weight="1"><True/>${tree(2)}</Segment><Segment weight="1"><True/>${tree(3)}</Segment></Segmentation></MiningModel>`;
    const dictionary = double('x') + string('y', ['a', 'b']);
    const rows = [{ x: 0 }, { x: 1.5 }, { x: 2.5 }, { x: 3 }];
    const votes = await answersOf(pmml(dictionary, model('majorityVote')), rows);
    expect(votes.map(({ label }) => label)).toEqual(['a', 'a', 'b', 'b']);
    expect(votes[1]!.probabilities).toEqual([2 / 3, 1 / 3]);
    const weighted = await answersOf(pmml(dictionary, model('weightedMajorityVote')), rows);
    expect(weighted.map(({ label }) => label)).toEqual(['a', 'b', 'b', 'b']);
    expect(weighted[1]!.probabilities).toEqual([2 / 5, 3 / 5]);
  });

  test('a function that the document defines', async () => {
    const transformations = `<TransformationDictionary>
      <DefineFunction name="ratio" optype="continuous"><ParameterField name="top"/><ParameterField name="bottom"/>
      <Apply function="/"><FieldRef field="top"/><Apply function="+"><FieldRef field="bottom"/><Constant>1</Constant></Apply></Apply></DefineFunction>
      <DerivedField name="r" optype="continuous" dataType="double"><Apply function="ratio"><FieldRef field="x"/><Constant>3</Constant></Apply></DerivedField></TransformationDictionary>`;
    const model = `<RegressionModel functionName="regression">${schema(['x'], 'y')}<RegressionTable intercept="0"><NumericPredictor name="r" coefficient="2"/></RegressionTable></RegressionModel>`;
    const answers = await answersOf(pmml(double('x') + double('y'), model, transformations), [{ x: 10 }]);
    expect(answers[0]!.prediction).toBe(5);
  });

  test('floats are compared as float32', async () => {
    const model = `<TreeModel functionName="regression">${schema(['x'], 'y')}<Node><True/><Node score="1"><SimplePredicate field="x" operator="lessOrEqual" value="0.1"/></Node><Node score="2"><True/></Node></Node></TreeModel>`;
    const field = '<DataField name="x" optype="continuous" dataType="float"/>';
    // float32(0.1) is above 0.1, so a row of 0.1 would fail a test in float64.
    const rows = [{ x: 0.1 }, { x: Math.fround(0.1) }, { x: 0.1001 }];
    expect((await answersOf(pmml(field + double('y'), model), rows)).map(({ prediction }) => prediction)).toEqual([
      1, 1, 2,
    ]);
  });
});

/** Writes a general regression of a factor `g` (a, b, c), a covariate `x`, and other content. */
const general = (attributes: string, target: string, parameters: string, cells: string, weights: string): string =>
  pmml(
    double('x') + string('g', ['a', 'b', 'c']) + target,
    `<GeneralRegressionModel ${attributes}>${schema(['x', 'g'], 'y')}<ParameterList>${parameters}</ParameterList><FactorList><Predictor name="g"/></FactorList><CovariateList><Predictor name="x"/></CovariateList><PPMatrix>${cells}</PPMatrix><ParamMatrix>${weights}</ParamMatrix></GeneralRegressionModel>`,
  );
const parameters = ['p0', 'p1', 'p2', 'p3', 'p4'].map((name) => `<Parameter name="${name}"/>`).join('');
// p1 = x, p2 = x^2, p3 = (g is b), p4 = (g is b) * x
const cells = [
  ['p1', 'x', 1],
  ['p2', 'x', 2],
  ['p3', 'g', 'b'],
  ['p4', 'g', 'b'],
  ['p4', 'x', 1],
]
  .map(([parameter, name, value]) => `<PPCell parameterName="${parameter}" predictorName="${name}" value="${value}"/>`)
  .join('');
const weight = (parameter: string, beta: number, category = ''): string =>
  `<PCell parameterName="${parameter}" beta="${beta}"${category === '' ? '' : ` targetCategory="${category}"`}/>`;

describe('GeneralRegressionModel', () => {
  const rows = [
    { x: 2, g: 'a' },
    { x: 2, g: 'b' },
    { x: 2, g: '' },
  ];

  test.each<[string, string, (sum: number) => number]>([
    ['modelType="generalLinear"', 'identity', (sum) => sum],
    ['modelType="generalizedLinear" linkFunction="log"', 'log', Math.exp],
    [
      'modelType="generalizedLinear" linkFunction="logit" trialsValue="10"',
      'logit',
      (sum) => 10 / (1 + Math.exp(-sum)),
    ],
    ['modelType="generalizedLinear" linkFunction="power" linkParameter="2"', 'power', Math.sqrt],
    ['modelType="generalizedLinear" linkFunction="identity" offsetValue="0.5"', 'offset', (sum) => sum + 0.5],
  ])('%s', async (attributes, _, inverse) => {
    const weights =
      weight('p0', 0.5) + weight('p1', 0.25) + weight('p2', -0.125) + weight('p3', 1) + weight('p4', -0.25);
    const file = general(`functionName="regression" ${attributes}`, double('y'), parameters, cells, weights);
    const answers = await answersOf(file, rows);
    // a: 0.5 + 0.5 - 0.5; b: 1 - 0.5 more
    expect(answers[0]!.prediction).toBeCloseTo(inverse(0.5), 12);
    expect(answers[1]!.prediction).toBeCloseTo(inverse(1), 12);
    expect(answers[2]!.prediction).toBeNaN();
  });

  test('one class has the inverse link, the other class the rest', async () => {
    const attributes = 'functionName="classification" modelType="generalizedLinear" linkFunction="logit"';
    const weights = weight('p0', 0.5, 'no') + weight('p3', 1, 'no');
    const answers = await answersOf(general(attributes, string('y', ['yes', 'no']), parameters, cells, weights), rows);
    const no = 1 / (1 + Math.exp(-1.5));
    expect(answers[1]!.label).toBe('no');
    expect((answers[1]!.probabilities as number[])[0]).toBeCloseTo(1 - no, 14);
    expect((answers[1]!.probabilities as number[])[1]).toBeCloseTo(no, 14);
    expect(answers[2]!.label).toBe('');
  });

  test('multinomialLogistic: the sum of the reference class is 0', async () => {
    const attributes = 'functionName="classification" modelType="multinomialLogistic"';
    const weights = weight('p0', 0.5, 'u') + weight('p1', 1, 'u') + weight('p0', -1, 'v') + weight('p3', 2, 'v');
    const answers = await answersOf(
      general(attributes, string('y', ['u', 'v', 'w']), parameters, cells, weights),
      rows,
    );
    const sum = Math.exp(2.5) + Math.exp(1) + 1;
    const expected = [Math.exp(2.5) / sum, Math.exp(1) / sum, 1 / sum];
    expected.forEach((share, place) => {
      expect((answers[1]!.probabilities as number[])[place]).toBeCloseTo(share, 14);
    });
    expect(answers[1]!.label).toBe('u');
  });

  test('ordinalMultinomial: the inverse link is the probability up to a class', async () => {
    const attributes = 'functionName="classification" modelType="ordinalMultinomial" cumulativeLink="cauchit"';
    const target = string('y', ['u', 'v', 'w']).replace('categorical', 'ordinal');
    const weights = weight('p0', -1, 'u') + weight('p0', 0.5, 'v') + weight('p1', 0.25);
    const answers = await answersOf(general(attributes, target, parameters, cells, weights), rows);
    const upTo = [-0.5, 1].map((sum) => 0.5 + Math.atan(sum) / Math.PI) as [number, number];
    [upTo[0], upTo[1] - upTo[0], 1 - upTo[1]].forEach((share, place) => {
      expect((answers[0]!.probabilities as number[])[place]).toBeCloseTo(share, 14);
    });
  });
});

test('null is missing where the model treats missing values', async () => {
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store });
  const plan = runtime.register(importPmml(file('scorecard'), flour).program.plan(), { missing: 'accept' });
  const answer = runtime.predictSync(plan, { department: '', age: null, income: 2000 }) as Record<string, unknown>;
  expect(answer.finalScore).toBe(95);
});

test('a row with an invalid value is rejected', async () => {
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store });
  const plan = runtime.register(importPmml(file('boosting'), flour).program.plan());
  const row = { age: 130, income: 1000, region: 'Bremen' };
  expect(() => runtime.predictSync(plan, row)).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_INPUT' }));
});
