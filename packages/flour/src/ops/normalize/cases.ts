import fc from 'fast-check';
import { anyFloat, denseCase, type OperatorCases, sparseCase, tameFloat, vectorCases } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const norms = ['l1', 'l2', 'max'] as const;
const uses = () =>
  fc
    .constantFrom(...norms)
    .map((norm) => ({ name: norm, apply: (x: Parameters<Parameters<typeof denseCase>[2]>[0]) => x.normalize(norm) }));

export const cases: OperatorCases = {
  operators: ['normalize'],
  named: [
    denseCase(
      'l1',
      [
        [1, -3],
        [0, 0],
      ],
      (x) => x.normalize('l1'),
      [
        [0.25, -0.75],
        [0, 0],
      ],
      { engine: 'native' },
    ),
    denseCase(
      'l2',
      [
        [3, 4],
        [-0, 0],
      ],
      (x) => x.normalize('l2'),
      [
        [Math.fround(0.6), Math.fround(0.8)],
        [-0, 0],
      ],
    ),
    denseCase(
      'max is signed',
      [
        [1, 4],
        [-4, -2],
        [-1, 0],
        [0, -0],
      ],
      (x) => x.normalize('max'),
      [
        [0.25, 1],
        [2, 1],
        [-1, 0],
        [0, -0],
      ],
    ),
    denseCase('one column', [[-5], [0], [nan], [inf]], (x) => x.normalize('l2'), [[-1], [0], [nan], [nan]]),
    denseCase(
      'NaN spreads',
      [
        [nan, 1],
        [1, nan],
      ],
      (x) => x.normalize('l1'),
      [
        [nan, nan],
        [nan, nan],
      ],
    ),
    denseCase(
      'NaN and the greatest',
      [
        [nan, 1],
        [1, nan],
      ],
      (x) => x.normalize('max'),
      [
        [nan, nan],
        [1, nan],
      ],
    ),
    denseCase('squares overflow', [[3e38, 3e38]], (x) => x.normalize('l2'), [[0, 0]]),
    denseCase('squares vanish', [[1e-30, -1e-30]], (x) => x.normalize('l2'), [
      [Math.fround(1e-30), Math.fround(-1e-30)],
    ]),
    sparseCase(
      'an empty sparse row',
      [1, 2],
      [[], [0], [1, 1]],
      (x) => x.normalize('l2'),
      [
        [0, 0],
        [1, 0],
        [0, 1],
      ],
      { engine: 'native' },
    ),
    sparseCase(
      'the greatest of the entries, not of the zeros',
      [-2, -4],
      [[0, 1], [1], []],
      (x) => x.normalize('max'),
      [
        [1, 2],
        [0, 1],
        [0, 0],
      ],
    ),
    sparseCase('a sparse row of zeros', [0, -0], [[0, 1]], (x) => x.normalize('l1'), [[0, -0]]),
    denseCase('more terms than lanes', [Array(33).fill(1)], (x) => x.normalize('l1'), [
      Array(33).fill(Math.fround(1 / 33)),
    ]),
  ],
  random: fc.oneof(vectorCases('normalize', tameFloat, uses), vectorCases('normalize', anyFloat, uses)),
};
