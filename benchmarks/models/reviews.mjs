import { integer, pick, randomOf, zipf } from './random.mjs';

// Generates the texts of the sentiment (SA) pipelines: reviews of about 100 words with
// Zipf-distributed word frequencies. Also generates the dictionaries that a training run would
// learn from these texts.

const VOCABULARY_WORDS = 120_000;
const WORDS_PER_TEXT = 100;
const LONGEST_WORD = 16;
const ACCENTED_WORDS = 0.03;
/** The fraction of the texts that contain accented letters. English reviews are mostly ASCII. */
const ACCENTED_TEXTS = 0.1;

const ONSETS = 'b c d f g h j k l m n p r s t v w z st tr ch sh th pr br gr pl cr fl'.split(' ');
const VOWELS = 'a a a e e e e i i o o u ea ou ai y'.split(' ');
const CODAS = ['', '', '', ...'n r s t l nd ng st ck m'.split(' ')];
const ACCENTS = { a: 'àâä', e: 'éèê', i: 'îï', o: 'ôö', u: 'ûü', c: 'ç', n: 'ñ' };
const SENTENCE_ENDS = ['.', '.', '.', '.', '!', '?', '...'];
const INNER_MARKS = [',', ',', ',', ';', ':', ' -'];

/**
 * Generates distinct words. Frequent words are shorter, as in natural languages.
 *
 * @param {() => number} random
 * @param {number} count
 * @returns {string[]}
 */
function makeWords(random, count) {
  /** @type {Set<string>} */
  const words = new Set();
  while (words.size < count) {
    const longest = words.size < 150 ? 1 : words.size < 3000 ? 3 : 4;
    const syllables = 1 + integer(random, longest);
    let word = '';
    for (let index = 0; index < syllables; index++)
      word += pick(random, ONSETS) + pick(random, VOWELS) + pick(random, CODAS);
    if (word.length <= LONGEST_WORD) words.add(random() < ACCENTED_WORDS ? accented(random, word) : word);
  }
  return [...words];
}

/**
 * Replaces one random letter of a word by an accented variant, if the letter has one.
 *
 * @param {() => number} random
 * @param {string} word
 */
function accented(random, word) {
  const index = integer(random, word.length);
  const variants = ACCENTS[/** @type {keyof typeof ACCENTS} */ (word[index])];
  return variants ? word.slice(0, index) + pick(random, variants) + word.slice(index + 1) : word;
}

/** @param {string} word */
const capitalized = (word) => word[0].toUpperCase() + word.slice(1);

/**
 * Returns a word, sometimes in capitals, or sometimes a number instead.
 *
 * @param {() => number} random
 * @param {string} word
 */
function varied(random, word) {
  const draw = random();
  if (draw < 0.01) return word.toUpperCase();
  return draw < 0.02 ? String(integer(random, 2000)) : word;
}

/**
 * Returns a function that writes one text after another. The same seed and vocabulary give the same
 * texts. Each `stream` has different texts.
 *
 * @param {{ seed?: number, stream?: number, words?: number, accents?: number }} [options] `accents`
 * is the share of texts with accented letters
 * @returns {(words?: number) => string}
 */
export function textWriter({
  seed = 1,
  stream = 0,
  words: wordCount = VOCABULARY_WORDS,
  accents = ACCENTED_TEXTS,
} = {}) {
  const words = makeWords(randomOf(seed), wordCount);
  const random = randomOf(seed * 1000 + stream + 1);
  const rank = zipf(random, wordCount);
  return (length = Math.round(WORDS_PER_TEXT * (0.9 + 0.2 * random()))) => {
    let text = '';
    let starts = true;
    for (let index = 0; index < length; index++) {
      let word = words[rank()];
      if (starts) word = capitalized(word);
      else word = varied(random, word);
      starts = random() < 0.08;
      const mark =
        starts || index === length - 1 ? pick(random, SENTENCE_ENDS) : random() < 0.07 ? pick(random, INNER_MARKS) : '';
      text += (index === 0 ? '' : ' ') + word + mark;
    }
    return random() < accents ? text : text.normalize('NFD').replace(/\p{M}/gu, '');
  };
}

/**
 * Generates texts of about 100 words.
 *
 * @param {number} count
 * @param {number} [stream]
 * @returns {string[]}
 */
export function reviews(count, stream = 1) {
  const write = textWriter({ stream });
  return Array.from({ length: count }, () => write());
}

/**
 * Generates texts of `words` words.
 *
 * @param {number} count
 * @param {number} words
 * @param {number} [stream]
 * @returns {string[]}
 */
export function shortTexts(count, words = 5, stream = 2) {
  const write = textWriter({ stream });
  return Array.from({ length: count }, () => write(words));
}

/**
 * Generates texts as `reviews` does, but nearly every text has accented letters.
 *
 * @param {number} count
 * @param {number} [stream]
 * @returns {string[]}
 */
export function accentedReviews(count, stream = 4) {
  const write = textWriter({ stream, accents: 1 });
  return Array.from({ length: count }, () => write());
}

const EDGES = [
  '',
  ' ',
  '.',
  'a',
  'ab',
  'é',
  '\n',
  'a\nb',
  '\t\r\n',
  '  two  spaces  ',
  'İstanbul ſ K Å ﬁ',
  '한국어 텍스트',
  'e\u0301',
  '🙂',
  '👩‍👩‍👧',
  '\u{10ffff}',
];
const RANGES = [
  [0x20, 0x7e],
  [0xa1, 0x24f],
  [0x370, 0x4ff],
  [0x3041, 0x30fe],
  [0x4e00, 0x9fff],
  [0x1f300, 0x1f6ff],
  [0x1, 0x1f],
];

/**
 * Generates unusual texts: edge cases, then words of many scripts, emoji and noise between words of
 * the workload. All texts are well-formed and without U+0000, because onnxruntime-node ends a text
 * at U+0000.
 *
 * @param {number} count
 * @returns {string[]}
 */
export function oddTexts(count) {
  const random = randomOf(77);
  const write = textWriter({ stream: 3 });
  const noise = () => {
    const [from, to] = pick(random, RANGES);
    return Array.from({ length: 1 + integer(random, 12) }, () =>
      String.fromCodePoint(from + integer(random, to - from + 1)),
    ).join('');
  };
  const texts = [...EDGES];
  while (texts.length < count) {
    const parts = Array.from({ length: 1 + integer(random, 20) }, () =>
      random() < 0.5 ? noise() : write(1 + integer(random, 6)),
    );
    texts.push(parts.join(pick(random, [' ', ' ', '', '\n', ', '])));
  }
  return texts.slice(0, count);
}

/**
 * For each size, the number of entries in each dictionary (words, word pairs, character 3-grams),
 * and the number of texts from which they are learned.
 */
const SHAPES = {
  '10k': { words: 2_000, pairs: 5_000, characters: 3_000, texts: 2_000 },
  '100k': { words: 15_000, pairs: 75_000, characters: 10_000, texts: 8_000 },
  '1M': { words: 80_000, pairs: 905_000, characters: 15_000, texts: 40_000 },
};

/**
 * The name of a dictionary size: `10k`, `100k` or `1M` entries.
 *
 * @typedef {keyof typeof SHAPES} Size
 */
/**
 * The n-grams of an SA model: words, word pairs, and character 3-grams.
 *
 * @typedef {{ words: string[], pairs: [string, string][], characters: string[] }} Dictionary
 */

export const WORD = '[a-zA-Z0-9_]+';
const wordsOf = new RegExp(WORD, 'g');

/**
 * Splits a text into words as the tokenizer of the ONNX graphs does.
 *
 * @param {string} text
 * @returns {string[]}
 */
export const tokens = (text) => text.match(wordsOf) ?? [];

/**
 * Learns the most frequent n-grams of the generated texts.
 *
 * @param {Size} size
 * @returns {Dictionary}
 */
export function learnDictionary(size) {
  const shape = SHAPES[size];
  const write = textWriter({ stream: 0 });
  /** @type {Map<string, number>} */
  const wordIds = new Map();
  /** @type {number[]} */
  const wordCounts = [];
  /**
   * The number of occurrences of each pair of word ids.
   *
   * @type {Map<number, number>}
   */
  const pairs = new Map();
  /** @type {Map<string, number>} */
  const characters = new Map();
  for (let index = 0; index < shape.texts; index++) {
    const text = write();
    const ids = tokens(text).map((word) => idOf(wordIds, word));
    for (const id of ids) wordCounts[id] = (wordCounts[id] ?? 0) + 1;
    for (let k = 1; k < ids.length; k++) add(pairs, ids[k - 1] * 2 ** 24 + ids[k]);
    if (index < 8_000) for (const gram of characterGrams(text)) add(characters, gram);
  }
  const words = [...wordIds.keys()];
  const frequent = mostFrequent(new Map(words.map((word, id) => [word, wordCounts[id]])), shape.words);
  return {
    words: frequent,
    pairs: mostFrequent(pairs, shape.pairs).map((pair) => [words[Math.floor(pair / 2 ** 24)], words[pair % 2 ** 24]]),
    characters: mostFrequent(characters, shape.characters),
  };
}

/**
 * Returns the id of a word. A new word gets the next id.
 *
 * @param {Map<string, number>} ids
 * @param {string} word
 */
function idOf(ids, word) {
  const id = ids.get(word) ?? ids.size;
  ids.set(word, id);
  return id;
}

/**
 * @template K
 * @param {Map<K, number>} counts
 * @param {K} key
 */
const add = (counts, key) => counts.set(key, (counts.get(key) ?? 0) + 1);

/**
 * Returns the character 3-grams of a text.
 *
 * @param {string} text
 * @returns {string[]}
 */
function characterGrams(text) {
  const points = [...text];
  return points.slice(2).map((_, index) => points[index] + points[index + 1] + points[index + 2]);
}

/**
 * Returns the `most` keys with the highest counts.
 *
 * @template K
 * @param {Map<K, number>} counts
 * @param {number} most
 * @returns {K[]}
 */
function mostFrequent(counts, most) {
  if (counts.size < most)
    throw new Error(`the generated texts contain ${counts.size} n-grams, expected at least ${most}`);
  const ranked = [...counts].sort((one, other) => other[1] - one[1]);
  return ranked.slice(0, most).map(([key]) => key);
}
