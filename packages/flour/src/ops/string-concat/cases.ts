import type { Flow } from '@brezel/flour';
import fc from 'fast-check';
import { noisyText, type OperatorCase, type OperatorCases } from '../../case.js';

const joined = (
  name: string,
  rows: readonly (readonly [a: string, b: string])[],
  join: (a: Flow<'text'>, b: Flow<'text'>) => Flow,
  expected?: readonly unknown[],
): OperatorCase => ({
  name,
  build: (flour) => {
    const columns = flour.columns({ a: 'string', b: 'string' });
    return { y: join(columns.select('a'), columns.select('b')) };
  },
  rows: rows.map(([a, b]) => ({ a, b })),
  engine: 'mixed',
  ...(expected && { expected: expected.map((y) => ({ y })) }),
});

const wide = (...texts: readonly Flow<'text'>[]): Flow<'vector'> => {
  const [first, ...others] = texts.map((text) => text.asVector() as unknown as Flow<'vector'>);
  return first!.concat(...others);
};

export const cases: OperatorCases = {
  operators: ['string-concat'],
  named: [
    {
      ...joined(
        'looked up, in the addon',
        [
          ['a', 'b'],
          ['', 'ab'],
          ['a', ''],
        ],
        (a, b) => a.stringConcat(b).keyMap(['ab', 'a']),
        [1, 1, 2],
      ),
      engine: 'native',
    },
    joined(
      'two texts and one between them',
      [
        ['é', '😀'],
        ['', ''],
        ['\0', '\ud800'],
      ],
      (a, b) => a.stringConcat(' ').stringConcat(b),
      ['é 😀', ' ', '\0 \ufffd'],
    ),
    joined('columns and a text that is repeated', [['x', 'yz']], (a, b) => wide(a, b).stringConcat(wide(b)), [
      ['xyz', 'yzyz'],
    ]),
    joined(
      'a text that is repeated before columns',
      [['x', 'yz']],
      (a, b) =>
        wide(b)
          .stringConcat(wide(a, b, a))
          .stringConcat('!'),
      [['yzx!', 'yzyz!', 'yzx!']],
    ),
  ],
  random: fc
    .record({
      rows: fc.array(fc.tuple(noisyText(['a']), noisyText(['a', 'b'])), { minLength: 1, maxLength: 5 }),
      isWide: fc.boolean(),
    })
    .map(({ rows, isWide }) => ({
      ...joined('texts', rows, (a, b) =>
        isWide ? wide(a, b).stringConcat(wide(b, a)).indexOf(['aa', 'ab', 'ba']) : a.stringConcat(b).stringConcat(a),
      ),
      engine: isWide ? 'native' : 'mixed',
    })),
};
