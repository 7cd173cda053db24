import type { Flow, ParseNumberOptions } from '@brezel/flour';
import fc from 'fast-check';
import { noisyText, type OperatorCase, type OperatorCases, shown } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

const parsed = (
  name: string,
  texts: readonly string[],
  expected?: readonly (number | bigint)[],
  options: ParseNumberOptions = {},
): OperatorCase => ({
  name,
  build: (flour) => ({ y: flour.columns({ text: 'string' }).select('text').parseNumber(options) }),
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
    parsed('float64', ['0.1', '16777217', '5e-324', 'nan', 'x'], [0.1, 16777217, 5e-324, nan, nan], { to: 'float64' }),
    parsed(
      'integers are exact, and lose their fraction',
      ['1', '-0', '007', ' +12 ', '9007199254740993', '-9223372036854775808', '1e3', '2.99', '-2.99', '.5'],
      [1, 0, 7, 12, 9007199254740993n, -(2 ** 63), 1000, 2, -2, 0],
      { to: 'int64' },
    ),
    parsed('in place of an error there is a number', ['1', 'inf', 'NaN'], [1, inf, nan], { unknown: 'error' }),
    {
      name: 'columns of texts',
      build: (flour) => ({
        y: (flour.input('x', { kind: 'vector', dtype: 'string', size: 3 }) as Flow<'vector'>).parseNumber(),
      }),
      rows: [{ x: ['1', 'a', '-2'] }, { x: ['', '1e2', '3'] }],
      expected: [{ y: [1, nan, -2] }, { y: [nan, 100, 3] }],
    },
    parsed('many digits', ['1'.repeat(10_000), `0.${'0'.repeat(10_000)}1`], [inf, 0]),
  ],
  random: fc
    .array(
      fc.oneof(noisyText([...'0123456789+-.eE ', 'inf', 'nan']), fc.double().map(String), fc.float().map(String)),
      { minLength: 1, maxLength: 5 },
    )
    .map((texts) => parsed(`parse ${shown(texts)}`, texts)),
};
