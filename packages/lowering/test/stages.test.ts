import { type DenseBlock, dense } from '@brezel/core';
import { type Flow, operators } from '@brezel/flour';
import { loweredOperators, lowerStage, whyNotLowered } from '@brezel/lowering';
import { readModel } from '@brezel/onnx';
import { createFlour, onnxruntimeBackend } from 'brezel';
import { describe, expect, it } from 'vitest';
import { below, features, numbers, oddRows, randomForest, rowsOf } from './random.js';
import { byReference, compareStages } from './run-lowered.js';

const flour = await createFlour();
const { store } = flour;
const value = (id: string) => store.get(id);
const WIDTH = 12;

const layer = (from: number, to: number, activation: 'none' | 'relu' | 'tanh' | 'sigmoid' | 'softmax' = 'none') => ({
  weights: numbers(from * to),
  bias: numbers(to),
  activation,
});
const vectors = (count: number) => numbers(count * WIDTH);

/** Programs over twelve numbers. Every stage of every program must be lowered. */
const programs: Record<string, (x: Flow<'vector'>) => Flow> = {
  linear: (x) => x.linear({ weights: vectors(3), bias: numbers(3) }),
  'a linear score and its decision': (x) => x.linear({ weights: vectors(1), bias: 0.25 }).threshold(0.125),
  'two branches of a linear model': (x) =>
    x
      .map('abs')
      .concat(x.map('negate'))
      .linear({ weights: numbers(4 * WIDTH), bias: numbers(2) }),
  'a perceptron': (x) => x.mlp({ layers: [layer(WIDTH, 16, 'relu'), layer(16, 8, 'tanh'), layer(8, 3, 'softmax')] }),
  'a sigmoid layer': (x) => x.dense(layer(WIDTH, 5, 'sigmoid')),
  'a softmax of one part': (x) => x.softmax({ parts: 1 }),
  'the greatest of one part': (x) => x.argMax({ parts: 1 }),
  projection: (x) => x.project({ components: vectors(4) }),
  'PCA, whitened': (x) =>
    x.project({ components: vectors(4), mean: numbers(WIDTH), explainedVariance: [4, 2, 1, 0.5] }),
  'distances from centers': (x) => x.kMeansDistances({ centers: vectors(6) }),
  'the nearest cluster': (x) => x.kMeansCluster({ centers: vectors(6) }),
  'a radial support vector regressor': (x) =>
    x.svmKernel({ kernel: 'rbf', gamma: 0.25, supportVectors: vectors(9) }).linear({ weights: numbers(9), bias: 0.5 }),
  'a linear kernel': (x) => x.svmKernel({ kernel: 'linear', supportVectors: vectors(9) }),
  'a polynomial kernel': (x) =>
    x.svmKernel({ kernel: 'poly', gamma: 0.5, coef0: 1, degree: 3, supportVectors: vectors(9) }),
  'a sigmoid kernel': (x) => x.svmKernel({ kernel: 'sigmoid', gamma: 0.5, coef0: 0.5, supportVectors: vectors(9) }),
  'pairs of classes': (x) =>
    x
      .svmKernel({ kernel: 'rbf', gamma: 0.25, supportVectors: vectors(9) })
      .svmPairs({ coefficients: numbers(3 * 9), rho: numbers(6), vectorsPerClass: [3, 1, 3, 2] }),
  'scaled columns': (x) => x.scale({ offset: numbers(WIDTH), scale: numbers(WIDTH) }).selectColumns([3, 0, 11, 3]),
  'every function': (x) =>
    (['exp', 'sigmoid', 'tanh', 'relu', 'negate', 'abs', 'sign', 'floor', 'ceil'] as const)
      .map((name) => x.map(name))
      .concat(x.map('abs').map('sqrt'), x.map('exp').map('log'), x.map('exp').map('reciprocal'))
      .reduce((left, right) => left.concat(right)),
  'every operation': (x) =>
    (['add', 'subtract', 'multiply', 'divide', 'maximum', 'minimum'] as const)
      .flatMap((name) => [
        x.arithmetic(name, x.map('exp')),
        x.arithmetic(name, 3),
        x.map('exp').arithmetic(name, 2, 'left'),
      ])
      .reduce((left, right) => left.concat(right)),
};

describe('lowered stages give the answers of their references', () => {
  it.each(Object.entries(programs))('%s', async (_name, build) => {
    const plan = flour.program({ y: build(features(flour, WIDTH)) }).plan();
    const lowered = await compareStages(plan, rowsOf(17, WIDTH), store);
    expect(lowered.length).toBe(plan.stages.length);
    expect(lowered.every(({ flopsPerRow, bytesPerRow }) => flopsPerRow >= 0 && bytesPerRow > 0)).toBe(true);
  });

  it('every supported operator is tested', () => {
    const used = Object.values({ ...programs, forest: (x: Flow<'vector'>) => x.treeEnsemble(small()) }).flatMap(
      (build) =>
        flour
          .program({ y: build(features(flour, WIDTH)) })
          .plan()
          .stages.flatMap(({ stage }) => stage.steps),
    );
    expect([...loweredOperators].sort()).toEqual([...new Set(used.map(({ operator }) => operator))].sort());
  });
});

const small = () => randomForest({ trees: 3, depth: 3, features: WIDTH, targets: 2 });
const planOf = (forest: ReturnType<typeof small>) =>
  flour.program({ y: features(flour, WIDTH).treeEnsemble(forest) }).plan();

/**
 * Returns a tree in which two branches end at the same leaf, so that the leaf has two parents.
 */
const shared = () => ({
  ...randomForest({ trees: 1, depth: 0, features: WIDTH, targets: 1 }),
  feature: Int32Array.of(0, 1, 0, 0),
  threshold: Float32Array.of(0, 0, 0, 0),
  mode: Int32Array.of(0, 0, 6, 6),
  trueChild: Int32Array.of(1, 2, 0, 0),
  falseChild: Int32Array.of(2, 3, 0, 0),
  missingTrue: Int32Array.of(0, 0, 0, 0),
  leafStart: Int32Array.of(0, 0, 0, 1, 2),
  leafTarget: Int32Array.of(0, 0),
  leafWeight: Float32Array.of(1, 2),
});

describe('forests', () => {
  const strategies = ['gemm', 'traversal', 'auto'] as const;

  it.each(strategies)('as %s: every order, NaN and infinities, numbers on thresholds', async (forest) => {
    for (const modes of [[0], [0, 1, 2, 3]]) {
      for (const missing of [false, true]) {
        const shape = { trees: 1 + below(9), depth: 5, features: WIDTH, targets: 1 + below(3), modes, missing };
        await compareStages(planOf(randomForest(shape)), oddRows(23, WIDTH, true), store, { forest });
      }
    }
  });

  it.each(strategies)('as %s: trees with one leaf', async (forest) => {
    const shape = { trees: 3, depth: 0, features: WIDTH, targets: 2 };
    await compareStages(planOf(randomForest(shape)), oddRows(3, WIDTH, true), store, { forest });
  });

  it('shallow forests become products, and deep forests become steps', () => {
    const operators = (depth: number) => {
      const [planned] = planOf(randomForest({ trees: 9, depth, features: WIDTH, targets: 1 })).stages;
      return readModel(lowerStage(planned!.stage, value).bytes).graph!.node.map(({ opType }) => opType);
    };
    expect(operators(3)).toContain('MatMul');
    expect(operators(14)).not.toContain('MatMul');
    expect(operators(14)).toContain('GatherElements');
  });

  it('with shared nodes become steps; products are rejected with the reason', async () => {
    const plan = planOf(shared());
    await compareStages(plan, oddRows(9, WIDTH, false), store);
    expect(() => lowerStage(plan.stages[0]!.stage, value, { forest: 'gemm' })).toThrow(
      expect.objectContaining({ code: 'ERR_LOWERING_LIMIT', message: expect.stringContaining('several parents') }),
    );
  });

  it('that are too deep for a graph are rejected', () => {
    const depth = 1001; // each branch leads to a leaf or to the next branch
    const nodes = 2 * depth + 1;
    const isBranch = (node: number) => node % 2 === 0 && node < 2 * depth;
    const list = (entry: (node: number) => number) => Int32Array.from({ length: nodes }, (_, node) => entry(node));
    const chain = {
      feature: list(() => 0),
      threshold: new Float32Array(nodes),
      mode: list((node) => (isBranch(node) ? 0 : 6)),
      trueChild: list((node) => (isBranch(node) ? node + 1 : 0)),
      falseChild: list((node) => (isBranch(node) ? node + 2 : 0)),
      missingTrue: new Int32Array(nodes),
      roots: Int32Array.of(0),
      leafStart: new Int32Array(nodes + 1),
      leafTarget: new Int32Array(),
      leafWeight: new Float32Array(),
      base: Float32Array.of(1),
    };
    expect(() => lowerStage(planOf(chain).stages[0]!.stage, value)).toThrow(
      expect.objectContaining({ code: 'ERR_LOWERING_LIMIT', message: expect.stringContaining('1000 steps') }),
    );
  });

  it('that test for equality are not lowered', () => {
    const [planned] = planOf({ ...shared(), mode: Int32Array.of(0, 4, 6, 6) }).stages;
    expect(whyNotLowered(planned!.stage, value)).toBe('branches that test equality');
  });
});

it('a backend runs the model unchanged', async () => {
  const backend = onnxruntimeBackend();
  const plan = features(flour, WIDTH)
    .mlp({ layers: [layer(WIDTH, 8, 'relu'), layer(8, 2)] })
    .plan();
  const [{ stage: planned }] = plan.stages as [(typeof plan.stages)[number]];
  const { bytes } = lowerStage(planned, value);
  const stage = await backend.open({ format: 'onnx', bytes, checksum: planned.key });
  const data = Float32Array.from(numbers(3 * WIDTH));
  const { out_0 } = await stage.run({ in_0: { element: 'float32', shape: [3, WIDTH], data } });
  const [wanted] = byReference(planned, [dense('float32', 3, WIDTH, data)], store) as [DenseBlock<'float32'>];
  expect(out_0!.shape).toEqual([3, 2]);
  for (const [at, value] of wanted.values.entries()) expect(out_0!.data[at]).toBeCloseTo(value, 4);
  await backend.dispose();
});

describe('stages that cannot be lowered', () => {
  it('report the reason, and throw if the device is requested', () => {
    const text = flour
      .columns({ text: 'string' })
      .select('text')
      .tokenize()
      .wordNgram({ vocabulary: [['good'], ['bad']] });
    const [words] = text.logistic({ weights: [1, -1] }).plan().stages;
    expect(whyNotLowered(words!.stage, value)).toBe('reads text');
    expect(() => lowerStage(words!.stage, value)).toThrow(
      expect.objectContaining({ code: 'ERR_LOWERING_OPERATOR', message: expect.stringContaining('reads text') }),
    );
    const [norm] = features(flour, 3).normalize('l2').plan().stages;
    expect(whyNotLowered(norm!.stage, value)).toMatch(/^operator /);
  });

  it.each<[string, (x: Flow<'vector'>) => Flow]>([
    ['softmax with logarithm', (x) => x.softmax({ logarithm: true })],
    ['softmax with parts', (x) => x.softmax({ parts: 2 })],
    [
      'softmax with keepZeros',
      (x) => x.context.apply<'vector'>(operators.get('softmax')!, [x], { attributes: { keepZeros: true } }),
    ],
    ['arg-max with least', (x) => x.argMax({ of: 'least' })],
    ['arg-max with parts', (x) => x.argMax({ parts: 2 })],
    ['arg-max with last', (x) => x.argMax({ equals: 'last' })],
  ])('include %s: the graph would compute something else', (why, build) => {
    const { stages } = flour.program({ y: build(features(flour, WIDTH)) }).plan();
    expect(stages.map(({ stage }) => whyNotLowered(stage, value))).toContain(why);
  });

  it('decisions over sums are reported, because ties may be decided differently', () => {
    const score = features(flour, WIDTH).linear({ weights: vectors(1) });
    const jumps = (flow: Flow) => {
      const { stages } = flour.program({ y: flow }).plan();
      return stages.map(({ stage }) => lowerStage(stage, value)).some(({ mayJump }) => mayJump);
    };
    expect(jumps(score.threshold(0))).toBe(true);
    expect(jumps(features(flour, 1).threshold(0))).toBe(false);
    expect(jumps(features(flour, WIDTH).treeEnsemble(small()))).toBe(false);
  });
});
