import type { PosteriorOutput } from '@brezel/flour';
import fc from 'fast-check';
import {
  anyFloat,
  denseCase,
  listOf,
  type OperatorCases,
  shown,
  sparseCase,
  tameFloat,
  vectorCases,
} from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const outputs: readonly PosteriorOutput[] = ['joint', 'logProbability', 'probability', 'class', 'logLikelihood'];
const half = Math.log(0.5);

const model = (size: number) =>
  fc.constantFrom(1, 2, 3, 9).chain((classes) =>
    fc
      .record({
        kind: fc.constantFrom('multinomial', 'complement', 'bernoulli'),
        featureLogProb: listOf(fc.float({ min: -9, max: Math.fround(-0.01), noNaN: true }), size * classes),
        classLogPrior: listOf(fc.float({ min: -5, max: 0, noNaN: true }), classes),
        output: fc.constantFrom(...outputs),
        binarize: fc.constantFrom(0, 0.5, -1, 3),
      })
      .chain((options) =>
        // Draws log probabilities that are stored as float32 or as float64.
        fc.boolean().map((narrow) => ({
          ...options,
          featureLogProb: narrow ? Float32Array.from(options.featureLogProb) : options.featureLogProb,
        })),
      )
      .map(({ kind, binarize, ...options }) => ({
        name: `${kind} ${shown({ ...options, binarize })}`,
        apply: (x: Parameters<Parameters<typeof denseCase>[2]>[0]) =>
          kind === 'multinomial'
            ? x.multinomialNaiveBayes(options)
            : kind === 'complement'
              ? x.complementNaiveBayes(options)
              : x.bernoulliNaiveBayes({ ...options, binarize }),
      })),
  );

export const cases: OperatorCases = {
  operators: ['naive-bayes'],
  named: [
    denseCase(
      'joint likelihoods, counts',
      [
        [1, 0],
        [2, 3],
        [0, 0],
      ],
      (x) =>
        x.multinomialNaiveBayes({ featureLogProb: [-1, -2, -3, -4], classLogPrior: [-0.5, -0.25], output: 'joint' }),
      [
        [-1.5, -3.25],
        [-8.5, -18.25],
        [-0.5, -0.25],
      ],
      { engine: 'native' },
    ),
    denseCase(
      'equal classes',
      [[3, 1]],
      (x) => x.multinomialNaiveBayes({ featureLogProb: [-1, -2, -1, -2], classLogPrior: [-0.5, -0.5] }),
      [[0.5, 0.5]],
    ),
    denseCase(
      'the first of equal classes',
      [
        [3, 1],
        [nan, 0],
      ],
      (x) =>
        x.multinomialNaiveBayes({ featureLogProb: [-1, -2, -1, -2], classLogPrior: [-0.5, -0.5], output: 'class' }),
      [0, 0],
      { engine: 'native' },
    ),
    // In float32, the error of the difference of these sums would be as large as the difference.
    denseCase(
      'large sums, small differences',
      [[2 ** 24]],
      (x) =>
        x.multinomialNaiveBayes({
          featureLogProb: [-1.5, -1.5 - 2 ** -24],
          classLogPrior: [0, 0],
          output: 'logProbability',
        }),
      [[Math.fround(-Math.log(1 + Math.exp(-1))), Math.fround(-1 - Math.log(1 + Math.exp(-1)))]],
      { absolute: inf },
    ),
    denseCase(
      'complement: no prior but with one class',
      [[1]],
      (x) => x.complementNaiveBayes({ featureLogProb: [0.5, 2], classLogPrior: [-1, -1], output: 'joint' }),
      [[0.5, 2]],
    ),
    denseCase(
      'complement of one class',
      [[1]],
      (x) => x.complementNaiveBayes({ featureLogProb: [0.5], classLogPrior: [-1], output: 'joint' }),
      [[-0.5]],
    ),
    denseCase(
      'bernoulli: absent features count',
      [
        [0, 0],
        [1, 0],
        [1, nan],
        [0.5, 7],
      ],
      (x) =>
        x.bernoulliNaiveBayes({
          featureLogProb: [half, Math.log(0.25), half, half],
          classLogPrior: [half, half],
          binarize: 0.5,
        }),
      [
        [0.6, 0.4],
        [0.6, 0.4],
        [0.6, 0.4],
        [Math.fround(1 / 3), Math.fround(2 / 3)],
      ].map((row) => row.map(Math.fround)),
      { engine: 'native' },
    ),
    sparseCase(
      'bernoulli: sparse rows, a negative threshold',
      [-2, 1],
      [[], [0], [0, 1]],
      (x) =>
        x.bernoulliNaiveBayes({
          featureLogProb: [half, half],
          classLogPrior: [0],
          binarize: -1,
          output: 'logLikelihood',
        }),
      [[Math.fround(2 * half)], [Math.fround(2 * half)], [Math.fround(2 * half)]],
    ),
    sparseCase(
      'sparse rows',
      [1, 2, 4],
      [[], [2], [0, 1]],
      (x) => x.multinomialNaiveBayes({ featureLogProb: [-1, -2, -3], classLogPrior: [-0.5], output: 'joint' }),
      [[-0.5], [-12.5], [-5.5]],
      { engine: 'native' },
    ),
    denseCase(
      'infinite counts',
      [[inf]],
      (x) => x.multinomialNaiveBayes({ featureLogProb: [-1, -2], classLogPrior: [0, 0] }),
      [[nan, nan]],
    ),
  ],
  random: fc.oneof(
    vectorCases('naive-bayes', tameFloat, model, { absolute: inf }),
    vectorCases('naive-bayes of anything', anyFloat, model, { absolute: inf }),
  ),
};
