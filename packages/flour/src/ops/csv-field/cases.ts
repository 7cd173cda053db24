import type { CsvOptions, FlourContext } from '@brezel/flour';
import fc from 'fast-check';
import { type OperatorCase, type OperatorCases, shown } from '../../case.js';

const schema = { a: 'string', n: 'float32', b: 'string', c: 'string' } as const;

/**
 * Returns one output for each text field: the counts of its characters. The addon runs a program
 * with such outputs, but not a program that returns texts.
 */
function fields(flour: FlourContext, options: CsvOptions) {
  const columns = flour.csv(schema, options);
  const vocabulary = [...'abc,;"\n\r é😀\0'].map((character) => [character]);
  return Object.fromEntries(
    (['a', 'b', 'c'] as const).map((name) => [name, columns.select(name).charNgram({ vocabulary })]),
  );
}

const texts = (
  name: string,
  lines: readonly string[],
  expected: readonly (readonly [string, string, string])[],
  options: CsvOptions = {},
): OperatorCase => ({
  name,
  build(flour) {
    const columns = flour.csv(schema, options);
    return { a: columns.select('a'), b: columns.select('b'), c: columns.select('c') };
  },
  rows: lines.map((line) => ({ [options.name ?? 'line']: line })),
  expected: expected.map(([a, b, c]) => ({ a, b, c })),
});

const special = [',', ';', '\t', '"', "'", '\n', '\r', '\0', '|'] as const;

export const cases: OperatorCases = {
  operators: ['csv-field'],
  named: [
    texts(
      'plain fields',
      ['x,1,y,z', 'é,1,日本,😀'],
      [
        ['x', 'y', 'z'],
        ['é', '日本', '😀'],
      ],
    ),
    texts('quotes', ['"a,b",1,"say ""hi""","two\nlines"'], [['a,b', 'say "hi"', 'two\nlines']]),
    texts(
      'missing fields are empty',
      ['', 'a', 'a,1', ',,,', 'a,1,b'],
      [
        ['', '', ''],
        ['a', '', ''],
        ['a', '', ''],
        ['', '', ''],
        ['a', 'b', ''],
      ],
    ),
    texts('a quote inside a field is text', ['a"b,1,c"d"e,f'], [['a"b', 'c"d"e', 'f']]),
    texts('text after a closing quote', ['"a"b,1,"","x"y"z"'], [['ab', '', 'xy"z"']]),
    texts('a quote that never closes', ['"a,1,b,c'], [['a,1,b,c', '', '']]),
    texts(
      'a line end ends the row',
      ['a\nb,1,c,d', 'a,1,b\r\nc,d', '\r,1,2'],
      [
        ['a', '', ''],
        ['a', 'b', ''],
        ['', '', ''],
      ],
    ),
    texts('other characters', ["'a;b';1;'it''s';c"], [['a;b', "it's", 'c']], { separator: ';', quote: "'" }),
    texts('another name', ['x,1,y,z'], [['x', 'y', 'z']], { name: 'row' }),
    {
      name: 'in the addon',
      build: (flour) => fields(flour, {}),
      rows: [{ line: 'abc,1,"a,b",é😀' }, { line: '' }, { line: '"' }],
      engine: 'native',
    },
    {
      name: 'line ends, in the addon',
      build: (flour) => fields(flour, {}),
      rows: [{ line: 'a,1,b,c\r\n' }, { line: 'a\rb' }, { line: '"a\nb",1,"\r\n"' }],
      engine: 'native',
    },
  ],
  random: fc
    .record({
      separator: fc.oneof(fc.constant(','), fc.constantFrom(...special)),
      quote: fc.oneof(fc.constant('"'), fc.constantFrom(...special)),
      lines: fc.array(
        fc
          .array(fc.constantFrom(...'abc', ...special, '""', ',,', 'é', '😀', ' ', '\ud800'), { maxLength: 20 })
          .map((pieces) => pieces.join('')),
        { minLength: 1, maxLength: 5 },
      ),
    })
    .map(({ separator, quote, lines }) => ({
      name: `csv ${shown({ separator, quote, lines })}`,
      build: (flour) => ({ ...fields(flour, { separator, quote }) }),
      rows: lines.map((line) => ({ line })),
    })),
};
