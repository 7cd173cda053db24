import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seed } from '../test/seed.js';
import { anyCodePoint, complement, hasCodePoint, parseClassPattern, perlClasses } from './index.js';

/** RE2 patterns, each with the JavaScript class (flags `su`) of the same code points. */
const classes: readonly [re2: string, js: string][] = [
  ['[a-zA-Z0-9_]', '[a-zA-Z0-9_]'],
  ['[a-zA-Z]', '[a-zA-Z]'],
  ['\\w', '[a-zA-Z0-9_]'],
  ['\\W', '[^a-zA-Z0-9_]'],
  ['\\d', '[0-9]'],
  ['\\D', '[^0-9]'],
  ['\\s', '[\\t\\n\\f\\r ]'],
  ['\\S', '[^\\t\\n\\f\\r ]'],
  ['[^\\s,]', '[^\\t\\n\\f\\r ,]'],
  ['[\\w.-]', '[\\w.\\-]'],
  ['[\\W_]', '[\\W_]'],
  ['[]a]', '[\\]a]'],
  ['[^]a]', '[^\\]a]'],
  ['[-a-c]', '[\\-a-c]'],
  ['[a-c-]', '[a-c\\-]'],
  ['[+--]', '[+,\\-]'],
  ['[[:alpha:]é]', '[a-zA-Zé]'],
  ['[^[:^digit:]]', '[0-9]'],
  ['[[:punct:]]', '[!-\\/:-@\\[-`{-~]'],
  ['[[.]', '[\\[.]'],
  ['[.]', '[.]'],
  ['[\\x41-\\x{e9}]', '[A-\\u{e9}]'],
  ['[à-üÀ-Ü]', '[à-üÀ-Ü]'],
  ['[😀-😎]', '[\\u{1f600}-\\u{1f60e}]'],
  ['.', '[\\s\\S]'],
  ['é', 'é'],
  ['\\.', '\\.'],
  ['\\\\', '\\\\'],
  ['\\n', '\\n'],
  ['\\_', '_'],
  ['\\x{1F600}', '\\u{1F600}'],
];

const sample = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...'aAzZ09_ \t\n\f\r\v,.-+*!()[]\\/`~éÉüß中文😀😎\0'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
});

/** Returns the matches according to the parsed pattern. */
function tokens(pattern: string, text: string): string[] {
  const parsed = parseClassPattern(pattern)!;
  const found: string[] = [];
  let run: string[] = [];
  const close = () => {
    if (parsed.max === 1) found.push(...run);
    else if (run.length >= parsed.min) found.push(run.join(''));
    run = [];
  };
  for (const character of text) {
    if (hasCodePoint(parsed.class, character.codePointAt(0)!)) run.push(character);
    else close();
  }
  close();
  return found;
}

test.each(classes)('%s is the class %s', (re2, js) => {
  const repeats: readonly [string, string][] = [
    [re2, js],
    [`${re2}+`, `${js}+`],
    [`${re2}{3,}`, `${js}{3,}`],
    [`${re2}${re2}+`, `${js}{2,}`],
    [`${re2}+${re2}`, `${js}+${js}`],
    [`${re2}?${re2}{2,4}${re2}*`, `${js}?${js}{2,4}${js}*`],
  ];
  fc.assert(
    fc.property(sample, (text) => {
      for (const [pattern, same] of repeats) {
        expect(tokens(pattern, text)).toEqual(text.match(new RegExp(same, 'gsu')) ?? []);
      }
    }),
    { seed, numRuns: 60 },
  );
});

test.each(['\\b\\w\\w+\\b', '\\b\\w+', '\\w{2,}\\b', '\\b[a-zA-Z0-9_]+\\b'])(
  '%s are runs of word characters',
  (re2) => {
    expect(parseClassPattern(re2)?.class).toEqual(perlClasses.w);
    fc.assert(
      fc.property(sample, (text) => {
        expect(tokens(re2, text)).toEqual(text.match(new RegExp(re2, 'gs')) ?? []);
      }),
      { seed },
    );
  },
);

test('reads the patterns of scikit-learn and exporters', () => {
  expect(parseClassPattern('\\b\\w\\w+\\b')).toMatchObject({ min: 2 });
  expect(parseClassPattern('\\w{2,}')).toMatchObject({ min: 2 });
  expect(parseClassPattern('.')).toEqual({ class: anyCodePoint, min: 1, max: 1 });
  expect(parseClassPattern('\\?')).toEqual({ class: [63, 63], min: 1, max: 1 });
});

test.each([
  ...[
    '',
    '+',
    '\\b',
    '^a',
    'a$',
    'a|b',
    '(a+)',
    'ab',
    'a*',
    'a?',
    'a+?',
    'a++',
    'aa',
    'a{2}',
    'a{2,3}',
    '\\b\\w',
    '\\b\\w\\b',
    '\\b[a-z]+\\b',
  ],
  ...[
    '\\w\\b\\w+',
    '[a',
    '[]',
    '[z-a]',
    '[a-\\d]',
    '[[:nope:]]',
    '\\q',
    '\\pL',
    '\\p{L}+',
    '\\Qa\\E',
    '\\1',
    '\\x4',
    '\\x{110000}',
    '\\',
    'a{',
    'a{1',
    'a{2,1}',
    'a{1001,}',
  ],
])('%s is another form', (pattern) => {
  expect(parseClassPattern(pattern)).toBeUndefined();
});

test('the complement of a complement is the class', () => {
  for (const set of Object.values(perlClasses)) expect(complement(complement(set))).toEqual(set);
  expect(complement(anyCodePoint)).toEqual([]);
});
