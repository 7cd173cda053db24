import type { Flow } from '@brezel/flour';
import fc from 'fast-check';
import {
  anyElement,
  anyFloat,
  anySize,
  denseCase,
  listOf,
  type OperatorCase,
  type OperatorCases,
  rowsOf,
  shown,
  typedCase,
} from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const operations = [
  'add',
  'subtract',
  'multiply',
  'divide',
  'maximum',
  'minimum',
  'power',
  'modulo',
  'remainder',
] as const;
const dividing: readonly string[] = ['divide', 'modulo', 'remainder', 'unsignedDivide', 'unsignedRemainder'];
const operation = fc.constantFrom(...operations);
const unsigned = ['unsignedDivide', 'unsignedRemainder'] as const;

/**
 * Random cases for every element type. The second operand is another input or a constant. Integer
 * divisors are never 0.
 */
const typed: fc.Arbitrary<OperatorCase> = fc
  .tuple(
    anySize,
    fc.oneof(
      fc.tuple(operation, fc.constantFrom('float64' as const, 'int64' as const, 'int32' as const)),
      fc.tuple(fc.constantFrom(...unsigned), fc.constantFrom('int64' as const, 'int32' as const)),
    ),
    fc.constantFrom('left' as const, 'right' as const, 'none' as const),
    fc.boolean(),
  )
  .chain(([size, [name, dtype], side, narrow]) => {
    const isWhole = dtype !== 'float64' && dividing.includes(name);
    const element = isWhole ? anyElement[dtype].filter((value) => value !== 0) : anyElement[dtype];
    return fc.tuple(rowsOf(element, size), listOf(element, narrow ? 1 : size)).map(([rows, operand]) =>
      typedCase(`${dtype} ${name} ${side} ${shown(operand)}`, dtype, rows, (x) => {
        const other = x.selectColumns(narrow ? [0] : operand.map((_, column) => size - 1 - column));
        const result = side === 'none' ? x.arithmetic(name, other) : x.arithmetic(name, operand, side);
        // Answers beyond 2^53 are rounded.
        return dtype === 'int64' ? result.cast('float64') : result;
      }),
    );
  });

const twoInputs: fc.Arbitrary<OperatorCase> = fc
  .tuple(anySize, operation, fc.boolean(), fc.boolean())
  .chain(([size, name, narrowLeft, narrowRight]) => {
    const [left, right] = [narrowLeft ? 1 : size, narrowRight ? 1 : size];
    return fc
      .array(fc.tuple(listOf(anyFloat, left), listOf(anyFloat, right)), { minLength: 1, maxLength: 4 })
      .map((rows) => ({
        name: `${name} of two inputs, ${left} and ${right}`,
        build: (flour) => {
          const a = flour.input('a', { kind: 'vector', dtype: 'float32', size: left }) as Flow<'vector'>;
          const b = flour.input('b', { kind: 'vector', dtype: 'float32', size: right }) as Flow<'vector'>;
          return { y: a.arithmetic(name, b) };
        },
        rows: rows.map(([a, b]) => ({ a, b })),
      }));
  });

const constantOperand: fc.Arbitrary<OperatorCase> = fc
  .tuple(anySize, operation, fc.constantFrom('left' as const, 'right' as const), fc.boolean())
  .chain(([size, name, side, narrow]) =>
    fc
      .tuple(rowsOf(anyFloat, size), listOf(anyFloat, narrow ? 1 : size))
      .map(([rows, operand]) =>
        denseCase(`${name} ${side} ${shown(operand)}`, rows, (x) => x.arithmetic(name, operand, side)),
      ),
  );

export const cases: OperatorCases = {
  operators: ['arithmetic'],
  named: [
    denseCase('division by zero', [[1, 0, -1, -0]], (x) => x.arithmetic('divide', 0), [[inf, nan, -inf, nan]], {
      engine: 'native',
    }),
    denseCase('maximum', [[1, nan, -0, -inf]], (x) => x.arithmetic('maximum', 0), [[1, nan, -0, 0]]),
    denseCase('minimum with what is no number', [[1, nan, inf]], (x) => x.arithmetic('minimum', [nan, 0, 5]), [
      [nan, nan, 5],
    ]),
    denseCase('a constant before the value', [[1, 2, 4]], (x) => x.arithmetic('divide', 8, 'left'), [[8, 4, 2]]),
    denseCase(
      'one constant a column',
      [
        [1, 2],
        [3, 4],
      ],
      (x) => x.arithmetic('subtract', [10, 20]),
      [
        [-9, -18],
        [-7, -16],
      ],
    ),
    typedCase('float64', 'float64', [[0.1, 1e300]], (x) => x.arithmetic('multiply', [3, 10]), [[0.1 * 3, 1e301]], {
      engine: 'native',
    }),
    typedCase('integers are divided towards 0', 'int64', [[7, -7, 2 ** 53 - 1]], (x) => x.arithmetic('divide', 2), [[3, -3, 2 ** 52 - 1]], { engine: 'mixed' }), // biome-ignore format: one row
    typedCase(
      'int32 wraps around',
      'int32',
      [[2 ** 31 - 1, -(2 ** 31)]],
      (x) => x.arithmetic('add', [1, 0]).arithmetic('divide', -1),
      [[-(2 ** 31), -(2 ** 31)]],
      { engine: 'native' },
    ),
    typedCase('a product beyond 64 bits', 'int64', [[2 ** 40]], (x) => x.arithmetic('multiply', x), [[0]]),
    typedCase('the greater integer', 'int64', [[2 ** 53 - 1, -5]], (x) => x.arithmetic('maximum', [2 ** 53 - 2, -6]), [[2 ** 53 - 1, -5]]), // biome-ignore format: one row
    denseCase('power', [[2, -2, 0, 4, nan, 1]], (x) => x.arithmetic('power', [10, 3, 0, -0.5, 0, nan]), [
      [1024, -8, 1, 0.5, 1, 1],
    ]),
    denseCase('power of a constant', [[0, 1, -2, inf]], (x) => x.arithmetic('power', 2, 'left'), [[1, 2, 0.25, inf]], {
      engine: 'native',
    }),
    denseCase(
      'powers that are no number, or beyond',
      [[-8, -1, -0, 1e30, -inf]],
      (x) => x.arithmetic('power', [1 / 3, inf, -3, 2, 0.5]),
      [[nan, 1, -inf, inf, inf]],
    ),
    typedCase(
      'integers to negative powers',
      'int32',
      [[0, 1, -1, -1, 5]],
      (x) => x.arithmetic('power', [-1, -7, -2, -3, -1]),
      [[2 ** 31 - 1, 1, 1, -1, 0]],
      { engine: 'native' },
    ),
    denseCase('modulo', [[5, -5, 5, -5, -0, inf]], (x) => x.arithmetic('modulo', [3, 3, -3, -3, 3, 2]), [
      [2, 1, -1, -2, 0, nan],
    ]),
    denseCase('remainder', [[5, -5, 5.5, -0]], (x) => x.arithmetic('remainder', [3, 3, -3, 3]), [[2, -2, 2.5, -0]]),
    typedCase('modulo of integers', 'int32', [[7, -7, 7, -(2 ** 31)]], (x) => x.arithmetic('modulo', [3, 3, -3, -1]), [
      [1, 2, -2, 0],
    ]),
    typedCase('quotients without a sign', 'int32', [[-1, 7, 5]], (x) => x.arithmetic('unsignedDivide', [3, -7, 5]), [[(2 ** 32 - 1) / 3, 0, 1]], { engine: 'native' }), // biome-ignore format: one row
    typedCase('remainders without a sign', 'int64', [[-1, 7]], (x) => x.arithmetic('unsignedRemainder', [10, -7]), [[5, 7]]), // biome-ignore format: one row
    denseCase('negative zeros', [[-0, 0]], (x) => x.arithmetic('add', -0), [[-0, 0]]),
    denseCase('one value and many constants', [[2]], (x) => x.arithmetic('multiply', [1, 2, 3]), [[2, 4, 6]]),
    denseCase('a vector with itself', [[3, inf]], (x) => x.arithmetic('subtract', x), [[0, nan]]),
    denseCase('float32 rounding', [[16777216]], (x) => x.arithmetic('add', 1), [[16777216]]),
    {
      name: 'scalars',
      build: (flour) => {
        const columns = flour.columns({ a: 'float32', b: 'float32' });
        return { y: columns.select('a').arithmetic('add', columns.select('b')).arithmetic('multiply', 2) };
      },
      rows: [
        { a: 1, b: 2 },
        { a: -0, b: -0 },
      ],
      expected: [{ y: 6 }, { y: -0 }],
    },
  ],
  random: fc.oneof(twoInputs, constantOperand, typed),
};
