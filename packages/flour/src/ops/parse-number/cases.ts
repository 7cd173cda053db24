import fc from 'fast-check';
import { noisyText, type OperatorCase, type OperatorCases, shown } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

const parsed = (name: string, texts: readonly string[], expected?: readonly number[]): OperatorCase => ({
  name,
  build: (flour) => ({ y: flour.columns({ text: 'string' }).select('text').parseNumber() }),
  rows: texts.map((text) => ({ text })),
  ...(expected && { expected: expected.map((y) => ({ y })) }),
  engine: 'javascript',
});

export const cases: OperatorCases = {
  operators: ['parse-number'],
  named: [
    parsed(
      'decimals',
      ['1', '-2.5', '+.5', '3.', '1e3', '-1E-2', ' 7 \n'],
      [1, -2.5, 0.5, 3, 1000, Math.fround(-0.01), 7],
    ),
    parsed('zeros', ['0', '-0', '-0.0e5'], [0, -0, -0]),
    parsed(
      'no numbers',
      ['', ' ', 'a', '1 2', '0x10', '1_000', '1,5', '--1', '.', 'e5', '1e', '\0', '1\0', '\ud800', '٣', 'NaN', 'nan'],
      Array(17).fill(nan),
    ),
    parsed('infinities', ['inf', '-Infinity', '+INF', '1e39', '-1e400'], [inf, -inf, inf, inf, -inf]),
    parsed(
      'the nearest float32',
      ['0.1', '16777217', '1e-46', '3.4028235e38'],
      [Math.fround(0.1), 16777216, 0, Math.fround(3.4028235e38)],
    ),
    parsed('many digits', ['1'.repeat(10_000), `0.${'0'.repeat(10_000)}1`], [inf, 0]),
  ],
  random: fc
    .array(
      fc.oneof(noisyText([...'0123456789+-.eE ', 'inf', 'nan']), fc.double().map(String), fc.float().map(String)),
      { minLength: 1, maxLength: 5 },
    )
    .map((texts) => parsed(`parse ${shown(texts)}`, texts)),
};
