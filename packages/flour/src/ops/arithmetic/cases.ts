import type { Flow } from '@brezel/flour';
import fc from 'fast-check';
import {
  anyFloat,
  anySize,
  denseCase,
  listOf,
  type OperatorCase,
  type OperatorCases,
  rowsOf,
  shown,
} from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const operations = ['add', 'subtract', 'multiply', 'divide', 'maximum', 'minimum'] as const;
const operation = fc.constantFrom(...operations);

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
  random: fc.oneof(twoInputs, constantOperand),
};
