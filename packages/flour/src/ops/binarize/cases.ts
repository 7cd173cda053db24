import fc from 'fast-check';
import { anyElement, anyFloat, anySize, denseCase, type OperatorCases, rowsOf, shown, typedCase } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const types = ['float32', 'float64', 'int64', 'int32'] as const;

export const cases: OperatorCases = {
  operators: ['binarize'],
  named: [
    denseCase('above is 1', [[0.5, 0.50001, nan, inf, -inf, 0]], (x) => x.binarize(0.5), [[0, 1, 0, 1, 0, 0]], {
      engine: 'native',
    }),
    denseCase('a NaN threshold', [[1, nan]], (x) => x.binarize(nan), [[0, 0]]),
    typedCase('int64', 'int64', [[-1, 0, 1, 2 ** 53 - 1]], (x) => x.binarize(0), [[0, 0, 1, 1]], { engine: 'native' }),
    typedCase('float64 next to the threshold', 'float64', [[0.5 + 2 ** -52, 0.5]], (x) => x.binarize(0.5), [[1, 0]]),
  ],
  random: fc.tuple(fc.constantFrom(...types), anySize, anyFloat).chain(([type, size, threshold]) =>
    rowsOf(anyElement[type], size).map((rows) =>
      typedCase(
        `binarize ${type} at ${threshold}: ${shown(rows)}`,
        type,
        rows,
        (x) => x.binarize(threshold),
        undefined,
        {
          engine: 'native',
        },
      ),
    ),
  ),
};
