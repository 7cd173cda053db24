import { text, vector } from '@brezel/core';
import { narrow } from '@brezel/flour';
import { createFlour, type Flow } from 'brezel';
import { describe, expect, test } from 'vitest';

// Wrong parameters of numeric operators cause an error with a code and the expected value, and
// leave nothing in the store.

const flour = await createFlour();
const x = flour.input('x', vector('float32', 2)) as Flow<'vector'>;
const one = flour.input('y', vector('float32', 1)) as Flow<'vector'>;
const whole = flour.input('i', vector('int64', 2)) as Flow<'vector'>;
const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

const leaf = (mode: number, children: number, roots: readonly number[]) => ({
  feature: Int32Array.of(0, 0, 0),
  threshold: new Float32Array(3),
  mode: Int32Array.of(mode, 6, 6),
  trueChild: Int32Array.of(1, 0, 0),
  falseChild: Int32Array.of(children, 0, 0),
  missingTrue: new Int32Array(3),
  roots: Int32Array.from(roots),
});
const withLeaves = (structure: ReturnType<typeof leaf>, weights = 1) => ({
  ...structure,
  leafStart: Int32Array.of(0, 0, weights, weights + 1),
  leafTarget: new Int32Array(weights + 1),
  leafWeight: new Float32Array(weights + 1),
  base: new Float32Array(1),
});
const stump = leaf(0, 2, [0]);
const neighbors = { points: [0, 0, 1, 1], neighbors: 1, classes: [0, 1] };
const mixture = { weights: [1], means: [0, 0], precisionsCholesky: [1, 0, 0, 1] };
const gaussian = { theta: [0, 0], variance: [1, 1], classPrior: [1] };
const bayes = { featureLogProb: [-1, -1], classLogPrior: [0] };

const wrong: readonly (readonly [name: string, build: () => unknown, code: string, said: RegExp])[] = [
  [
    'threshold: a text as a number',
    () => one.threshold('0.5' as never),
    'ERR_FLOUR_PARAM',
    /expected a number.*received the text "0.5"/,
  ],
  [
    'lp-norm: a text as a number',
    () => x.lpNorm({ scale: '2' as never }),
    'ERR_FLOUR_PARAM',
    /expected a number.*received the text "2"/,
  ],
  [
    'threshold: an object without a text',
    () => one.threshold(Object.create(null)),
    'ERR_FLOUR_PARAM',
    /expected a number.*received an object/,
  ],
  [
    'tokenize: an object as an integer',
    () => (flour.input('t', text) as Flow<'text'>).tokenize({ minLength: Object.create(null) }),
    'ERR_FLOUR_PARAM',
    /received an object/,
  ],
  ['map: a text as a number', () => x.map('leakyRelu', { alpha: '0.1' as never }), 'ERR_FLOUR_PARAM', /0\.1/],
  [
    'label-encode: a bool of -1',
    () => whole.labelEncode({ keys: [1], values: [1], otherwise: -1, type: 'bool' }),
    'ERR_FLOUR_PARAM',
    /values of bool.*received -1/,
  ],
  [
    'label-encode: an int32 that would wrap',
    () => whole.labelEncode({ keys: [1], values: [1], otherwise: 2 ** 40, type: 'int32' }),
    'ERR_FLOUR_PARAM',
    /values of int32.*received 1099511627776/,
  ],
  [
    'label-encode: an int64 that would wrap',
    () => whole.labelEncode({ keys: [1], values: [2n ** 63n], otherwise: 0 } as never),
    'ERR_FLOUR_PARAM',
    /values of int64.*received 9223372036854775808/,
  ],
  [
    'narrow: uint64 without checks',
    () => whole.context.apply(narrow, [whole], { attributes: { to: 'uint64' } }),
    'ERR_FLOUR_PARAM',
    /checked/,
  ],
  ['narrow: outside', () => whole.narrow('uint8', { outside: 'clip' as 'error' }), 'ERR_FLOUR_PARAM', /outside/],
  [
    'nearest neighbours: nearness',
    () => x.neighborsClassifier({ ...neighbors, nearness: 'square' as 'root' }),
    'ERR_FLOUR_PARAM',
    /nearness/,
  ],
  ['dense: weights', () => x.dense({ weights: [1, 2, 3], bias: [0] }), 'ERR_FLOUR_SIZE', /2 weights.*received 3/],
  ['dense: no outputs', () => x.dense({ weights: [], bias: [] }), 'ERR_FLOUR_SIZE', /weights/],
  ['normalize: norm', () => x.normalize('l3' as 'l2'), 'ERR_FLOUR_PARAM', /l1, l2, max/],
  [
    'dense: activation',
    () => x.dense({ weights: [1, 1], bias: [0], activation: 'swish' as 'relu' }),
    'ERR_FLOUR_PARAM',
    /none, relu, tanh, sigmoid.*swish/,
  ],
  ['dense: int64', () => whole.dense({ weights: [1, 1], bias: [0] }), 'ERR_FLOUR_TYPE', /float32.*int64/],
  ['mlp: no layers', () => x.mlp({ layers: [] }), 'ERR_FLOUR_PARAM', /one layer/],
  [
    'mlp: layers that do not fit',
    () =>
      x.mlp({
        layers: [
          { weights: [1, 1], bias: [0] },
          { weights: [1, 1], bias: [0] },
        ],
      }),
    'ERR_FLOUR_SIZE',
    /expected 1 weights/,
  ],
  ['project: components', () => x.project({ components: [1, 2, 3] }), 'ERR_FLOUR_SIZE', /rows of 2/],
  ['project: mean', () => x.project({ components: [1, 2], mean: [1] }), 'ERR_FLOUR_SIZE', /2 mean/],
  [
    'project: variance',
    () => x.project({ components: [1, 2], explainedVariance: [0] }),
    'ERR_FLOUR_PARAM',
    /positive.*0 at 0/,
  ],
  ['k-means: centers', () => x.kMeansDistances({ centers: [1, 2, 3] }), 'ERR_FLOUR_SIZE', /rows of 2/],
  [
    'k-means: norms',
    () => x.kMeansCluster({ centers: [1, 2], squaredNorms: [1, 2] }),
    'ERR_FLOUR_SIZE',
    /1 squaredNorms/,
  ],
  ['polynomial: degree', () => x.polynomialFeatures({ degree: 1.5 }), 'ERR_FLOUR_PARAM', /from 0 to 16.*1.5/],
  ['polynomial: degrees', () => x.polynomialFeatures({ degree: [3, 2] }), 'ERR_FLOUR_PARAM', /least.*0 to 2/],
  [
    'polynomial: no terms',
    () => x.polynomialFeatures({ degree: [3, 3], interactionOnly: true, includeBias: false }),
    'ERR_FLOUR_SIZE',
    /at least one term/,
  ],
  [
    'polynomial: too many terms',
    () => (flour.input('w', vector('float32', 5000)) as Flow<'vector'>).polynomialFeatures({ degree: [16, 16] }),
    'ERR_FLOUR_SIZE',
    /columns/,
  ],
  [
    'naive bayes: rows',
    () => x.multinomialNaiveBayes({ ...bayes, featureLogProb: [-1] }),
    'ERR_FLOUR_SIZE',
    /rows of 2/,
  ],
  [
    'naive bayes: priors',
    () => x.complementNaiveBayes({ ...bayes, classLogPrior: [0, 0] }),
    'ERR_FLOUR_SIZE',
    /1 classLogPrior/,
  ],
  [
    'naive bayes: output',
    () => x.multinomialNaiveBayes({ ...bayes, output: 'odds' as 'joint' }),
    'ERR_FLOUR_PARAM',
    /joint, logProbability.*odds/,
  ],
  [
    'bernoulli: probability 1',
    () => x.bernoulliNaiveBayes({ ...bayes, featureLogProb: [-1, 0] }),
    'ERR_FLOUR_PARAM',
    /below 0.*0 at 1/,
  ],
  ['bernoulli: threshold', () => x.bernoulliNaiveBayes({ ...bayes, binarize: nan }), 'ERR_FLOUR_PARAM', /threshold/],
  [
    'gaussian: variance',
    () => x.gaussianNaiveBayes({ ...gaussian, variance: [1, 0] }),
    'ERR_FLOUR_PARAM',
    /positive variances/,
  ],
  ['gaussian: sizes', () => x.gaussianNaiveBayes({ ...gaussian, variance: [1] }), 'ERR_FLOUR_SIZE', /2 variance/],
  ['gaussian: prior', () => x.gaussianNaiveBayes({ ...gaussian, classPrior: [-1] }), 'ERR_FLOUR_PARAM', /priors/],
  [
    'mixture: precisions',
    () => x.gaussianMixture({ ...mixture, precisionsCholesky: [1, 1] }),
    'ERR_FLOUR_SIZE',
    /4 precisions/,
  ],
  [
    'mixture: spherical',
    () => x.gaussianMixture({ ...mixture, covarianceType: 'spherical' }),
    'ERR_FLOUR_SIZE',
    /1 precisions/,
  ],
  [
    'mixture: diagonal',
    () => x.gaussianMixture({ ...mixture, precisionsCholesky: [1, 0, 0, 0] }),
    'ERR_FLOUR_PARAM',
    /diagonals/,
  ],
  ['mixture: weights', () => x.gaussianMixture({ ...mixture, weights: [0] }), 'ERR_FLOUR_PARAM', /positive weights/],
  [
    'mixture: covariance',
    () => x.gaussianMixture({ ...mixture, covarianceType: 'round' as 'full' }),
    'ERR_FLOUR_PARAM',
    /full, tied, diag, spherical.*round/,
  ],
  [
    'isolation: samples',
    () => x.isolationForest({ forest: stump, samples: [1], maxSamples: 4 }),
    'ERR_FLOUR_SIZE',
    /3 samples/,
  ],
  [
    'isolation: no sample in a leaf',
    () => x.isolationForest({ forest: stump, samples: [2, 0, 2], maxSamples: 4 }),
    'ERR_FLOUR_PARAM',
    /1 or more.*0 at 1/,
  ],
  [
    'isolation: a shared node',
    () => x.isolationForest({ forest: leaf(0, 1, [0]), samples: [2, 1, 1], maxSamples: 4 }),
    'ERR_FLOUR_PARAM',
    /share no node.*node 1 twice/,
  ],
  [
    'isolation: a circle',
    () => x.isolationForest({ forest: leaf(0, 0, [1]), samples: [2, 1, 1], maxSamples: 4 }),
    'ERR_FLOUR_PARAM',
    /node 1 twice/,
  ],
  [
    'isolation: a child before its parent',
    () => x.isolationForest({ forest: leaf(0, -1, [0]), samples: [2, 1, 1], maxSamples: 4 }),
    'ERR_FLOUR_PARAM',
    /children of node 0/,
  ],
  [
    'tree features: a tree twice',
    () => x.treeFeaturize(withLeaves(leaf(0, 2, [0, 0])), 'leaves'),
    'ERR_FLOUR_PARAM',
    /node 0 twice/,
  ],
  [
    'tree features: several weights',
    () => x.treeFeaturize(withLeaves(stump, 2), 'values'),
    'ERR_FLOUR_PARAM',
    /one weight for each leaf/,
  ],
  [
    'tree features: output',
    () => x.treeFeaturize(withLeaves(stump), 'nodes' as 'paths'),
    'ERR_FLOUR_PARAM',
    /values, leaves, paths/,
  ],
  ['tree features: no path', () => x.treeFeaturize(withLeaves(leaf(6, 2, [0])), 'paths'), 'ERR_FLOUR_SIZE', /columns/],
  [
    'neighbors: more than points',
    () => x.neighborsClassifier({ ...neighbors, neighbors: 3 }),
    'ERR_FLOUR_PARAM',
    /1 to 2.*3/,
  ],
  [
    'neighbors: points',
    () => x.neighborsRegressor({ points: [1, 2, 3], targets: [1], neighbors: 1 }),
    'ERR_FLOUR_SIZE',
    /rows of 2/,
  ],
  [
    'neighbors: NaN',
    () => x.neighborsClassifier({ ...neighbors, points: [0, 0, 1, nan] }),
    'ERR_FLOUR_PARAM',
    /without NaN/,
  ],
  ['neighbors: class', () => x.neighborsClassifier({ ...neighbors, classCount: 1 }), 'ERR_FLOUR_PARAM', /from 0 to 0/],
  ['neighbors: classes', () => x.neighborsClassifier({ ...neighbors, classes: [0] }), 'ERR_FLOUR_SIZE', /2 classes/],
  [
    'neighbors: power',
    () => x.neighborsClassifier({ ...neighbors, metric: 'minkowski', power: 0.5 }),
    'ERR_FLOUR_PARAM',
    /1 or more/,
  ],
  [
    'platt: slopes',
    () => x.platt({ slope: [1, 2, 3], offset: [1, 2, 3] }),
    'ERR_FLOUR_SIZE',
    /one slope and offset, or 2/,
  ],
  ['platt: not finite', () => x.platt({ slope: inf, offset: 0 }), 'ERR_FLOUR_PARAM', /finite slopes/],
  ['isotonic: no points', () => x.isotonic({ x: [], y: [] }), 'ERR_FLOUR_PARAM', /one point/],
  ['isotonic: order', () => x.isotonic({ x: [1, 0], y: [0, 1] }), 'ERR_FLOUR_PARAM', /ascending/],
  ['isotonic: lengths', () => x.isotonic({ x: [1, 2], y: [0] }), 'ERR_FLOUR_SIZE', /2 y/],
  ['ensemble: sizes', () => x.ensemble([one]), 'ERR_FLOUR_SIZE', /2 scores of every member/],
  ['ensemble: weights', () => x.ensemble([x], { weights: [1] }), 'ERR_FLOUR_SIZE', /2 weights/],
  ['ensemble: zero weights', () => x.ensemble([x], { weights: [0, 0] }), 'ERR_FLOUR_PARAM', /positive sum/],
  [
    'ensemble: stacked weights',
    () => x.ensemble([x], { combine: 'stack', weights: [1, 1] }),
    'ERR_FLOUR_PARAM',
    /no weights/,
  ],
  ['one versus all: scores', () => one.oneVersusAll([x]), 'ERR_FLOUR_SIZE', /one score a model/],
  ['lp-norm: norm', () => x.lpNorm({ norm: 'l3' as 'l2' }), 'ERR_FLOUR_PARAM', /l1, l2, deviation, infinity/],
  ['lp-norm: scale', () => x.lpNorm({ scale: 0 }), 'ERR_FLOUR_PARAM', /positive scale/],
  ['binning: columns', () => x.binning({ edges: [[1]] }), 'ERR_FLOUR_SIZE', /2 columns/],
  ['binning: order', () => x.binning({ edges: [[1, 0], []] }), 'ERR_FLOUR_PARAM', /ascending/],
  ['binning: NaN', () => x.binning({ edges: [[nan], []] }), 'ERR_FLOUR_PARAM', /NaN/],
  ['missing values: replacements', () => x.replaceMissing([1]), 'ERR_FLOUR_SIZE', /2 replacements/],
  [
    'cdf: deviation',
    () => x.cdfNormalize({ mean: [0, 0], deviation: [1, -1] }),
    'ERR_FLOUR_PARAM',
    /0 or more.*-1 at 1/,
  ],
  [
    'min-max: not finite',
    () => x.minMaxNormalize({ minimum: [0, 0], maximum: [1, inf] }),
    'ERR_FLOUR_PARAM',
    /finite maximum/,
  ],
  [
    'mean-variance: lengths',
    () => x.meanVarianceNormalize({ mean: [0], variance: [1, 1] }),
    'ERR_FLOUR_SIZE',
    /2 mean/,
  ],
];

describe('wrong parameters', () => {
  test.each(wrong)('%s', (_, build, code, said) => {
    let caught: unknown;
    try {
      flour.attempt(build);
    } catch (error) {
      caught = error;
    }
    expect(caught).toMatchObject({ code });
    expect((caught as Error).message).toMatch(said);
    expect(flour.store.stats().objects).toBe(0);
  });
});
