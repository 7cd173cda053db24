import fc from 'fast-check';
import {
  anyElement,
  anyFloat,
  anySize,
  denseCase,
  type OperatorCases,
  rowsOf,
  shown,
  typedCase,
  vectorCases,
} from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

const typed = fc
  .tuple(anySize, fc.constantFrom('float64' as const, 'int64' as const, 'int32' as const))
  .chain(([size, dtype]) =>
    rowsOf(anyElement[dtype], size).map((rows) => typedCase(`${dtype} ${size}`, dtype, rows, (x) => x.argMax())),
  );

/**
 * Random cases for each combination of options and element type. The rows hold small integers, so
 * that many elements are equal.
 */
const forms = fc
  .record({
    of: fc.constantFrom('greatest' as const, 'least' as const),
    equals: fc.constantFrom('first' as const, 'last' as const),
    parts: fc.integer({ min: 1, max: 4 }),
    size: fc.integer({ min: 1, max: 5 }),
    dtype: fc.constantFrom('float32' as const, 'float64' as const, 'int64' as const, 'int32' as const),
  })
  .chain(({ parts, size, dtype, ...options }) =>
    rowsOf(fc.integer({ min: -2, max: 2 }), parts * size).map((rows) =>
      typedCase(
        `${dtype} ${shown({ ...options, parts })}`,
        dtype,
        rows,
        (x) => x.argMax({ ...options, parts }),
        undefined,
        {
          engine: 'native',
        },
      ),
    ),
  );

export const cases: OperatorCases = {
  operators: ['arg-max'],
  named: [
    denseCase(
      'the first of equals',
      [
        [1, 3, 3],
        [2, 2, 2],
        [-0, 0, -0],
      ],
      (x) => x.argMax(),
      [1, 0, 0],
      { engine: 'native' },
    ),
    denseCase(
      'a NaN is never greater',
      [
        [1, nan, 0],
        [nan, 1, 2],
        [nan, nan, nan],
      ],
      (x) => x.argMax(),
      [0, 0, 0],
    ),
    denseCase(
      'infinities',
      [
        [-inf, 3, inf],
        [-inf, -inf, -1],
        [inf, inf, nan],
      ],
      (x) => x.argMax(),
      [2, 2, 0],
    ),
    typedCase('float64', 'float64', [[0.1, 0.1 + 1e-16]], (x) => x.argMax(), [1], { engine: 'native' }),
    typedCase('integers', 'int64', [[2 ** 53 - 2, 2 ** 53 - 1]], (x) => x.argMax(), [1], { engine: 'native' }),
    denseCase('the last of equals', [[3, 1, 3, nan, 2]], (x) => x.argMax({ equals: 'last' }), [2]),
    denseCase('the least', [[3, 1, nan, 1, 2]], (x) => x.argMax({ of: 'least' }), [1], { engine: 'native' }),
    denseCase('parts', [[3, 1, 1, 5, 6, 6]], (x) => x.argMax({ parts: 2, of: 'least', equals: 'last' }), [[2, 0]]),
    denseCase('one column', [[7], [nan]], (x) => x.argMax(), [0, 0]),
    denseCase('17 columns', [[...Array(16).fill(-1), 5]], (x) => x.argMax(), [16]),
  ],
  random: fc.oneof(
    typed,
    forms,
    vectorCases('arg-max', anyFloat, (size) => fc.constant({ name: shown(size), apply: (x) => x.argMax() })),
  ),
};
