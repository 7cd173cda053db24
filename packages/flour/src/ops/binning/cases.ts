import type { BinningOutput } from '@brezel/flour';
import fc from 'fast-check';
import { anyFloat, denseCase, listOf, type OperatorCases, rowsOf, shown, sparseCase } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const edges = [[-1, 0, 2], [0.5], []];
const rows = [
  [-2, 0.5, 7],
  [0, 0, nan],
  [nan, inf, -inf],
  [2, 0.25, 0],
];
const outputs: readonly BinningOutput[] = ['ordinal', 'oneHot', 'normalized'];

export const cases: OperatorCases = {
  operators: ['binning'],
  named: [
    denseCase(
      'numbers of bins',
      rows,
      (x) => x.binning({ edges }),
      [
        [0, 1, 0],
        [2, 0, nan],
        [nan, 1, 0],
        [3, 0, 0],
      ],
      { engine: 'native' },
    ),
    denseCase('edges belong below', rows, (x) => x.binning({ edges, edgeIn: 'below' }), [
      [0, 0, 0],
      [1, 0, nan],
      [nan, 1, 0],
      [2, 0, 0],
    ]),
    denseCase(
      'one-hot',
      rows,
      (x) => x.binning({ edges, output: 'oneHot' }),
      [
        [1, 0, 0, 0, 0, 1, 1],
        [0, 0, 1, 0, 1, 0, 0],
        [0, 0, 0, 0, 0, 1, 1],
        [0, 0, 0, 1, 1, 0, 1],
      ],
      { engine: 'native' },
    ),
    denseCase(
      'normalized, zero stays',
      rows,
      (x) => x.binning({ edges, edgeIn: 'below', output: 'normalized', fixZero: true }),
      [
        [-Math.fround(1 / 3), 0, 0],
        [0, 0, nan],
        [nan, 1, 0],
        [Math.fround(Math.fround(2 / 3) - Math.fround(1 / 3)), 0, 0],
      ],
      { engine: 'native' },
    ),
    denseCase(
      'a model above',
      rows,
      (x) => x.binning({ edges, output: 'oneHot' }).linear({ weights: [1, 2, 4, 8, 16, 32, 64] }),
      [[97], [20], [96], [88]],
    ),
    sparseCase('sparse rows', [3, -3], [[], [0, 1]], (x) => x.binning({ edges: [[1], [-1]] }), [
      [0, 1],
      [1, 0],
    ]),
  ],
  random: fc.tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom(...outputs)).chain(([size, output]) =>
    fc
      .record({
        list: rowsOf(anyFloat, size),
        edges: listOf(
          fc.array(
            anyFloat.filter((edge) => !Number.isNaN(edge)),
            { maxLength: 40 },
          ),
          size,
        ),
        edgeIn: fc.constantFrom('above' as const, 'below' as const),
        fixZero: fc.boolean(),
      })
      .map(({ list, edges: given, ...options }) => {
        const ascending = given.map((one) => one.toSorted((a, b) => a - b));
        return denseCase(`binning ${output} ${shown({ ascending, ...options })}`, list, (x) =>
          x.binning({ edges: ascending, output, ...options }),
        );
      }),
  ),
};
