import type { EncodedType, Flow } from '@brezel/flour';
import fc from 'fast-check';
import { anyElement, noisyText, type OperatorCase, type OperatorCases, rowsOf, shown, typedCase } from '../../case.js';

// `labelEncode` composes index-of and lookup. These cases test both operators together.

const fromText = (
  name: string,
  apply: (t: Flow<'text'>) => Flow,
  rows: readonly string[],
  expected?: readonly unknown[],
  more: Partial<OperatorCase> = {},
): OperatorCase => ({
  name,
  build: (flour) => ({ y: apply(flour.columns({ t: 'string' }).select('t')) }),
  rows: rows.map((t) => ({ t })),
  ...(expected && { expected: expected.map((y) => ({ y })) }),
  ...more,
});

const valueTypes: readonly EncodedType[] = ['float32', 'float64', 'int64', 'int32', 'bool', 'string'];

export const cases: OperatorCases = {
  operators: [],
  named: [
    fromText(
      'text to integers',
      (t) => t.labelEncode({ keys: ['no', 'yes'], values: [0, 7], otherwise: -1 }),
      ['yes', 'no', 'maybe'],
      [7, 0, -1],
      {
        engine: 'native',
      },
    ),
    fromText(
      'text to text',
      (t) => t.labelEncode({ keys: ['a', 'b'], values: ['A', 'B'], otherwise: 'Z' }),
      ['b', 'c'],
      ['B', 'Z'],
      { engine: 'native' },
    ),
    fromText(
      'text to one text',
      (t) => t.labelEncode({ keys: ['a', 'b'], values: ['A', 'A'], otherwise: 'A' }),
      ['b', 'c'],
      ['A', 'A'],
      {
        engine: 'javascript',
      },
    ),
    fromText(
      'text to fractions',
      (t) => t.labelEncode({ keys: ['a'], values: [0.1], otherwise: Number.NaN }),
      ['a', 'b'],
      [Math.fround(0.1), Number.NaN],
      {
        engine: 'native',
      },
    ),
    typedCase(
      'numbers to numbers, each of a row',
      'int64',
      [[1, 2, 3]],
      (x) => x.labelEncode({ keys: [3, 1], values: [30, 10], otherwise: 0 }),
      [[10, 0, 30]],
      {
        engine: 'native',
      },
    ),
    typedCase(
      'floats to float64',
      'float32',
      [[0.5, 2]],
      (x) => x.labelEncode({ keys: [0.5], values: [0.1], otherwise: 1e300, type: 'float64' }),
      [[0.1, 1e300]],
      {
        engine: 'native',
      },
    ),
    typedCase(
      'labels of several values',
      'int64',
      [[1, 0]],
      (x) => x.labelEncode({ keys: [0, 1], values: ['no', 'yes'], otherwise: '' }),
      [['yes', 'no']],
    ),
    fromText(
      'text to text, looked up again',
      (t) =>
        (t.labelEncode({ keys: ['a', 'b'], values: ['A', 'B'], otherwise: 'Z' }) as Flow<'text'>).indexOf([
          'Z',
          'A',
          'B',
        ]),
      ['b', 'c', 'a'],
      [2, 0, 1],
    ),
  ],
  random: fc.constantFrom(...valueTypes).chain((type) =>
    fc.uniqueArray(anyElement.int64, { minLength: 1, maxLength: 8 }).chain((keys) => {
      const value: fc.Arbitrary<string | number> = type === 'string' ? noisyText() : anyElement[type];
      return fc
        .tuple(
          fc.array(value, { minLength: keys.length, maxLength: keys.length }),
          value,
          rowsOf(fc.oneof(fc.constantFrom(...keys), anyElement.int64), 2),
        )
        .map(([values, otherwise, rows]) =>
          typedCase(`int64 to ${type} ${shown({ keys, values, otherwise, rows })}`, 'int64', rows, (x) =>
            x.labelEncode({ keys, values: values as number[], otherwise, type }),
          ),
        );
    }),
  ),
};
