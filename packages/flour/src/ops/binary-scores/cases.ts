import { operators } from '@brezel/flour';
import fc from 'fast-check';
import { anyFloat, denseCase, type OperatorCases, rowsOf } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
type Mode = 'complement' | 'logistic' | 'opposite';
// Only importers use this operator, so it has no fluent method.
const complete = (mode: Mode) => (x: Parameters<Parameters<typeof denseCase>[2]>[0]) =>
  x.context.apply<'vector'>(operators.get('binary-scores')!, [x], { attributes: { mode } });

export const cases: OperatorCases = {
  operators: ['binary-scores'],
  named: [
    denseCase(
      'complement',
      [[0.25], [nan], [-0], [inf]],
      complete('complement'),
      [
        [0.75, 0.25],
        [nan, nan],
        [1, -0],
        [-inf, inf],
      ],
      { engine: 'native' },
    ),
    denseCase('opposite', [[3], [0], [-0]], complete('opposite'), [
      [-3, 3],
      [0, 0],
      [0, -0],
    ]),
    denseCase('logistic', [[0], [inf], [-inf], [nan]], complete('logistic'), [
      [0.5, 0.5],
      [0, 1],
      [1, 0],
      [nan, nan],
    ]),
  ],
  random: fc
    .tuple(fc.constantFrom<Mode>('complement', 'logistic', 'opposite'), rowsOf(anyFloat, 1))
    .map(([mode, rows]) => denseCase(mode, rows, complete(mode))),
};
