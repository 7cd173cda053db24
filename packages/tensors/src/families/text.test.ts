import { floats, ints, nodeCases, tensor, texts } from '../../test/one-node.js';

const lower = { case_change_action: 'LOWER' };
nodeCases('StringNormalizer', { attributes: lower }, [
  ['one code point for one', [texts(['İ', 'ΑΣ', 'ẞ'])], [texts(['i', 'ασ', 'ß'])]],
  [
    'a stop word goes, an empty string stays',
    [texts(['The', '', 'end'])],
    [texts(['', 'end'])],
    { attributes: { ...lower, stopwords: ['the'] } },
  ],
  [
    'stop words with their case',
    [texts(['The', 'the'])],
    [texts(['The'])],
    { attributes: { stopwords: ['the'], is_case_sensitive: 1 } },
  ],
  ['one row', [texts(['A', 'b'], [1, 2])], [texts(['a'], [1, 1])], { attributes: { ...lower, stopwords: ['b'] } }],
  ['all of them go', [texts(['a', 'A'])], [texts([''])], { attributes: { stopwords: ['a'] } }],
  ['none were there', [texts([])], [texts([])], { attributes: { stopwords: ['a'] } }],
  ['several rows', [texts(['a', 'b'], [2, 1])], /\[C\] or \[1, C\]/],
  ['another action', [texts(['a'])], /one of LOWER, UPPER, NONE/, { attributes: { case_change_action: 'TITLE' } }],
  ['numbers', [ints([1])], /input 0 of type int64/],
]);

nodeCases('StringConcat', {}, [
  ['broadcast', [texts(['a', 'b'], [2, 1]), texts(['x', ''])], [texts(['ax', 'a', 'bx', 'b'], [2, 2])]],
  ['scalars', [texts(['a'], []), texts(['b'], [])], [texts(['ab'], [])]],
  ['nothing', [texts([]), texts(['b'], [])], [texts([])]],
  [
    'shapes that differ',
    [texts(['a', 'b']), texts(['a', 'b', 'c'])],
    /expected shapes whose sizes, aligned at the last axis, are equal or 1/,
  ],
  ['characters count', [texts(['a'.repeat(6000)]), texts(['b'.repeat(6000)])], /budget/],
]);

const counts = (...values: number[]) => ints(values);
nodeCases('StringSplit', { outputs: 2 }, [
  [
    'white space of every script',
    [texts([' a\u00a0 b\u3000c ', ''])],
    [texts(['a', 'b', 'c', '', '', ''], [2, 3]), counts(3, 0)],
  ],
  [
    'a delimiter keeps empty pieces',
    [texts(['-a--b', ''])],
    [texts(['', 'a', '', 'b', '', '', '', ''], [2, 4]), counts(4, 1)],
    { attributes: { delimiter: '-' } },
  ],
  [
    'what is behind the last split',
    [texts(['a-b-c'])],
    [texts(['a', 'b-c'], [1, 2]), counts(2)],
    { attributes: { delimiter: '-', maxsplit: 1 } },
  ],
  [
    'behind the last white space',
    [texts(['  a  b c '])],
    [texts(['a', 'b c '], [1, 2]), counts(2)],
    { attributes: { maxsplit: 1 } },
  ],
  ['no splits', [texts(['  a b '])], [texts(['a b '], [1, 1]), counts(1)], { attributes: { maxsplit: 0 } }],
  ['only white space', [texts([' ', '\n'])], [texts([], [2, 0]), counts(0, 0)]],
  ['a scalar', [texts(['a b'], [])], [texts(['a', 'b']), ints([2], [])]],
  ['nothing', [texts([], [0, 2])], [texts([], [0, 2, 0]), ints([], [0, 2])]],
  ['a long delimiter', [texts(['a, b'])], [texts(['a', 'b'], [1, 2])], { attributes: { delimiter: ', ' } }],
]);

const matching = (pattern: string) => ({ attributes: { pattern } });
nodeCases('RegexFullMatch', {}, [
  ['the whole string', [texts(['ab', 'abc', ''])], [tensor('bool', [1, 0, 0])], matching('a[a-z]')],
  ['alternatives', [texts(['ab'])], [tensor('bool', [1])], matching('a|ab')],
  ['ASCII words', [texts(['é', 'e'], [1, 2])], [tensor('bool', [0, 1], [1, 2])], matching('\\w')],
  ['the dot is no newline', [texts(['\n', '😀'])], [tensor('bool', [0, 1])], matching('.')],
  ['no pattern of RE2', [texts(['a'])], /expected a pattern that RE2 accepts/, matching('(a)\\1')],
  ['a very long pattern', [texts(['a'])], /65537 characters/, matching('a'.repeat(65537))],
  ['no pattern', [texts(['a'])], /no attribute 'pattern'/],
  ['exponential in other engines', [texts(['a'.repeat(200)])], [tensor('bool', [0])], matching('(a*)*b')],
]);

const pool = {
  mode: 'TF',
  pool_strings: ['a', 'b', 'a', 'b', 'b', 'c'],
  ngram_counts: [0, 2],
  ngram_indexes: [3, 0, 1, 2],
  min_gram_length: 1,
  max_gram_length: 2,
  max_skip_count: 0,
};
const { pool_strings: _, ...noPool } = pool;
const weighted = (mode: string) => ({ attributes: { ...pool, mode, weights: [0.5, 2, 3, 4] } });
const sentence = texts(['a', 'b', 'a', 'x', 'b']);
nodeCases('TfIdfVectorizer', { attributes: pool }, [
  ['counts', [sentence], [floats([2, 1, 0, 2])]],
  ['a row each', [texts(['a', 'b', 'c', 'b'], [2, 2])], [floats([1, 1, 0, 1, 1, 0, 0, 0], [2, 4])]],
  ['skips', [sentence], [floats([2, 2, 0, 2])], { attributes: { ...pool, max_skip_count: 1 } }],
  [
    'more skips than tokens',
    [texts(['a', 'b'])],
    [floats([1, 1, 0, 1])],
    { attributes: { ...pool, max_skip_count: 1e9 } },
  ],
  ['only pairs', [sentence], [floats([0, 1, 0, 0])], { attributes: { ...pool, min_gram_length: 2 } }],
  [
    'longer n-grams than there are',
    [sentence],
    [floats([2, 1, 0, 2])],
    { attributes: { ...pool, max_gram_length: 2 ** 40 } },
  ],
  ['IDF: the weight of what occurs', [sentence], [floats([2, 3, 0, 0.5])], weighted('IDF')],
  ['TFIDF: times its count', [sentence], [floats([4, 3, 0, 1])], weighted('TFIDF')],
  ['TF has no weights', [sentence], [floats([2, 1, 0, 2])], weighted('TF')],
  ['IDF without weights', [sentence], [floats([1, 1, 0, 1])], { attributes: { ...pool, mode: 'IDF' } }],
  ['no tokens', [texts([])], [floats([0, 0, 0, 0])]],
  ['no rows', [texts([], [0, 3])], [floats([], [0, 4])]],
  ['very many rows of no tokens', [texts([], [2 ** 40, 0])], /budget/],
  [
    'a walk for every skip',
    [texts(new Array(200).fill('a'))],
    /budget/,
    { attributes: { ...pool, max_skip_count: 1e9 } },
  ],
  [
    'integers',
    [tensor('int32', [7, -1, 7])],
    [floats([2, 1])],
    {
      attributes: {
        ...noPool,
        pool_int64s: [7, -1],
        ngram_counts: [0],
        ngram_indexes: [0, 1],
      },
    },
  ],
  ['integers for strings', [ints([1])], /input 0 of type int64/],
  ['no pool', [sentence], /no pool/, { attributes: noPool }],
  ['counts that cut an n-gram', [sentence], /ngram_counts/, { attributes: { ...pool, ngram_counts: [0, 3] } }],
  ['counts that descend', [sentence], /ngram_counts/, { attributes: { ...pool, ngram_counts: [0, 4, 2] } }],
  ['counts that begin late', [sentence], /ngram_counts/, { attributes: { ...pool, ngram_counts: [2, 4] } }],
  ['too few columns', [sentence], /3 ngram_indexes of 4/, { attributes: { ...pool, ngram_indexes: [0, 1, 2] } }],
  ['a negative column', [sentence], /0 or greater/, { attributes: { ...pool, ngram_indexes: [0, 1, 2, -1] } }],
  ['too many columns', [sentence], /budget/, { attributes: { ...pool, ngram_indexes: [0, 1, 2, 2 ** 30] } }],
  ['no n', [sentence], /n-grams of 2 to 1/, { attributes: { ...pool, min_gram_length: 2, max_gram_length: 1 } }],
  ['another mode', [sentence], /TF, IDF, TFIDF/, { attributes: { ...pool, mode: 'BM25' } }],
  ['three axes', [texts(['a'], [1, 1, 1])], /\[C\] or \[N, C\]/],
]);

const words = { pad_value: '#', mark: 0, mincharnum: 1 };
const tokenizer = (more: Record<string, unknown>) => ({ attributes: { ...words, ...more } as never });
nodeCases('Tokenizer', { domain: 'com.microsoft' }, [
  [
    'a pattern, ASCII',
    [texts(['café au', 'x'])],
    [texts(['caf', 'au', 'x', '#'], [2, 2])],
    tokenizer({ tokenexp: '\\w+' }),
  ],
  ['the dot takes a newline', [texts(['a\nb'])], [texts(['a\nb'], [1, 1])], tokenizer({ tokenexp: '.+' })],
  [
    'separators drop what is empty',
    [texts(['a  b;c'])],
    [texts(['a', 'b', 'c'], [1, 3])],
    tokenizer({ separators: [' ', ';'] }),
  ],
  ['characters', [texts(['a😀'], [1, 1])], [texts(['a', '😀'], [1, 1, 2])], tokenizer({ separators: [''] })],
  ['short tokens go', [texts(['a bc'])], [texts(['bc'], [1, 1])], tokenizer({ separators: [' '], mincharnum: 2 })],
  [
    'marks',
    [texts(['a b', 'c'])],
    [texts(['\x02', 'a', 'b', '\x03', '\x02', 'c', '\x03', '#'], [2, 4])],
    tokenizer({ separators: [' '], mark: 1 }),
  ],
  ['no tokens, no marks', [texts(['', ''])], [texts([], [2, 0])], tokenizer({ separators: [' '], mark: 1 })],
  ['neither pattern nor separators', [texts(['a'])], /no attribute 'separators'/, tokenizer({})],
  ['no pattern of RE2', [texts(['a'])], /expected a pattern that RE2 accepts/, tokenizer({ tokenexp: '(' })],
  [
    'too many separators',
    [texts(['a'])],
    /characters in total/,
    tokenizer({ separators: new Array(40_000).fill('a') }),
  ],
  ['no padding', [texts(['a'])], /no attribute 'pad_value'/, { attributes: { separators: [' '] } }],
]);

nodeCases('MurmurHash3', { domain: 'com.microsoft' }, [
  ['known answers', [texts(['', 'test'], [2, 1])], [tensor('uint32', [0, 0xba6bd213], [2, 1])]],
  ['signed', [texts(['test'])], [tensor('int32', [0xba6bd213 | 0])], { attributes: { positive: 0 } }],
  ['another seed', [texts(['test'])], [tensor('uint32', [0x704b81dc])], { attributes: { seed: 0x9747b28c } }],
  ['four zero bytes of any type', [tensor('float32', [0])], [tensor('uint32', [0x2362f9de])]],
  ['eight zero bytes', [ints([0])], [tensor('uint32', [0x63852afc])]],
  ['uint32 has the bytes of int32', [tensor('uint32', [0xffffffff])], [tensor('uint32', [0x76293b50])]],
  ['nothing', [texts([])], [tensor('uint32', [])]],
  ['bools', [tensor('bool', [1])], /input 0 of type bool/],
]);
