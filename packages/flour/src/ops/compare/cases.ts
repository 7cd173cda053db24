import fc from 'fast-check';
import { anyFloat, anySize, denseCase, listOf, type OperatorCases, rowsOf, shown } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const comparisons = ['greater', 'less', 'equal', 'greaterOrEqual', 'lessOrEqual'] as const;

export const cases: OperatorCases = {
  operators: ['compare'],
  named: [
    denseCase('greater', [[1, 2, 3]], (x) => x.compare('greater', 2), [[false, false, true]], { engine: 'native' }),
    denseCase('NaN compares false', [[nan, 1]], (x) => x.compare('lessOrEqual', [1, nan]), [[false, false]]),
    denseCase('NaN does not equal itself', [[nan, inf]], (x) => x.compare('equal', x), [[false, true]]),
    denseCase('zeros are equal', [[0, -0]], (x) => x.compare('equal', [-0, 0]), [[true, true]]),
    denseCase('a constant on the left', [[1, 3]], (x) => x.compare('less', 2, 'left'), [[false, true]]),
    denseCase('one value and many constants', [[2]], (x) => x.compare('greaterOrEqual', [1, 2, 3]), [
      [true, true, false],
    ]),
  ],
  random: fc
    .tuple(anySize, fc.constantFrom(...comparisons), fc.constantFrom('left' as const, 'right' as const), fc.boolean())
    .chain(([size, name, side, narrow]) =>
      fc
        .tuple(rowsOf(anyFloat, size), listOf(anyFloat, narrow ? 1 : size))
        .map(([rows, operand]) =>
          denseCase(`${name} ${side} ${shown(operand)}`, rows, (x) => x.compare(name, operand, side)),
        ),
    ),
};
