import fc from 'fast-check';
import { listOf, type OperatorCases, shown, typedCase } from '../../case.js';

const native = { engine: 'native' } as const;

export const cases: OperatorCases = {
  operators: ['ravel-index'],
  named: [
    typedCase('of a matrix', 'int64', [[0, 0, 1, 2], [1, 0, 0, 1]], (x) => x.ravelIndex([2, 3]), [[0, 5], [3, 1]], native), // biome-ignore format: two rows
    typedCase('counted from the end', 'int64', [[-1, -3, -2, -1]], (x) => x.ravelIndex([2, 3]), [[3, 2]], native),
    typedCase('strides', 'int64', [[2, 1, 0]], (x) => x.ravelIndex([3], [10]), [[20, 10, 0]], native),
  ],
  random: fc
    .tuple(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 9 }))
    .chain(([sizes, tuples]) => {
      const tuple = fc.tuple(...sizes.map((size) => fc.integer({ min: -size, max: size - 1 })));
      const row = listOf(tuple, tuples).map((all) => all.flat());
      return fc
        .tuple(
          fc.array(row, { minLength: 1, maxLength: 5 }),
          fc.option(listOf(fc.integer({ min: 1, max: 100 }), sizes.length)),
        )
        .map(([rows, strides]) =>
          typedCase(`into [${sizes}] by ${shown(strides)}`, 'int64', rows, (x) =>
            x.ravelIndex(sizes, strides ?? undefined),
          ),
        );
    }),
};
