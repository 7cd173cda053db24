import { operators } from '@brezel/flour';
import { anyFloat, denseCase, type OperatorCases, rowsOf } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
// Only Oven adds this operator to a plan (`fold-mirrored-classes`). The cases of `linear` with
// mirrored classes test this rule.
const mirror = (x: Parameters<Parameters<typeof denseCase>[2]>[0]) =>
  x.context.apply<'vector'>(operators.get('mirror')!, [x]);

export const cases: OperatorCases = {
  operators: ['mirror'],
  named: [
    denseCase(
      'both signs',
      [[1], [-2], [0], [-0], [inf], [nan]],
      mirror,
      [
        [-1, 1],
        [2, -2],
        [0, 0],
        [0, -0],
        [-inf, inf],
        [nan, nan],
      ],
      { engine: 'native' },
    ),
  ],
  random: rowsOf(anyFloat, 1).map((rows) => denseCase('mirror', rows, mirror)),
};
