import type { DictionaryValue } from '@brezel/core';
import type { DictionaryLookupOptions } from '@brezel/flour';
import fc from 'fast-check';
import { anyFloat, type OperatorCase, type OperatorCases, shown } from '../../case.js';

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
});

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
    .tuple(
      fc.uniqueArray(fc.string({ maxLength: 3 }), { minLength: 1, maxLength: 6 }),
      fc.array(fc.dictionary(fc.string({ maxLength: 3 }), anyFloat), { minLength: 1, maxLength: 5 }),
    )
    .map(([keys, rows]) => looked(`look up ${shown(keys)} in ${shown(rows)}`, 'float32', keys, rows)),
};
