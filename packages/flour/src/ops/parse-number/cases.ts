import type { ParseNumberOptions } from '@brezel/flour';
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
  engine: options.to === 'int64' ? 'mixed' : 'native',
});

const digits = (from: number, to: number) =>
  fc.array(fc.nat(9), { minLength: from, maxLength: to }).map((list) => list.join(''));

/** Random decimal numbers of any length, some of them near the ends of the float64 range. */
const numeral = fc
  .tuple(
    fc.constantFrom('', '-', '+'),
    digits(1, 25),
    fc.option(digits(0, 25)),
    fc.option(fc.integer({ min: -345, max: 330 })),
  )
  .map(([sign, whole, fraction, exponent]) =>
    [sign, whole, fraction === null ? '' : `.${fraction}`, exponent === null ? '' : `e${exponent}`].join(''),
  );

/**
 * Random numbers half-way between two float64 numbers. Digits after the half decide how such a
 * number is rounded.
 */
const halfWay = fc
  .tuple(fc.bigInt({ min: 2n ** 52n, max: 2n ** 53n - 1n }), fc.nat(40), digits(0, 3))
  .map(([mantissa, power, more]) => `${(2n * mantissa + 1n) << BigInt(power)}.${more}`);

const anyNumeral = fc.oneof(
  noisyText([...'0123456789+-.eE ', 'inf', 'nan', '\u0085', '\ufeff', '\u2003', '\x1c', 'ſ']),
  fc.double().map(String),
  fc.float().map(String),
  numeral,
  halfWay,
);

/** Random texts that parse as integers. Other texts would reject their row. */
const anyInteger = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  fc.tuple(fc.constantFrom('', '-', '+'), digits(1, 18)).map((parts) => parts.join('')),
  fc.double({ min: -1e18, max: 1e18, noNaN: true }).map(String),
);

const floats = (to: 'float32' | 'float64') =>
  fc.array(anyNumeral, { minLength: 1, maxLength: 5 }).map((texts) => [to, texts] as const);

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
        y: flour.input('x', { kind: 'vector', dtype: 'string', size: 3 }).parseNumber(),
      }),
      rows: [{ x: ['1', 'a', '-2'] }, { x: ['', '1e2', '3'] }],
      expected: [{ y: [1, nan, -2] }, { y: [nan, 100, 3] }],
      engine: 'native',
    },
    {
      name: 'integers that a kernel reads',
      build: (flour) => ({
        y: flour
          .columns({ text: 'string' })
          .select('text')
          .parseNumber({ to: 'int64' })
          .indexOf(BigInt64Array.of(7n, 2n ** 62n)),
      }),
      rows: [{ text: '4611686018427387904' }, { text: '4611686018427387903' }, { text: '7' }],
      expected: [{ y: 1 }, { y: 2 }, { y: 0 }],
      engine: 'native',
    },
    parsed(
      'white space is what JavaScript trims',
      ['\ufeff1\u00a0', '\u2028\u30002\t', '\u00853', '\x1c4', ' \u3000 '],
      [1, 2, nan, nan, nan],
    ),
    parsed(
      'beyond the range',
      [
        `0.${'0'.repeat(400)}1e+401`,
        `1${'0'.repeat(400)}e-400`,
        '1e99999999999999999999',
        '-1e-99999999999999999999',
        '0e999999999',
      ],
      [1, 1, inf, -0, 0],
      { to: 'float64' },
    ),
    parsed('many digits', ['1'.repeat(10_000), `0.${'0'.repeat(10_000)}1`], [inf, 0]),
  ],
  random: fc
    .oneof(
      floats('float32'),
      floats('float64'),
      fc.array(anyInteger, { minLength: 1, maxLength: 5 }).map((texts) => ['int64', texts] as const),
    )
    .map(([to, texts]) => parsed(`parse ${to} ${shown(texts)}`, texts, undefined, { to })),
};
