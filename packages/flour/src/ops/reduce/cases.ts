import type { Flow } from '@brezel/flour';
import fc from 'fast-check';
import {
  anyElement,
  anyFloat,
  anySize,
  denseCase,
  type OperatorCases,
  rowsOf,
  typedCase,
  vectorCases,
} from '../../case.js';
import { reductionNames } from './reference.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const divisors = (size: number) => Array.from({ length: size }, (_, at) => at + 1).filter((one) => size % one === 0);

/**
 * A random use of `reduce` for rows of `size` columns: it reduces the whole row, or equal parts of
 * it.
 */
const use = (size: number) =>
  fc
    .tuple(fc.constantFrom(...reductionNames), fc.option(fc.constantFrom(...divisors(size)), { nil: undefined }))
    .map(([name, parts]) => ({
      name: `${name} ${parts}`,
      apply: (x: Flow<'vector'>): Flow => (parts === undefined ? x.reduce(name) : x.reduce(name, { parts })),
    }));

const double = anySize.chain((size) =>
  fc
    .tuple(rowsOf(anyElement.float64, size), use(size))
    .map(([rows, { name, apply }]) => typedCase(`float64 ${name}`, 'float64', rows, apply)),
);

const whole = fc
  .tuple(anySize, fc.constantFrom('int64' as const, 'int32' as const))
  .chain(([size, dtype]) =>
    fc
      .tuple(rowsOf(anyElement[dtype], size), use(size))
      .map(([rows, { name, apply }]) =>
        typedCase(`${dtype} ${name}`, dtype, rows, (x) => (apply(x) as Flow<'vector'>).cast('float64')),
      ),
  );

export const cases: OperatorCases = {
  operators: ['reduce'],
  named: [
    denseCase(
      'sum',
      [
        [1, 2, 3],
        [-0, -0, -0],
        [inf, -inf, 0],
      ],
      (x) => x.reduce('sum'),
      [6, 0, nan],
      { engine: 'native' },
    ),
    denseCase('sum in plain order', [[16777216, 1, 1]], (x) => x.reduce('sum'), [16777216]),
    denseCase(
      'mean',
      [
        [1, 2, 6],
        [nan, 0, 0],
      ],
      (x) => x.reduce('mean'),
      [3, nan],
    ),
    denseCase(
      'max',
      [
        [-1, 5, 2],
        [nan, 1, 2],
        [1, nan, 2],
        [-0, 0, -0],
      ],
      (x) => x.reduce('max'),
      [5, nan, 2, -0],
    ),
    denseCase('logSumExp', [[0], [-inf], [inf], [nan], [1000]], (x) => x.reduce('logSumExp'), [
      0,
      -inf,
      inf,
      nan,
      1000,
    ]),
    denseCase(
      'logSumExp of two',
      [
        [0, 0],
        [-inf, 3],
        [inf, 0],
      ],
      (x) => x.reduce('logSumExp'),
      [Math.fround(Math.LN2), 3, inf],
    ),
    denseCase('min', [[3, -1, 2]], (x) => x.reduce('min'), [-1]),
    denseCase('product', [[3, -1, 2]], (x) => x.reduce('product'), [-6]),
    denseCase('sum of squares', [[3, -1, 2]], (x) => x.reduce('sumOfSquares'), [14]),
    denseCase('sum of absolute values', [[3, -1, 2]], (x) => x.reduce('sumOfAbsolutes'), [6]),
    denseCase('length', [[3, -4, 0]], (x) => x.reduce('length'), [5]),
    typedCase('float64', 'float64', [[1e16, 1, 1, 0.1]], (x) => x.reduce('sum'), [1e16], { engine: 'native' }),
    typedCase('the mean in float64', 'float64', [[0.1, 0.2]], (x) => x.reduce('mean'), [(0.1 + 0.2) / 2]),
    typedCase('integers wrap around', 'int32', [[2 ** 31 - 1, 1, -5]], (x) => x.reduce('sum'), [2 ** 31 - 5], {
      engine: 'native',
    }),
    typedCase(
      'the mean of integers is cut off',
      'int64',
      [
        [-3, 0],
        [2 ** 53 - 1, 2 ** 53 - 1],
      ],
      (x) => x.reduce('mean').cast('float64'),
      [-1, 2 ** 53 - 1],
    ),
    typedCase('the length of integers', 'int32', [[-3, 4, 1]], (x) => x.reduce('length'), [5]),
    typedCase('logSumExp of integers', 'int32', [[-(2 ** 31), -(2 ** 31)]], (x) => x.reduce('logSumExp'), [
      -(2 ** 31) + 1,
    ]),
    denseCase(
      'two parts of three',
      [[1, 2, 3, 10, 20, 30]],
      (x) => x.reduce('sum', { parts: 2 }),
      [Float32Array.of(6, 60)],
      { engine: 'native' },
    ),
  ],
  random: fc.oneof(double, whole, vectorCases('reduce', anyFloat, use)),
};
