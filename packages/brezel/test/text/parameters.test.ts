import { createFlour } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';

const flour = await createFlour();
const text = flour.columns({ text: 'string' }).select('text');
const integer = flour.columns({ n: 'int64' }).select('n');
const words = text.tokenize({ by: 'words' });
afterAll(() => flour.dispose());

/** Passes values that TypeScript would reject. */
const anything = (value: unknown) => value as never;

describe('rejected, with a code and a hint', () => {
  test.each<[string, string, () => unknown]>([
    ['accents of another kind', 'ERR_FLOUR_PARAM', () => text.stripAccents(anything('all'))],
    ['another case', 'ERR_FLOUR_PARAM', () => text.normalizeText({ case: anything('title') })],
    ['no value to impute', 'ERR_FLOUR_PARAM', () => text.imputeText({ value: 'x'.repeat(65_537) })],
    ['half a character to impute', 'ERR_FLOUR_PARAM', () => text.imputeText({ value: '\ud800' })],
    ['half a character as missing', 'ERR_FLOUR_PARAM', () => text.imputeText({ value: '', missing: 'a\udc00' })],
    ['no keys', 'ERR_FLOUR_PARAM', () => text.keyMap([])],
    ['a key twice', 'ERR_FLOUR_PARAM', () => text.keyMap(['a', 'b', 'a'])],
    ['half a key', 'ERR_FLOUR_PARAM', () => text.keyMap(['\ud800'])],
    ['no stop words', 'ERR_FLOUR_PARAM', () => words.removeStopWords([])],
    ['another cut', 'ERR_FLOUR_PARAM', () => text.tokenize({ by: anything('lines') })],
    ['n of 0', 'ERR_FLOUR_PARAM', () => words.hashNgram({ minN: 0 })],
    ['n of 65', 'ERR_FLOUR_PARAM', () => words.hashNgram({ maxN: 65 })],
    ['n from 3 to 2', 'ERR_FLOUR_PARAM', () => words.hashNgram({ minN: 3, maxN: 2 })],
    ['a broken n', 'ERR_FLOUR_PARAM', () => words.hashNgram({ minN: 1.5, maxN: 2 })],
    ['a seed of 33 bits', 'ERR_FLOUR_PARAM', () => words.hashNgram({ seed: 2 ** 32 })],
    ['a broken seed', 'ERR_FLOUR_PARAM', () => words.hashNgram({ seed: 0.5 })],
    ['no seed', 'ERR_FLOUR_PARAM', () => words.hashNgram({ seed: Number.NaN })],
    ['no columns', 'ERR_FLOUR_SIZE', () => words.hashNgram({ columns: 0 })],
    ['broken columns', 'ERR_FLOUR_SIZE', () => words.hashNgram({ columns: 1.5 })],
    ['too many columns', 'ERR_FLOUR_SIZE', () => text.hashingVectorizer({ nFeatures: 2 ** 24 + 1 })],
    ['hashBits of 0', 'ERR_FLOUR_PARAM', () => text.oneHotHash({ hashBits: 0 })],
    ['hashBits of 0, of an integer', 'ERR_FLOUR_PARAM', () => integer.oneHotHash({ hashBits: 0 })],
    ['a broken seed of an integer', 'ERR_FLOUR_PARAM', () => integer.oneHotHash({ seed: 1.5 })],
    ['a fraction to hash', 'ERR_FLOUR_TYPE', () => integer.cast('float32').oneHotHash()],
    ['a term twice', 'ERR_FLOUR_PARAM', () => text.countVectorizer({ vocabulary: ['a', 'b', 'a'] })],
    ['hashBits of 25', 'ERR_FLOUR_PARAM', () => words.hashNgram({ hashBits: 25 })],
    [
      'skips in padded words',
      'ERR_FLOUR_PARAM',
      () => text.charNgram({ vocabulary: [['a']], padded: true, maxSkip: 1 }),
    ],
    ['dense counts', 'ERR_FLOUR_TYPE', () => words.hashNgram({ columns: 2 }).densify().sublinearTf()],
    ['another analyzer', 'ERR_FLOUR_PARAM', () => text.hashingVectorizer({ analyzer: anything('line') })],
    ['no vocabulary', 'ERR_FLOUR_PARAM', () => text.countVectorizer({ vocabulary: [] })],
    ['a column twice', 'ERR_FLOUR_PARAM', () => text.countVectorizer({ vocabulary: { a: 0, b: 0 } })],
    ['a column left out', 'ERR_FLOUR_PARAM', () => text.countVectorizer({ vocabulary: new Map([['a', 1]]) })],
    ['an idf too few', 'ERR_FLOUR_SIZE', () => text.tfidfVectorizer({ vocabulary: ['a', 'b'], idf: [1] })],
    ...['\\d+', 'a|ab', '(a)(b)', '[\\w-]+', '.+', '\\w*', '\\w{0,}', '\\b\\S+', '\\w\\S+', 'ab+', '[a-z]*?', '('].map(
      (tokenPattern): [string, string, () => unknown] => [
        `the token pattern ${tokenPattern}`,
        'ERR_FLOUR_PARAM',
        () => text.hashingVectorizer({ tokenPattern }),
      ],
    ),
  ])('%s', (_, code, build) => {
    expect(build).toThrow(expect.objectContaining({ code, hint: expect.stringMatching(/./) }));
  });
});

test('parameters of rejected programs are freed', async () => {
  const own = await createFlour();
  const { objects } = own.store.stats();
  const column = own.columns({ text: 'string' }).select('text');
  expect(() => column.tokenize().wordNgram({ vocabulary: [['a']], minN: 2, maxN: 1 })).toThrow();
  expect(() => column.keyMap([])).toThrow();
  expect(own.store.stats().objects).toBe(objects);
  own.dispose();
});

describe('token patterns as Python reads them', () => {
  const tokenizeOf = (tokenPattern: string) => {
    const node = text.hashingVectorizer({ tokenPattern, norm: null }).node.inputs[0]!;
    return node.attributes;
  };
  test.each([
    ['(?u)\\b\\w\\w+\\b', 'words', 2],
    ['\\w+', 'words', 1],
    ['\\b\\w+\\b', 'words', 1],
    ['(?u)\\w\\w\\w+', 'words', 3],
    ['\\b\\w{4,}\\b', 'words', 4],
    ['\\w\\w{2,}', 'words', 3],
    ['\\S+', 'pattern', 1],
    ['\\S\\S{1,}', 'pattern', 2],
    ['[a-z]+', 'pattern', 1],
    ['[^,;]{2,}', 'pattern', 1], // the pattern itself requires two characters
  ])('%s', (pattern, mode, minLength) => {
    expect(tokenizeOf(pattern)).toMatchObject({ mode, minLength });
  });
});
