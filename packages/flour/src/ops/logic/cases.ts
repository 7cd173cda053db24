import type { Flow } from '@brezel/flour';
import fc from 'fast-check';
import { anyElement, anySize, listOf, type OperatorCases, rowsOf, typedCase, typedInput } from '../../case.js';

const connectives = ['and', 'or', 'xor'] as const;
const pairs = [[0, 0, 1, 1]];

export const cases: OperatorCases = {
  operators: ['logic'],
  named: [
    typedCase('and', 'bool', pairs, (x) => x.logic('and', [0, 1, 0, 1]), [[false, false, false, true]], {
      engine: 'native',
    }),
    typedCase('or', 'bool', pairs, (x) => x.logic('or', [0, 1, 0, 1]), [[false, true, true, true]]),
    typedCase('exclusive or', 'bool', pairs, (x) => x.logic('xor', [0, 1, 0, 1]), [[false, true, true, false]]),
    typedCase('one constant for all', 'bool', pairs, (x) => x.logic('xor', [1]), [[true, true, false, false]]),
    {
      name: 'numbers in a range',
      build: (flour) => {
        const x = typedInput(flour, 'float64', 3);
        return { y: x.compare('greaterOrEqual', 0).logic('and', x.compare('less', 1)) };
      },
      rows: [{ x: [-0.5, 0, 1] }, { x: [Number.NaN, 0.5, 2] }],
      expected: [{ y: [false, true, false] }, { y: [false, true, false] }],
      engine: 'native',
    },
    {
      name: 'scalars',
      build: (flour) => {
        const columns = flour.columns({ a: 'float32', b: 'float32' });
        const isGreater = (name: 'a' | 'b') =>
          (columns.select(name) as unknown as Flow<'vector'>).compare('greater', 0) as unknown as Flow<'scalar'>;
        return { y: isGreater('a').logic('or', isGreater('b')) };
      },
      rows: [
        { a: 1, b: -1 },
        { a: -1, b: -1 },
      ],
      expected: [{ y: true }, { y: false }],
    },
  ],
  random: fc
    .tuple(anySize, fc.constantFrom(...connectives), fc.boolean(), fc.boolean())
    .chain(([size, name, narrow, isFlow]) =>
      fc.tuple(rowsOf(anyElement.bool, size), listOf(anyElement.bool, narrow ? 1 : size)).map(([rows, operand]) =>
        typedCase(`${name} ${isFlow ? 'itself reversed' : operand}`, 'bool', rows, (x) => {
          const reversed = Array.from({ length: size }, (_, column) => size - 1 - column);
          return isFlow ? x.logic(name, x.selectColumns(reversed)) : x.logic(name, operand);
        }),
      ),
    ),
};
