import fc from 'fast-check';
import {
  anyElement,
  type CaseRow,
  type NumericType,
  numericTypes,
  type OperatorCases,
  rowsOf,
  shown,
  typedCase,
} from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

/**
 * Random numbers that are hard to format. For float32: powers of two and their neighbors, where the
 * spacing of floats changes. For float64: numbers that end in .5. Those below 1e8 are half-way
 * between two numbers of eight digits.
 */
const atEdges = (dtype: NumericType): fc.Arbitrary<number> => {
  if (dtype === 'float32')
    return fc
      .tuple(fc.integer({ min: -149, max: 127 }), fc.constantFrom(1, 1 - 2 ** -24, 1 + 2 ** -23))
      .map(([power, by]) => Math.fround(2 ** power * by));
  return dtype === 'float64' ? fc.integer({ min: 1e7, max: 2 ** 33 }).map((value) => value + 0.5) : anyElement[dtype];
};

export const cases: OperatorCases = {
  operators: ['format-number'],
  named: [
    typedCase(
      'float32: the fewest digits',
      'float32',
      [
        [0.1, 1 / 3, 1e10, 123456789, 1e-5],
        [1e-4, -0, 0, nan, inf],
        [-inf, 16777216, 3.4e38, 1e-45, 1234567.25],
        [100, 1e8, 99999999, 12345.678, -1e20],
      ],
      (x) => x.formatNumber(),
      [
        ['0.1', '0.33333334', '1e+10', '1.2345679e+08', '1e-05'],
        ['0.0001', '-0', '0', 'NaN', 'INF'],
        ['-INF', '16777216', '3.4e+38', '1e-45', '1234567.2'],
        ['100', '1e+08', '1e+08', '12345.678', '-1e+20'],
      ],
    ),
    // 33554432 needs all its digits, because 33554430 is another float32. For 2^-96, the nearest
    // number with eight digits is 1.2621774e-29, which rounds to another float32. The second
    // nearest number rounds to 2^-96.
    typedCase(
      'float32: no digit too few',
      'float32',
      [[33554432, 0.30000001, 16777218, 8.589973e9, 2 ** -96, 1.17549435e-38]],
      (x) => x.formatNumber(),
      [['33554432', '0.3', '16777218', '8.589974e+09', '1.2621775e-29', '1.1754944e-38']],
    ),
    typedCase(
      'float64 has no more of them',
      'float64',
      [
        [0.1, 1 / 3, 1e17, 1e300],
        [5e-324, 123456789.123, 99999999.5, -0.00012345678949],
      ],
      (x) => x.formatNumber(),
      [
        ['0.1', '0.33333333', '1e+17', '1e+300'],
        ['4.9406565e-324', '1.2345679e+08', '1e+08', '-0.00012345679'],
      ],
    ),
    typedCase(
      'half-way goes to the even digit',
      'float64',
      [[12345678.5, 12345679.5, 1234567.75]],
      (x) => x.formatNumber(),
      [['12345678', '12345680', '1234567.8']],
    ),
    typedCase('integers', 'int64', [[0, -5, 2 ** 53 - 1]], (x) => x.formatNumber(), [['0', '-5', '9007199254740991']]),
    typedCase('bools', 'bool', [[1, 0]], (x) => x.formatNumber(), [['1', '0']]),
    {
      name: 'texts that a kernel reads',
      build: (flour) => ({
        y: flour.columns({ i: 'float32' }).select('i').formatNumber().indexOf(['0.5', '-INF', '1e+08']),
      }),
      rows: [{ i: 0.5 }, { i: -inf }, { i: 1e8 }, { i: 1 }] as readonly CaseRow[],
      expected: [{ y: 0 }, { y: 1 }, { y: 2 }, { y: 3 }],
      engine: 'native',
    },
    {
      name: 'and back again',
      build: (flour) => ({ y: flour.columns({ i: 'int32' }).select('i').formatNumber().parseNumber({ to: 'int64' }) }),
      rows: [{ i: -7 }, { i: 2 ** 31 - 1 }] as readonly CaseRow[],
      expected: [{ y: -7 }, { y: 2 ** 31 - 1 }],
    },
  ],
  random: fc.tuple(fc.constantFrom(...numericTypes), fc.integer({ min: 1, max: 5 })).chain(([dtype, size]) =>
    rowsOf(fc.oneof(anyElement[dtype], atEdges(dtype)), size).map((rows) =>
      typedCase(`format ${dtype} ${shown(rows)}`, dtype, rows, (x) => x.formatNumber(), undefined, {
        engine: 'mixed',
      }),
    ),
  ),
};
