import fc from 'fast-check';
import {
  anyFloat,
  denseCase,
  listOf,
  type OperatorCases,
  shown,
  sparseCase,
  tameFloat,
  vectorCases,
} from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

const calibration = (size: number) =>
  fc
    .constantFrom(1, size)
    .chain((count) => fc.record({ slope: listOf(tameFloat, count), offset: listOf(tameFloat, count) }))
    .map((options) => ({
      name: shown(options),
      apply: (x: Parameters<Parameters<typeof denseCase>[2]>[0]) => x.platt(options),
    }));

export const cases: OperatorCases = {
  operators: ['platt'],
  named: [
    denseCase('one calibration', [[0, inf, -inf, nan]], (x) => x.platt({ slope: -2, offset: 0 }), [[0.5, 1, 0, nan]], {
      engine: 'native',
    }),
    denseCase('one a column', [[1, 1]], (x) => x.platt({ slope: [0, -1], offset: [Math.log(3), 1] }), [[0.25, 0.5]]),
    sparseCase('sparse rows', [1], [[], [0]], (x) => x.platt({ slope: -1, offset: 1 }), [
      [Math.fround(1 / (1 + Math.E))],
      [0.5],
    ]),
  ],
  random: vectorCases('platt', anyFloat, calibration),
};
