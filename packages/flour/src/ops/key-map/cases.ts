import fc from 'fast-check';
import { noisyText, type OperatorCase, type OperatorCases, shown } from '../../case.js';

const keyed = (
  name: string,
  keys: readonly string[],
  texts: readonly string[],
  expected?: readonly number[],
): OperatorCase => ({
  name,
  build: (flour) => ({ y: flour.columns({ text: 'string' }).select('text').keyMap(keys) }),
  rows: texts.map((text) => ({ text })),
  ...(expected && { expected: expected.map((y) => ({ y })) }),
  engine: 'native',
});

const long = 'a key of more than fifteen bytes';

export const cases: OperatorCases = {
  operators: ['key-map'],
  named: [
    keyed(
      'places from 1, others 0',
      ['red', 'green', '', long, 'grün'],
      ['green', 'red', 'Red', 'red ', '', long, `${long}!`, 'grün', '\ud800', 'x'.repeat(70_000)],
      [2, 1, 0, 0, 3, 4, 0, 5, 0, 0],
    ),
    keyed('one key', ['\0'], ['\0', '', '\0\0'], [1, 0, 0]),
    keyed(
      'many keys',
      Array.from({ length: 5000 }, (_, at) => `key ${at}`),
      ['key 0', 'key 4999', 'key 5000', 'key'],
      [1, 5000, 0, 0],
    ),
    {
      name: 'and back',
      build: (flour) => ({
        y: flour.columns({ text: 'string' }).select('text').keyMap(['red', 'green']).keyToValue(['rouge', 'vert']),
      }),
      rows: [{ text: 'green' }, { text: 'red' }, { text: 'blue' }],
      expected: [{ y: 'vert' }, { y: 'rouge' }, { y: '' }],
      engine: 'native',
    },
    {
      name: 'keys out of range',
      build: (flour) => ({ y: flour.columns({ key: 'int64' }).select('key').keyToValue(['a', 'b']) }),
      rows: [{ key: -1 }, { key: 0 }, { key: 1 }, { key: 2 }, { key: 3 }],
      expected: [{ y: '' }, { y: '' }, { y: 'a' }, { y: 'b' }, { y: 'b' }],
      engine: 'native',
    },
  ],
  random: fc
    .tuple(
      fc.uniqueArray(
        noisyText().map((text) => text.toWellFormed()),
        { minLength: 1, maxLength: 30 },
      ),
      fc.array(noisyText(), { maxLength: 5 }),
    )
    .map(([keys, texts]) => keyed(`keys ${shown({ keys, texts })}`, keys, [...keys.slice(0, 3), ...texts])),
};
