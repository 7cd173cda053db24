import { integer, pick, randomOf, zipf } from './random.mjs';

// The texts of the SA pipeline: reviews of about 100 words, written by a Zipfian monkey.

const VOCABULARY_WORDS = 120_000;
const WORDS_PER_TEXT = 100;
const LONGEST_WORD = 16;
const ACCENTED_WORDS = 0.03;
/** English reviews are plain ASCII but for some. */
const ACCENTED_TEXTS = 0.1;

const ONSETS = 'b c d f g h j k l m n p r s t v w z st tr ch sh th pr br gr pl cr fl'.split(' ');
const VOWELS = 'a a a e e e e i i o o u ea ou ai y'.split(' ');
const CODAS = ['', '', '', ...'n r s t l nd ng st ck m'.split(' ')];
const ACCENTS = { a: 'àâä', e: 'éèê', i: 'îï', o: 'ôö', u: 'ûü', c: 'ç', n: 'ñ' };
const SENTENCE_ENDS = ['.', '.', '.', '.', '!', '?', '...'];
const INNER_MARKS = [',', ',', ',', ';', ':', ' -'];

/**
 * Distinct words, frequent ones shorter, as in a language.
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
    for (let at = 0; at < syllables; at++) word += pick(random, ONSETS) + pick(random, VOWELS) + pick(random, CODAS);
    if (word.length <= LONGEST_WORD) words.add(random() < ACCENTED_WORDS ? accented(random, word) : word);
  }
  return [...words];
}

/** @param {() => number} random @param {string} word */
function accented(random, word) {
  const at = integer(random, word.length);
  const variants = ACCENTS[/** @type {keyof typeof ACCENTS} */ (word[at])];
  return variants ? word.slice(0, at) + pick(random, variants) + word.slice(at + 1) : word;
}

/** @param {string} word */
const capitalized = (word) => word[0].toUpperCase() + word.slice(1);

/** Now and then in capitals, or a number. @param {() => number} random @param {string} word */
function varied(random, word) {
  const draw = random();
  if (draw < 0.01) return word.toUpperCase();
  return draw < 0.02 ? String(integer(random, 2000)) : word;
}

/**
 * Makes texts one after another, endlessly. Writers of the same seed and vocabulary agree; `stream` gives texts that no other stream has.
 *
 * @param {{ seed?: number, stream?: number, words?: number, accents?: number }} [options] accents: share of the texts that keep those of their words
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
    for (let at = 0; at < length; at++) {
      let word = words[rank()];
      if (starts) word = capitalized(word);
      else word = varied(random, word);
      starts = random() < 0.08;
      const mark =
        starts || at === length - 1 ? pick(random, SENTENCE_ENDS) : random() < 0.07 ? pick(random, INNER_MARKS) : '';
      text += (at === 0 ? '' : ' ') + word + mark;
    }
    return random() < accents ? text : text.normalize('NFD').replace(/\p{M}/gu, '');
  };
}

/** @param {number} count @param {number} [stream] @returns {string[]} texts of about 100 words */
export function reviews(count, stream = 1) {
  const write = textWriter({ stream });
  return Array.from({ length: count }, () => write());
}

/** @param {number} count @param {number} words @param {number} [stream] @returns {string[]} texts of `words` words */
export function shortTexts(count, words = 5, stream = 2) {
  const write = textWriter({ stream });
  return Array.from({ length: count }, () => write(words));
}

/** @param {number} count @param {number} [stream] @returns {string[]} as `reviews`, with accents in nearly every one */
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
 * Texts that are no reviews: edges, then words of many scripts, emoji and noise among words of the workload. Well formed, and without U+0000, which
 * onnxruntime-node cuts texts at.
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
