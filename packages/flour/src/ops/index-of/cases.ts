import fc from 'fast-check';
import {
  anyElement,
  noisyText,
  numericTypes,
  type OperatorCase,
  type OperatorCases,
  rowsOf,
  shown,
  typedCase,
} from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

const texts = (
  name: string,
  keys: readonly string[],
  rows: readonly string[],
  expected?: readonly number[],
  more: Partial<OperatorCase> = {},
): OperatorCase => ({
  name,
  build: (flour) => ({ y: flour.columns({ t: 'string' }).select('t').indexOf(keys) }),
  rows: rows.map((t) => ({ t })),
  ...(expected && { expected: expected.map((y) => ({ y })) }),
  ...more,
});

const LONG = 'a word that is longer than fifteen bytes';

export const cases: OperatorCases = {
  operators: ['index-of'],
  named: [
    texts(
      'texts',
      ['red', '', 'größer 😀', LONG],
      ['red', 'Red', '', 'größer 😀', LONG, `${LONG}!`, 'red ', '\0'],
      [0, 4, 1, 2, 3, 4, 4, 4],
      { engine: 'native' },
    ),
    texts('one key', ['x'], ['x', 'y'], [0, 1], { engine: 'native' }),
    typedCase('floats', 'float32', [[0.5, nan, -0, 7, inf]], (x) => x.indexOf([nan, 0, inf, 0.5]), [[3, 0, 1, 4, 2]], {
      engine: 'native',
    }),
    typedCase('only NaN', 'float64', [[nan, 1]], (x) => x.indexOf([nan]), [[0, 1]], { engine: 'native' }),
    typedCase('integers', 'int64', [[2 ** 53 - 1, -1, 0]], (x) => x.indexOf([-1, 2 ** 53 - 1]), [[1, 0, 2]], {
      engine: 'native',
    }),
    typedCase('bools', 'bool', [[1, 0]], (x) => x.indexOf([1]), [[0, 1]], { engine: 'native' }),
    {
      name: 'joined columns of text are looked up one by one',
      build(flour) {
        const { select } = flour.columns({ a: 'string', b: 'string' });
        const both = select('a').asVector().concat(select('b').asVector());
        return { y: both.indexOf(['u', 'v']) };
      },
      rows: [
        { a: 'u', b: 'w' },
        { a: 'v', b: 'u' },
      ],
      expected: [{ y: [0, 2] }, { y: [1, 0] }],
      engine: 'native',
    },
    {
      name: 'a vector of text',
      build: (flour) => ({
        y: flour.input('x', { kind: 'vector', dtype: 'string', size: 2 }).indexOf(['u', 'v']),
      }),
      rows: [{ x: ['v', 'w'] }, { x: ['u', 'u'] }],
      expected: [{ y: [1, 2] }, { y: [0, 0] }],
      engine: 'native',
    },
  ],
  random: fc.oneof(
    fc
      .uniqueArray(
        noisyText(['a', 'bc']).map((text) => text.toWellFormed()),
        { minLength: 1, maxLength: 30 },
      )
      .chain((keys) =>
        fc
          .array(fc.oneof(fc.constantFrom(...keys), noisyText(keys)), { minLength: 1, maxLength: 8 })
          .map((rows) => texts(`keys ${shown(keys)} of ${shown(rows)}`, keys, rows, undefined, { engine: 'native' })),
      ),
    fc.constantFrom(...numericTypes).chain((type) =>
      fc
        .uniqueArray(type === 'float32' ? anyElement.float32.map(Math.fround) : anyElement[type], {
          minLength: 1,
          maxLength: 20,
          comparator: (a, b) => a === b || (Number.isNaN(a) && Number.isNaN(b)),
        })
        .chain((keys) =>
          rowsOf(fc.oneof(fc.constantFrom(...keys), anyElement[type]), 3).map((rows) =>
            typedCase(`${type} keys ${shown(keys)} of ${shown(rows)}`, type, rows, (x) => x.indexOf(keys), undefined, {
              engine: 'native',
            }),
          ),
        ),
    ),
  ),
};
