import fc from 'fast-check';
import { anyElement, anySize, denseCase, type OperatorCases, rowsOf, typedCase } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const types = ['float32', 'float64', 'int64', 'int32'] as const;

export const cases: OperatorCases = {
  operators: ['cumulative-sum'],
  named: [
    denseCase('of floats', [[1, 2, 3], [-0, -0, inf]], (x) => x.cumulativeSum(), [[1, 3, 6], [-0, -0, inf]], { engine: 'native' }), // biome-ignore format: two rows
    denseCase('without the element', [[1, 2, nan]], (x) => x.cumulativeSum({ exclusive: true }), [[0, 1, 3]]),
    denseCase('from the last on', [[1, 2, 3]], (x) => x.cumulativeSum({ reverse: true }), [[6, 5, 3]]),
    denseCase('both', [[1, 2, 3]], (x) => x.cumulativeSum({ exclusive: true, reverse: true }), [[5, 3, 0]]),
    denseCase('rounded after every addition', [[16777216, 1, 1]], (x) => x.cumulativeSum(), [
      [16777216, 16777216, 16777216],
    ]),
    typedCase('int32 wraps around', 'int32', [[2 ** 31 - 1, 1]], (x) => x.cumulativeSum(), [[2 ** 31 - 1, -(2 ** 31)]]),
  ],
  random: fc
    .tuple(anySize, fc.constantFrom(...types), fc.boolean(), fc.boolean())
    .chain(([size, dtype, exclusive, reverse]) =>
      rowsOf(anyElement[dtype], size).map((rows) =>
        typedCase(`${dtype} ${exclusive} ${reverse}`, dtype, rows, (x) => {
          const sums = x.cumulativeSum({ exclusive, reverse });
          return dtype === 'int64' ? sums.cast('float64') : sums; // answers beyond 2^53 are rounded
        }),
      ),
    ),
};
