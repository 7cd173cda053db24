import type { NumericDType } from '@brezel/core';
import type { Flow } from '@brezel/flour';
import fc from 'fast-check';
import { anyFloat, denseCase, listOf, type OperatorCases, shown } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const numeric: readonly NumericDType[] = ['float32', 'float64', 'int64', 'int32', 'bool'];
const element: Readonly<Record<NumericDType, fc.Arbitrary<number>>> = {
  float32: fc.oneof(anyFloat, fc.constantFrom(2147483648, -2147483904, 9.223372e18, -9.223372e18, 1e30)),
  float64: fc.oneof(fc.double(), anyFloat, fc.constantFrom(2147483647.5, -2147483648.5, 0.1)),
  int64: fc.maxSafeInteger(),
  int32: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  bool: fc.nat(1),
};

export const cases: OperatorCases = {
  operators: ['cast'],
  named: [
    denseCase(
      'float to int32 truncates and saturates',
      [
        [1.9, -1.9, 2147483648, -2147483904, nan],
        [inf, -inf, -0, 0.99, -0.99],
      ],
      (x) => x.cast('int32'),
      [
        [1, -1, 2147483647, -2147483648, -2147483648],
        [2147483647, -2147483648, 0, 0, 0],
      ],
      { engine: 'native' },
    ),
    denseCase(
      'float to int64 truncates',
      [[1.9, -1.9, 2 ** 40, nan, -0]],
      (x) => x.cast('int64'),
      [[1, -1, 2 ** 40, -(2 ** 63), 0]],
      { engine: 'native' },
    ),
    denseCase('float to int64 saturates', [[inf, -inf, 1e30]], (x) => x.cast('int64').cast('float32'), [
      [2 ** 63, -(2 ** 63), 2 ** 63],
    ]),
    denseCase('anything but zero is true', [[0, -0, nan, 1e-45, inf]], (x) => x.cast('bool'), [
      [false, false, true, true, true],
    ]),
    denseCase('through bool and back', [[0, -0, nan, 0.5]], (x) => x.cast('bool').cast('float32'), [[0, 0, 1, 1]]),
    denseCase('to the same type', [[nan, -0]], (x) => x.cast('float32'), [[nan, -0]]),
    {
      name: 'int64 to int32 keeps the low bits',
      build: (flour) => ({ y: flour.columns({ i: 'int64' }).select('i').cast('int32') }),
      rows: [{ i: 2 ** 31 }, { i: -(2 ** 31) - 1 }, { i: 2 ** 32 + 5 }, { i: -1 }],
      expected: [{ y: -(2 ** 31) }, { y: 2 ** 31 - 1 }, { y: 5 }, { y: -1 }],
      engine: 'native',
    },
    {
      name: 'int64 to float32 rounds to nearest',
      build: (flour) => ({ y: flour.columns({ i: 'int64' }).select('i').cast('float32') }),
      rows: [{ i: 16777217 }, { i: 16777219 }, { i: -9007199254740991 }],
      expected: [{ y: 16777216 }, { y: 16777220 }, { y: -9007199254740992 }],
    },
  ],
  random: fc
    .tuple(
      fc.constantFrom(...numeric),
      fc.constantFrom(...numeric),
      fc.constantFrom(...numeric),
      fc.integer({ min: 1, max: 18 }),
    )
    .chain(([from, via, to, size]) =>
      fc.array(listOf(element[from], size), { minLength: 1, maxLength: 4 }).map((rows) => ({
        name: `cast ${from} to ${via} to ${to}: ${shown(rows)}`,
        build: (flour) => ({
          y: (flour.input('x', { kind: 'vector', dtype: from, size }) as Flow<'vector'>).cast(via).cast(to),
        }),
        rows: rows.map((x) => ({ x })),
      })),
    ),
};
