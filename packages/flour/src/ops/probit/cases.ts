import fc from 'fast-check';
import { anyFloat, anySize, denseCase, type OperatorCases, rowsOf, shown } from '../../case.js';

const { NaN: nan } = Number;

export const cases: OperatorCases = {
  operators: ['probit'],
  named: [
    denseCase('the middle, and outside', [[0.5, -1, 2, nan]], (x) => x.probit(), [[0, nan, nan, nan]], {
      engine: 'native',
    }),
    denseCase('symmetric', [[0.25, 0.75]], (x) => x.probit().reduce('sum'), [0]),
  ],
  random: anySize.chain((size) =>
    rowsOf(fc.oneof(fc.float({ min: 0, max: 1, noNaN: true }), anyFloat), size).map((rows) =>
      denseCase(`probit ${shown(rows)}`, rows, (x) => x.probit(), undefined, { engine: 'native' }),
    ),
  ),
};
