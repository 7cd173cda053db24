import type { Flow } from '@brezel/flour';
import fc from 'fast-check';
import {
  anyFloat,
  anySize,
  denseCase,
  listOf,
  type OperatorCase,
  type OperatorCases,
  shown,
  sparseCase,
} from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

/** Builds a case for several models. The scores of each model are a separate input. */
function members(
  name: string,
  rows: readonly (readonly (readonly number[])[])[],
  apply: (flows: Flow<'vector'>[]) => Flow,
  expected?: readonly (readonly number[])[],
  more: Partial<OperatorCase> = {},
): OperatorCase {
  return {
    name,
    build: (flour) => ({
      y: apply(
        rows[0]!.map(
          (scores, at) =>
            flour.input(`m${at}`, { kind: 'vector', dtype: 'float32', size: scores.length }) as Flow<'vector'>,
        ),
      ),
    }),
    rows: rows.map((row) => Object.fromEntries(row.map((scores, at) => [`m${at}`, scores]))),
    ...(expected && { expected: expected.map((y) => ({ y })) }),
    ...more,
  };
}

const three = [
  [
    [0.5, 0.25],
    [0, 1],
    [0.25, 0.25],
  ],
  [
    [1, nan],
    [nan, 1],
    [2, inf],
  ],
];
const weights = [1, 2, 1];

export const cases: OperatorCases = {
  operators: ['ensemble'],
  named: [
    members(
      'average',
      three,
      ([first, ...others]) => first!.ensemble(others, { weights }),
      [
        [0.1875, 0.625],
        [nan, nan],
      ],
      { engine: 'native' },
    ),
    members(
      'votes, the first of equals, a NaN in front keeps its place',
      three,
      ([first, ...others]) => first!.ensemble(others, { combine: 'vote', weights }),
      [
        [2, 2],
        [3, 1],
      ],
      { engine: 'native' },
    ),
    members('stacked', three.slice(0, 1), ([first, ...others]) => first!.ensemble(others, { combine: 'stack' }), [
      [0.5, 0.25, 0, 1, 0.25, 0.25],
    ]),
    members(
      'one versus all',
      [
        [[0.5], [0.25], [0.25]],
        [[0], [0], [0]],
        [[3], [1], [0]],
      ],
      ([first, ...others]) => first!.oneVersusAll(others),
      [
        [0.5, 0.25, 0.25],
        [0, 0, 0],
        [0.75, 0.25, 0],
      ],
      { engine: 'native' },
    ),
    members(
      'one versus all, raw scores',
      [[[-1], [2]]],
      ([first, ...others]) => first!.oneVersusAll(others, { normalize: false }),
      [[-1, 2]],
    ),
    denseCase('alone', [[1, 3]], (x) => x.ensemble([]), [[1, 3]]),
    sparseCase('sparse members', [1, 3], [[1], []], (x) => x.ensemble([x]), [
      [0, 3],
      [0, 0],
    ]),
  ],
  random: fc
    .tuple(
      anySize,
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom('average' as const, 'vote' as const, 'stack' as const),
    )
    .chain(([size, count, combine]) =>
      fc
        .tuple(
          fc.array(listOf(listOf(anyFloat, size), count), { minLength: 1, maxLength: 4 }),
          fc.option(listOf(fc.integer({ min: 1, max: 9 }), count), { nil: undefined }),
        )
        .map(([rows, shares]) =>
          members(`ensemble ${combine} ${shown(shares)}`, rows, ([first, ...others]) =>
            first!.ensemble(others, { combine, ...(shares && combine !== 'stack' && { weights: shares }) }),
          ),
        ),
    ),
};
