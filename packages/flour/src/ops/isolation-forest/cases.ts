import type { IsolationOutput } from '@brezel/flour';
import fc from 'fast-check';
import { anyFloat, denseCase, type OperatorCases, rowsOf } from '../../case.js';

const { NaN: nan } = Number;
const outputs: readonly IsolationOutput[] = ['pathLength', 'score', 'decision', 'label'];

/**
 * A forest of two trees. Each tree has one branch, which compares feature 0 with a threshold.
 * Feature 0 is at most the threshold in three training samples, and above it in one.
 */
const forest = (first = 1, second = 3) => ({
  feature: Int32Array.of(0, 0, 0, 0, 0, 0),
  threshold: Float32Array.of(first, 0, 0, second, 0, 0),
  mode: Int32Array.of(0, 6, 6, 0, 6, 6),
  trueChild: Int32Array.of(1, 0, 0, 4, 0, 0),
  falseChild: Int32Array.of(2, 0, 0, 5, 0, 0),
  missingTrue: Int32Array.of(0, 0, 0, 0, 0, 0),
  roots: Int32Array.of(0, 3),
});
const samples = [4, 3, 1, 4, 3, 1];
const euler = 0.5772156649015329;
const average = (n: number) => 2 * (Math.log(n - 1) + euler) - (2 * (n - 1)) / n;
const deep = Math.fround(1 + average(3)); // one branch, then three samples
const rows = [[0], [2], [4], [nan]];
const sums = [Math.fround(deep + deep), Math.fround(1 + deep), 2, 2];
const score = (sum: number) => -(2 ** -(sum / (2 * average(4))));

export const cases: OperatorCases = {
  operators: ['isolation-score'],
  named: [
    denseCase(
      'average path length',
      rows,
      (x) => x.isolationForest({ forest: forest(), samples, maxSamples: 4, output: 'pathLength' }),
      sums.map((sum) => [Math.fround(sum / 2)]),
      { engine: 'native' },
    ),
    denseCase(
      'score',
      rows,
      (x) => x.isolationForest({ forest: forest(), samples, maxSamples: 4, output: 'score' }),
      sums.map((sum) => [Math.fround(score(sum))]),
    ),
    denseCase(
      'decision',
      rows,
      (x) => x.isolationForest({ forest: forest(), samples, maxSamples: 4, offset: -0.55 }),
      sums.map((sum) => [Math.fround(score(sum) + 0.55)]),
    ),
    denseCase(
      'label',
      rows,
      (x) => x.isolationForest({ forest: forest(), samples, maxSamples: 4, offset: -0.55, output: 'label' }),
      sums.map((sum) => (score(sum) + 0.55 < 0 ? -1 : 1)),
      { engine: 'native' },
    ),
    denseCase(
      'trees of one sample',
      [[0]],
      (x) => x.isolationForest({ forest: forest(), samples: [1, 1, 1, 1, 1, 1], maxSamples: 1, output: 'score' }),
      [[-0.5]],
    ),
  ],
  random: fc
    .tuple(rowsOf(anyFloat, 2, 9), anyFloat, anyFloat, fc.integer({ min: 1, max: 300 }), fc.constantFrom(...outputs))
    .map(([list, first, second, maxSamples, output]) =>
      denseCase(`isolation-forest ${output} ${maxSamples} ${first} ${second}`, list, (x) =>
        x.isolationForest({ forest: forest(first, second), samples, maxSamples, output }),
      ),
    ),
};
