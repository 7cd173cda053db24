import fc from 'fast-check';
import {
  anyElement,
  anyFloat,
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
  operators: ['scale'],
  named: [
    denseCase(
      'a column each',
      [
        [3, 10, -0],
        [nan, inf, 1e-45],
      ],
      (x) => x.scale({ offset: [1, 20, 0], scale: [0.5, 2, 1] }),
      [
        [1, -20, -0],
        [nan, inf, Math.fround(1e-45)],
      ],
      { engine: 'native' },
    ),
    denseCase('one for all', [[1, 2, 3]], (x) => x.scale({ offset: 1, scale: [-1] }), [[-0, -1, -2]]),
    denseCase('nothing', [[0.1]], (x) => x.scale({}), [[Math.fround(0.1)]]),
    // 2^24 + 1 is not a float32, so it is rounded before the offset is subtracted.
    typedCase('integers are rounded first', 'int32', [[16777217]], (x) => x.scale({ offset: 16777216 }), [[0]], {
      engine: 'native',
    }),
    typedCase('float64 is rounded last', 'float64', [[16777217]], (x) => x.scale({ offset: 16777216 }), [[1]], {
      engine: 'native',
    }),
    typedCase('int64', 'int64', [[2 ** 53 - 1, -5]], (x) => x.scale({ scale: 0.5 }), [[2 ** 52, -2.5]], {
      engine: 'native',
    }),
    sparseCase('sparse rows are filled', [1, 2], [[0], [1]], (x) => x.scale({ offset: 1 }), [
      [0, -1],
      [-1, 1],
    ]),
    {
      name: 'a scalar',
      build: (flour) => ({ y: flour.columns({ i: 'int64' }).select('i').scale({ offset: 1, scale: 3 }) }),
      rows: [{ i: 5 }, { i: 0 }],
      expected: [{ y: 12 }, { y: -3 }],
    },
  ],
  random: fc
    .tuple(fc.constantFrom(...types), anySize, fc.boolean(), fc.boolean())
    .chain(([type, size, isWide, isLong]) =>
      fc
        .tuple(rowsOf(anyElement[type], size), listOf(anyFloat, isWide ? size : 1), listOf(anyFloat, isLong ? size : 1))
        .map(([rows, offset, scale]) =>
          typedCase(
            `scale ${type} ${shown({ rows, offset, scale })}`,
            type,
            rows,
            (x) => x.scale({ offset, scale }),
            undefined,
            {
              engine: 'native',
              absolute: Number.POSITIVE_INFINITY,
            },
          ),
        ),
    ),
};
