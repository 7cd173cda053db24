import fc from 'fast-check';
import {
  anyElement,
  anySize,
  denseCase,
  listOf,
  type OperatorCases,
  rowsOf,
  shown,
  sparseCase,
  typedCase,
} from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const types = ['float32', 'float64', 'int64', 'int32'] as const;

export const cases: OperatorCases = {
  operators: ['impute'],
  named: [
    denseCase(
      'NaN',
      [
        [nan, 1, nan],
        [inf, -0, 0],
      ],
      (x) => x.impute({ values: [7, 8, -0] }),
      [
        [7, 1, -0],
        [inf, -0, 0],
      ],
      {
        engine: 'native',
      },
    ),
    denseCase('a number, -0 among them', [[0, -0, nan, 1]], (x) => x.impute({ values: [5], missing: 0 }), [
      [5, 5, nan, 1],
    ]),
    denseCase('NaN for NaN', [[nan, 2]], (x) => x.impute({ values: nan }), [[nan, 2]]),
    typedCase('int64', 'int64', [[0, 3, -9]], (x) => x.impute({ values: [1, 2, 3], missing: -9 }), [[0, 3, 3]], {
      engine: 'mixed', // the output keeps all bits of an int64 input (ADR 25)
    }),
    typedCase('no integer is NaN', 'int32', [[0, 3]], (x) => x.impute({ values: 9 }), [[0, 3]], { engine: 'native' }),
    typedCase('float64 keeps its digits', 'float64', [[nan, 0.1]], (x) => x.impute({ values: 0.3 }), [[0.3, 0.1]], {
      engine: 'native',
    }),
    sparseCase('sparse rows are filled', [1, 2], [[0], [1]], (x) => x.impute({ values: 4, missing: 0 }), [
      [1, 4],
      [4, 2],
    ]),
  ],
  random: fc.tuple(fc.constantFrom(...types), anySize).chain(([type, size]) =>
    fc
      .tuple(
        rowsOf(anyElement[type], size),
        fc.boolean().chain((isWide) => listOf(anyElement[type], isWide ? size : 1)),
        fc.oneof(anyElement[type], fc.constantFrom(nan, 0)),
      )
      .map(([rows, values, missing]) =>
        typedCase(
          `impute ${type} ${shown({ rows, values, missing })}`,
          type,
          rows,
          (x) => x.impute({ values, missing }),
          undefined,
          { engine: type === 'int64' ? 'mixed' : 'native' },
        ),
      ),
  ),
};
