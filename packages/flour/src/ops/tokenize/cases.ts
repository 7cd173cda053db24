import type { TokenizeOptions } from '@brezel/flour';
import fc from 'fast-check';
import { noisyText, type OperatorCase, type OperatorCases, shown } from '../../case.js';

const asTokens = (
  name: string,
  options: TokenizeOptions,
  texts: readonly string[],
  expected: readonly (readonly string[])[],
): OperatorCase => ({
  name,
  build: (flour) => ({ y: flour.columns({ text: 'string' }).select('text').tokenize(options) }),
  rows: texts.map((text) => ({ text })),
  expected: expected.map((y) => ({ y })),
  engine: 'javascript',
});

const words = ['a', 'ab', 'b', 'good', 'été', '日本', '😀', '_x9', '0', 'it', 's', '-', ' ', ',', 'x\0y', 'A'];
const vocabulary = [...words.map((word) => [word]), ['a', 'b'], ['a', 'a'], ['ab', 'a', 'b'], [',', 'a'], ['', '']];

const counted = (
  name: string,
  options: TokenizeOptions,
  texts: readonly string[],
  more: Partial<OperatorCase> = {},
): OperatorCase => ({
  name,
  build(flour) {
    const tokens = flour.columns({ text: 'string' }).select('text').tokenize(options);
    return {
      words: tokens.wordNgram({ vocabulary }),
      characters: tokens.charNgram({ vocabulary: [['a'], ['a', 'b'], ['é'], ['b', ' '], ['0']] }),
    };
  },
  rows: texts.map((text) => ({ text })),
  ...more,
});

const texts = [
  'a b ab',
  'été, 日本! 😀',
  '_x9 0',
  '',
  ' ',
  'a,b;a,b',
  'x\0y',
  "it's",
  '\ud800a',
  'a\ufeffb',
  'ﬀ a\u00a0b',
  'a'.repeat(100),
  'A a',
];
const patterns = [
  '[a-zA-Z0-9_]+',
  '\\w+',
  '\\b\\w\\w+\\b',
  '[^\\s,]+',
  '.',
  '[a-z]+',
  '[a-z]{2,}',
  '\\S+',
  '[^a-z]+',
  '[é日a]+',
  '[[:alpha:]]+',
  '[\\x{1F600}-\\x{1F64F}]+',
  '\\d+',
  'a+',
  'a|b',
  'ab?',
  '(?i)a+',
  '[a-z]+-?[a-z]*',
  '(good|goo)',
  '[a-z]',
  '\\w*',
  '.+',
  '[^\\n]+',
  '\\pL+',
  '(a)(b)',
  '^a',
  'b$',
];
const separators = [
  [' '],
  [' ', ','],
  ['\\s+'],
  ['[,;]'],
  ['[ ,;.]+'],
  ['\\W'],
  [', '],
  ['a'],
  ['\\s', '\\pP'],
  ['(,|;)'],
  ['😀', '日'],
  ['.'],
];

export const cases: OperatorCases = {
  operators: ['tokenize'],
  named: [
    asTokens('words by default', {}, ['a b-c_d9', '', 'é'], [['a', 'b', 'c_d9'], [], []]),
    asTokens('a pattern', { by: { pattern: '[a-z]+' } }, ['abC dE'], [['ab', 'd']]),
    asTokens('leftmost-longest', { by: { pattern: 'a|ab' } }, ['abab'], [['ab', 'ab']]),
    asTokens('separators', { by: { separators: [',', ' '] } }, ['a,b c', ',,', ''], [['a', 'b', 'c'], [], []]),
    asTokens(
      'empty tokens count when asked for',
      { by: { separators: [','] }, minLength: 0 },
      ['a,,b', ''],
      [['a', '', 'b'], ['']],
    ),
    asTokens(
      'characters',
      { by: 'characters' },
      ['aé😀', '', '👨‍👩‍👧'],
      [['a', 'é', '😀'], [], ['👨', '\u200d', '👩', '\u200d', '👧']],
    ),
    asTokens(
      'minLength in code points',
      { by: { separators: [' '] }, minLength: 2 },
      ['a ab 😀 😀😀'],
      [['ab', '😀😀']],
    ),
    asTokens(
      'words of any script',
      { by: 'words', minLength: 2 },
      ["été don't x_9 a 日本語 ٣٤ Ⅷ² हिन्दी", 'e\u0301e\u0301 a\u200bb 𝒳𝒴 😀😀', '__'],
      [['été', 'don', 'x_9', '日本語', '٣٤', 'Ⅷ²'], ['𝒳𝒴'], ['__']],
    ),
    asTokens('no empty match', { by: { pattern: 'a*' } }, ['baab'], [['aa']]),
    asTokens('a dot matches a newline', { by: { pattern: 'a.b' } }, ['a\nb'], [['a\nb']]),
    ...patterns.map((pattern) => counted(`pattern ${pattern}`, { by: { pattern } }, texts)),
    ...separators.map((list) => counted(`separators ${shown(list)}`, { by: { separators: list } }, texts)),
    counted('runs in the addon', { by: { pattern: '[^\\s,]+' } }, texts, { engine: 'native' }),
    counted('words of any script, in the addon', { by: 'words' }, texts, { engine: 'native' }),
    counted('minLength 3', { by: { pattern: '\\w+' }, minLength: 3 }, texts),
    counted('minLength 0', { by: { pattern: '\\w+' }, minLength: 0 }, texts),
  ],
  random: fc
    .record({
      by: fc.oneof(
        fc.constantFrom('characters' as const, 'words' as const),
        fc.constantFrom(...patterns).map((pattern) => ({ pattern })),
        fc.constantFrom(...separators).map((list) => ({ separators: list })),
      ),
      minLength: fc.constantFrom(0, 1, 1, 2, 3),
    })
    .chain((options) =>
      fc
        .array(noisyText(words), { minLength: 1, maxLength: 4 })
        .map((list) => counted(`tokenize ${shown(options)}`, options, list)),
    ),
};
