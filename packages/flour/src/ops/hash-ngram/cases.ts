import type { Flow, HashCharNgramOptions, HashNgramOptions, TokenizeOptions } from '@brezel/flour';
import fc from 'fast-check';
import { noisyText, type OperatorCase, type OperatorCases, scriptTexts, shown } from '../../case.js';

type Hashing = (text: Flow<'text'>) => Flow<'vector'>;

const hashed = (
  name: string,
  texts: readonly string[],
  hashing: Hashing,
  expected?: readonly (readonly number[])[],
  more: Partial<OperatorCase> = { engine: 'native' },
): OperatorCase => ({
  name,
  build: (flour) => ({ y: hashing(flour.columns({ text: 'string' }).select('text')) }),
  rows: texts.map((text) => ({ text })),
  ...(expected && { expected: expected.map((y) => ({ y })) }),
  ...more,
});

const words =
  (options: HashNgramOptions, tokenize: TokenizeOptions = { by: 'words' }): Hashing =>
  (text) =>
    text.tokenize(tokenize).hashNgram(options);

/** Returns a dense answer with `size` columns. `entries` lists the nonzero columns. */
const row = (size: number, entries: Readonly<Record<number, number>>) =>
  Array.from({ length: size }, (_, column) => entries[column] ?? 0);

const words5 = ['good', 'film', 'über', 'x'.repeat(40), '日本'];

export const cases: OperatorCases = {
  operators: ['hash-ngram'],
  named: [
    // murmur3: hello 0x248bfa47 (with seed 42: 0xe2dbd2e1), world 0xfb963cfb, hello world
    // 0x5e928f0f. Hashes from 0x80000000 on are negative.
    hashed(
      'words, by the magnitude and sign of the hash',
      ['hello', 'world', 'hello world hello', ''],
      words({ columns: 100 }),
      [
        row(100, { [0x248bfa47 % 100]: 1 }),
        row(100, { [(2 ** 32 - 0xfb963cfb) % 100]: -1 }),
        row(100, { [0x248bfa47 % 100]: 2, [(2 ** 32 - 0xfb963cfb) % 100]: -1 }),
        row(100, {}),
      ],
    ),
    hashed('pairs, joined by a space', ['hello,world'], words({ columns: 64, minN: 2 }), [
      row(64, { [0x5e928f0f % 64]: 1 }),
    ]),
    hashed('unsigned', ['world'], words({ hashBits: 8 }), [row(256, { [0xfb963cfb & 255]: 1 })]),
    hashed('unsigned, not a power of two', ['world'], words({ columns: 100, signed: false }), [
      row(100, { [0xfb963cfb % 100]: 1 }),
    ]),
    hashed('one column: all cancel or add', ['hello world', 'world'], words({ columns: 1 }), [[0], [-1]]),
    hashed('binary, also where counts cancel', ['hello world', ''], words({ columns: 1, binary: true }), [[1], [0]]),
    hashed('no alternating sign', ['hello world'], words({ columns: 1, alternateSign: false }), [[2]]),
    hashed('a seed', ['hello'], words({ columns: 256, seed: 42 }), [row(256, { [(2 ** 32 - 0xe2dbd2e1) % 256]: -1 })]),
    hashed('the whole text', ['hello world', ''], words({ columns: 64 }, { by: { pattern: '.+' } }), [
      row(64, { [0x5e928f0f & 63]: 1 }),
      row(64, {}),
    ]),
    hashed('a seed below 0 is the same as above 2^31', ['hello world'], (text) =>
      text
        .tokenize()
        .hashNgram({ columns: 64, seed: -1, alternateSign: false })
        .concat(text.tokenize().hashNgram({ columns: 64, seed: 2 ** 32 - 1, alternateSign: false })),
    ),
    hashed('2^20 columns', ['hello world'], (text) =>
      text
        .tokenize()
        .hashNgram()
        .linear({ weights: new Float32Array(2 ** 20).fill(0.5) }),
    ),
    hashed('characters', ['héllo 😀', 'a', '', '\0\0'], (text) => text.hashCharNgram({ columns: 97, maxN: 4 })),
    hashed('characters of words', ['good film', 'a', ''], (text) =>
      text.tokenize({ by: 'words' }).hashCharNgram({ columns: 97, minN: 2, maxN: 3 }),
    ),
    hashed('padded', ['a bc\tdef  ghij', ' a', '', 'é\u00a0日本'], (text) =>
      text.hashCharNgram({ columns: 97, minN: 4, maxN: 6, padded: true }),
    ),
    hashed('padded, longer than all words', ['a bc def'], (text) =>
      text.hashCharNgram({ columns: 97, minN: 60, maxN: 64, padded: true }),
    ),
    hashed('tokens that are characters', ['abc'], words({ columns: 31, maxN: 2 }, { by: 'characters' }), undefined, {
      engine: 'javascript',
    }),
  ],
  random: fc
    .record({
      texts: fc.array(fc.oneof(noisyText(words5), scriptTexts), { minLength: 1, maxLength: 5 }),
      of: fc.constantFrom('words', 'characters', 'characters of words', 'padded', 'whole text'),
      columns: fc.oneof(fc.constantFrom(1, 2, 16, 1024), fc.integer({ min: 1, max: 600 })),
      seed: fc.oneof(fc.constant(0), fc.integer({ min: -(2 ** 31), max: 2 ** 32 - 1 })),
      minN: fc.integer({ min: 1, max: 6 }),
      more: fc.nat(3),
      signed: fc.boolean(),
      alternateSign: fc.boolean(),
      binary: fc.boolean(),
    })
    .map(({ texts, of, more, ...rest }) => {
      const options: HashCharNgramOptions = { ...rest, maxN: rest.minN + more };
      const uses: Readonly<Record<string, Hashing>> = {
        words: words(options),
        characters: (text) => text.hashCharNgram(options),
        'characters of words': (text) => text.tokenize({ by: { pattern: '[a-zü]+' } }).hashCharNgram(options),
        padded: (text) => text.hashCharNgram({ ...options, padded: true }),
        'whole text': words({ ...options, minN: 1, maxN: 1 }, { by: { pattern: '.+' } }),
      };
      return hashed(`hash ${shown({ of, options, texts })}`, texts, uses[of]!);
    }),
};
