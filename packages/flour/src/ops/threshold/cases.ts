import fc from 'fast-check';
import { anyFloat, denseCase, type OperatorCases, rowsOf, shown } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

export const cases: OperatorCases = {
  operators: ['threshold'],
  named: [
    denseCase('greater, not equal', [[0.5], [0.50001], [-1], [nan], [inf]], (x) => x.threshold(0.5), [0, 1, 0, 0, 1], {
      engine: 'native',
    }),
    denseCase('zeros', [[0], [-0], [1e-45]], (x) => x.threshold(-0), [0, 0, 1]),
    denseCase('the limit is a float32', [[Math.fround(0.1)], [0.2]], (x) => x.threshold(0.1), [0, 1]),
    denseCase('infinite limits', [[inf], [-inf], [0]], (x) => x.threshold(-inf), [1, 0, 1]),
    {
      name: 'a scalar',
      build: (flour) => ({ y: flour.columns({ x: 'float32' }).select('x').threshold(0) }),
      rows: [{ x: 1 }, { x: 0 }],
      expected: [{ y: 1 }, { y: 0 }],
    },
  ],
  random: fc
    .tuple(
      anyFloat.filter((limit) => Number.isFinite(limit)),
      rowsOf(anyFloat, 1),
    )
    .map(([limit, rows]) => denseCase(`threshold ${shown(limit)}`, [...rows, [limit]], (x) => x.threshold(limit))),
};
