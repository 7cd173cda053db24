import fc from 'fast-check';
import { anyElement, anySize, denseCase, type OperatorCases, rowsOf, typedCase } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const types = ['float32', 'float64', 'int64', 'int32'] as const;
const row = [1, 3, 3, nan, -0, 0];

export const cases: OperatorCases = {
  operators: ['top-k'],
  named: [
    denseCase('the greatest', [row], (x) => x.topK({ k: 4 }).values, [[nan, 3, 3, 1]], { engine: 'native' }),
    denseCase('where they stand', [row], (x) => x.topK({ k: 4 }).indices, [[3, 1, 2, 0]], { engine: 'native' }),
    denseCase('the least, of equals the first', [row], (x) => x.topK({ k: 6, least: true }).indices, [
      [4, 5, 0, 1, 2, 3],
    ]),
    denseCase('the least', [row], (x) => x.topK({ k: 2, least: true }).values, [[-0, 0]]),
    denseCase('one column', [[7], [nan]], (x) => x.topK({ k: 1 }).values, [[7], [nan]]),
    denseCase('nothing but NaN', [[nan, nan, nan]], (x) => x.topK({ k: 2 }).indices, [[0, 1]]),
    denseCase('infinities', [[-inf, 3, inf]], (x) => x.topK({ k: 3 }).indices, [[2, 1, 0]]),
    typedCase('float64 beside float32', 'float64', [[0.1, 0.1 + 1e-16, 1e300]], (x) => x.topK({ k: 2 }).values, [
      [1e300, 0.1 + 1e-16],
    ]),
    typedCase('integers beyond float32', 'int64', [[2 ** 53 - 1, 2 ** 53 - 2]], (x) => x.topK({ k: 2 }).indices, [
      [0, 1],
    ]),
  ],
  random: fc
    .tuple(anySize, fc.constantFrom(...types), fc.boolean(), fc.constantFrom('values' as const, 'indices' as const))
    .chain(([size, dtype, least, give]) =>
      fc
        .tuple(rowsOf(anyElement[dtype], size), fc.integer({ min: 1, max: size }))
        .map(([rows, k]) =>
          typedCase(
            `${give} of ${k} of ${size} ${dtype}, ${least ? 'least' : 'greatest'}`,
            dtype,
            rows,
            (x) => x.topK({ k, least })[give],
          ),
        ),
    ),
};
