import type { DictionaryValue } from '@brezel/core';
import type { DictionaryLookupOptions } from '@brezel/flour';
import fc from 'fast-check';
import { anyFloat, noisyText, type OperatorCase, type OperatorCases, shown } from '../../case.js';

type Rows = readonly Readonly<Record<string, number | string>>[];

const looked = (
  name: string,
  values: DictionaryValue,
  keys: readonly string[],
  rows: Rows,
  expected?: readonly unknown[],
  options: DictionaryLookupOptions = {},
): OperatorCase => ({
  name,
  build: (flour) => ({ y: flour.dictionary('x', { values }).lookupKeys(keys, options) }),
  rows: rows.map((x) => ({ x })) as never,
  ...(expected && { expected: expected.map((y) => ({ y })) }),
  engine: values === 'int64' || values === 'string' ? 'mixed' : 'native',
});

const anyKey = fc.oneof(fc.constantFrom('a', 'b', '', 'x'.repeat(20)), fc.string({ maxLength: 3 }));
const anyValue = {
  float32: anyFloat,
  float64: fc.double(),
  int64: fc.maxSafeInteger(),
  string: noisyText(),
} as const;

export const cases: OperatorCases = {
  operators: ['dictionary-lookup'],
  named: [
    looked(
      'values in the order of the keys',
      'float32',
      ['b', 'a'],
      [{ a: 1, b: 2 }, { c: 3 }, {}],
      [
        [2, 1],
        [0, 0],
        [0, 0],
      ],
    ),
    looked(
      'float64 and int64 keep their values',
      'float64',
      ['a'],
      [{ a: 0.1 }, { a: Number.NaN }],
      [[0.1], [Number.NaN]],
    ),
    looked('integers', 'int64', ['a', 'b'], [{ a: -5, z: 1 }], [[-5, 0]]),
    looked(
      'texts',
      'string',
      ['a', 'b'],
      [{ a: 'x' }, { b: 'y\ud800' }],
      [
        ['x', '-'],
        ['-', 'y\ufffd'],
      ],
      { otherwise: '-' },
    ),
    {
      name: 'values that kernels read',
      build: (flour) => {
        const x = flour.dictionary('x', { values: 'string' }).lookupKeys(['a', 'b'], { otherwise: '0' });
        const id = flour.dictionary('id', { values: 'int64' }).lookupKeys(['n']);
        return {
          y: x.parseNumber().scale({ offset: [1, 1], scale: [2, 2] }),
          place: id.asScalar().indexOf(BigInt64Array.of(7n, 8n)),
        };
      },
      rows: [
        { x: { a: '1.5' }, id: { n: 8 } },
        { x: { b: '-1', c: 'z' }, id: {} },
      ] as never,
      expected: [
        { y: [1, -2], place: 1 },
        { y: [-2, -4], place: 2 },
      ],
      engine: 'native',
    },
    looked(
      'only keys that are known',
      'float32',
      ['a', 'b'],
      [{ a: 1 }, { b: 2, a: 3 }],
      [
        [1, 0],
        [3, 2],
      ],
      { unknown: 'error' },
    ),
    looked(
      'keys of strange names',
      'float32',
      ['__proto__', '', 'toString'],
      [JSON.parse('{"__proto__": 1, "": 2}'), {}],
      [
        [1, 2, 0],
        [0, 0, 0],
      ],
    ),
    {
      name: 'keys that are integers',
      build: (flour) => ({ y: flour.dictionary('x', { keys: 'int64' }).lookupKeys(['7', '-1']) }),
      rows: [{ x: { 7: 1, '-1': 2 } }, { x: { '007': 3, '8': 4 } }] as never,
      expected: [{ y: [1, 2] }, { y: [3, 0] }],
    },
  ],
  random: fc
    .constantFrom('float32', 'float64', 'int64', 'string')
    .chain((values) =>
      fc.tuple(
        fc.constant(values),
        fc.uniqueArray(anyKey, { minLength: 1, maxLength: 6, selector: (key) => key }),
        fc.array(fc.dictionary(anyKey, anyValue[values] as fc.Arbitrary<string | number>), {
          minLength: 1,
          maxLength: 5,
        }),
        fc.option(noisyText(), { nil: undefined }),
      ),
    )
    .map(([values, keys, rows, otherwise]) =>
      looked(`look up ${shown(keys)} in ${shown(rows)}`, values, keys, rows, undefined, {
        ...(values === 'string' && otherwise !== undefined && { otherwise }),
      }),
    ),
};
