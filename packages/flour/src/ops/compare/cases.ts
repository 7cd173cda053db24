import type { Flow } from '@brezel/flour';
import fc from 'fast-check';
import {
  anyElement,
  anySize,
  denseCase,
  listOf,
  noisyText,
  numericTypes,
  type OperatorCase,
  type OperatorCases,
  rowsOf,
  shown,
  typedCase,
} from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const comparisons = ['greater', 'less', 'equal', 'greaterOrEqual', 'lessOrEqual'] as const;

const numbers: fc.Arbitrary<OperatorCase> = fc
  .tuple(
    anySize,
    fc.constantFrom(...comparisons),
    fc.constantFrom('left' as const, 'right' as const),
    fc.boolean(),
    fc.constantFrom(...numericTypes),
  )
  .chain(([size, name, side, narrow, dtype]) =>
    fc
      .tuple(rowsOf(anyElement[dtype], size), listOf(anyElement[dtype], narrow ? 1 : size))
      .map(([rows, operand]) =>
        typedCase(`${dtype} ${name} ${side} ${shown(operand)}`, dtype, rows, (x) => x.compare(name, operand, side)),
      ),
  );

/** Creates cases that compare the texts of two columns, or each text with one constant text. */
const ofTexts = (
  rows: readonly (readonly [a: string, b: string])[],
  expected?: readonly boolean[][],
): OperatorCase => ({
  name: 'texts',
  build: (flour) => {
    const columns = flour.columns({ a: 'string', b: 'string' });
    const [a, b] = (['a', 'b'] as const).map((name) => columns.select(name).asVector() as unknown as Flow<'vector'>);
    return { y: a!.concat(b!).compare('equal', b!.concat(b!)), one: a!.concat(b!).compare('equal', a!) };
  },
  rows: rows.map(([a, b]) => ({ a, b })),
  ...(expected && { expected: expected.map(([first, second]) => ({ y: [first, true], one: [true, second] })) }),
  engine: 'native',
});

export const cases: OperatorCases = {
  operators: ['compare'],
  named: [
    denseCase('greater', [[1, 2, 3]], (x) => x.compare('greater', 2), [[false, false, true]], { engine: 'native' }),
    denseCase('NaN compares false', [[nan, 1]], (x) => x.compare('lessOrEqual', [1, nan]), [[false, false]]),
    denseCase('NaN does not equal itself', [[nan, inf]], (x) => x.compare('equal', x), [[false, true]]),
    denseCase('zeros are equal', [[0, -0]], (x) => x.compare('equal', [-0, 0]), [[true, true]]),
    typedCase('float64', 'float64', [[0.1, Math.fround(0.1)]], (x) => x.compare('equal', 0.1), [[true, false]], {
      engine: 'native',
    }),
    typedCase('integers', 'int64', [[2 ** 53 - 1, 3]], (x) => x.compare('less', 2 ** 53 - 1), [[false, true]], {
      engine: 'native',
    }),
    typedCase('what does not hold', 'bool', [[0, 1]], (x) => x.compare('equal', 0), [[true, false]], {
      engine: 'native',
    }),
    denseCase('a constant on the left', [[1, 3]], (x) => x.compare('less', 2, 'left'), [[false, true]]),
    denseCase('one value and many constants', [[2]], (x) => x.compare('greaterOrEqual', [1, 2, 3]), [
      [true, true, false],
    ]),
    ofTexts(
      [
        ['a', 'a'],
        ['', '\0'],
        ['é😀', 'é😀'],
        ['abcdefgh', 'abcdefgi'],
      ],
      [
        [true, true],
        [false, false],
        [true, true],
        [false, false],
      ],
    ),
  ],
  random: fc.oneof(
    fc.array(fc.tuple(noisyText(['a']), noisyText(['a'])), { minLength: 1, maxLength: 5 }).map((rows) => ofTexts(rows)),
    numbers,
  ),
};
