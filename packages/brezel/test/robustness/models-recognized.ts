import { makeTensor } from '@brezel/onnx';
import { diagonalMixture, gaussianMixture } from '../conformance/mixture-graphs.js';
import {
  bernoulliNaiveBayes,
  gaussianNaiveBayes,
  isolationForest,
  multinomialNaiveBayes,
  nearestNeighbors,
  polynomial,
  type Written,
} from '../conformance/recognized-graphs.js';
import { file, floats, microsoft, node } from './models.js';

// Small graphs that the importer converts to one operator. Tests mutate the files, so that the
// graphs almost match the pattern, or no longer match it.

const ofWritten = ({ columns, nodes, initializers, outputs }: Written) =>
  file(nodes, floats(columns), Object.keys(outputs), { initializer: [...initializers] });

const leaf = (samples: number) => ({ samples });
const tree = { feature: 0, limit: 0.5, yes: leaf(3), no: { feature: 1, limit: -1, yes: leaf(1), no: leaf(2) } };
const bayes = { columns: 2, classes: 2, first: [1, -1, 0.5, 2], second: [1, 2, 0.5, 1], prior: [-1, -0.5] };
const neighbors = { columns: 2, points: [0, 1, 2, 3, 4, 5, 6, 7], targets: [7, 3, 7, 3], neighbors: 2 };
const mixture = {
  columns: 2,
  means: [
    [0, 1],
    [2, -1],
  ],
  precisions: [
    [1, 2],
    [0.5, 1],
  ],
  weights: [-1, -0.5],
};

/** A model with distances to constant points, and with a concatenation along the rows. */
const distances = () =>
  file(
    [
      microsoft('CDist', ['x', 'points'], ['d'], { metric: { s: 'euclidean' } }),
      node('Neg', ['d'], ['n']),
      node('Concat', ['d', 'n'], ['both'], { axis: { i: 0 } }),
      node('Reshape', ['both', 'shape'], ['apart']),
      node('Transpose', ['apart'], ['y'], { perm: { ints: [1, 0, 2] } }),
    ],
    floats(2),
    ['y'],
    {
      initializer: [
        makeTensor('points', 'float32', [3, 2], Float32Array.of(0, 1, 2, 3, 4, 5)),
        makeTensor('shape', 'int64', [3], BigInt64Array.of(2n, -1n, 3n)),
      ],
    },
  );

export const recognizedModels = (): Uint8Array[] => [
  ...[
    polynomial(2, [[0], [1], [0, 0], [0, 1], [1, 1]], true),
    isolationForest({ trees: [tree, tree], columns: 2, expected: 1.5 }),
    nearestNeighbors({ ...neighbors, metric: 'euclidean', classes: [7, 3] }),
    nearestNeighbors({ ...neighbors, metric: 'manhattan' }),
    gaussianNaiveBayes(bayes),
    bernoulliNaiveBayes({ ...bayes, second: [1, 2] }),
    multinomialNaiveBayes(bayes),
    gaussianMixture({
      columns: 2,
      factors: [
        [1, 0.5, 0, 2],
        [1, 0, 0, 1],
      ],
      offsets: [
        [0, 1],
        [1, 0],
      ],
      weights: [1, 2],
    }),
    diagonalMixture({ ...mixture, kind: 'diag' }),
    diagonalMixture({ ...mixture, kind: 'spherical' }),
  ].map(ofWritten),
  distances(),
];
