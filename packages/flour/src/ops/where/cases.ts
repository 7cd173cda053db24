import { choose, type Flow } from '@brezel/flour';
import fc from 'fast-check';
import {
  anyElement,
  anySize,
  denseCase,
  listOf,
  noisyText,
  type OperatorCase,
  type OperatorCases,
  rowsOf,
  typedCase,
} from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const forms = ['flow', 'number', 'numbers'] as const;
type Form = (typeof forms)[number];
const types = ['float32', 'float64', 'int64', 'int32', 'bool'] as const;

/**
 * Random cases for all element types. The condition compares each element of a row with the first
 * element.
 */
const random: fc.Arbitrary<OperatorCase> = fc
  .tuple(anySize, fc.constantFrom(...types), fc.constantFrom(...forms), fc.constantFrom(...forms))
  .chain(([size, dtype, yes, no]) =>
    fc
      .tuple(rowsOf(anyElement[dtype], size), listOf(anyElement[dtype], size), listOf(anyElement[dtype], size))
      .map(([rows, first, second]) =>
        typedCase(`${dtype} of ${size}, ${yes} or ${no}`, dtype, rows, (x) => {
          const reversed = x.selectColumns(first.map((_, column) => size - 1 - column));
          const choice = (form: Form, flow: Flow<'vector'>, values: number[]) =>
            form === 'flow' ? flow : form === 'number' ? values[0]! : values;
          return x.compare('equal', x.selectColumns([0])).where(choice(yes, x, first), choice(no, reversed, second));
        }),
      ),
  );

/**
 * Random cases with texts. The condition compares the texts of one input with a word. `where`
 * chooses between these texts and the texts of another input.
 */
const ofTexts: fc.Arbitrary<OperatorCase> = fc
  .record({
    rows: fc.array(fc.tuple(noisyText(['a']), noisyText(['a']), fc.boolean()), { minLength: 1, maxLength: 4 }),
    isWide: fc.boolean(),
  })
  .map(({ rows, isWide }) => ({
    name: 'texts',
    build: (flour) => {
      const columns = flour.columns({ a: 'string', b: 'string', c: 'bool' });
      const [a, b] = ['a', 'b'].map((name) => columns.select(name as 'a').asVector() as unknown as Flow<'vector'>);
      const condition = columns.select('c').asVector() as unknown as Flow<'vector'>;
      const other = isWide ? b!.concat(a!) : b!;
      const chosen = choose(condition, a!, other) as Flow<'vector'>;
      return { y: chosen, at: chosen.indexOf(['a', '']), picked: chosen.selectColumns(isWide ? [1, 0, 1] : [0, 0]) };
    },
    rows: rows.map(([a, b, c]) => ({ a, b, c })),
    engine: 'mixed',
  }));

export const cases: OperatorCases = {
  operators: ['where'],
  named: [
    denseCase(
      'negative ones become 0',
      [
        [1, -2, nan],
        [-inf, 0, 3],
      ],
      (x) => x.compare('greater', 0).where(x, 0),
      [
        [1, 0, 0],
        [0, 0, 3],
      ].map((row) => Float32Array.from(row)),
      { engine: 'native' },
    ),
    denseCase('two constants', [[1, -1]], (x) => x.compare('greater', 0).where([10, 20], -5), [[10, -5]]),
    denseCase('one condition for all columns', [[1, 2], [3, 2]], (x) => x.selectColumns([0]).compare('less', 2).where(x, [7, 8]), [[1, 2], [7, 8]]), // biome-ignore format: two rows
    typedCase(
      'integers beyond float32',
      'int64',
      [[2 ** 40 + 1, 3]],
      (x) => x.compare('greater', 4).where(x, [-1, 2 ** 45 + 1]),
      [[2 ** 40 + 1, 2 ** 45 + 1]],
      { engine: 'mixed' },
    ),
    typedCase('bools', 'bool', [[0, 1]], (x) => x.where([0, 0], x).cast('bool'), [[false, false]]),
    typedCase('float64', 'float64', [[0.1, -0.1]], (x) => x.compare('less', 0).where(x, 1e300), [[1e300, -0.1]]),
  ],
  random: fc.oneof(random, ofTexts),
};
