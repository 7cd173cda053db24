import { textWriter } from './workload.mjs';

// The dictionaries a training run would have found: the most frequent word 1-2-grams and character 3-grams of seeded texts.

/** Word 1-grams, word 2-grams, character 3-grams of a dictionary, and how many texts it is learnt from. */
const SHAPES = {
  '10k': { words: 2_000, pairs: 5_000, characters: 3_000, texts: 2_000 },
  '100k': { words: 15_000, pairs: 75_000, characters: 10_000, texts: 8_000 },
  '1M': { words: 80_000, pairs: 905_000, characters: 15_000, texts: 40_000 },
};

/** @typedef {keyof typeof SHAPES} Size */
/** @typedef {{ words: string[], pairs: [string, string][], characters: string[] }} Dictionary */

export const WORD = '[a-zA-Z0-9_]+';
const wordsOf = new RegExp(WORD, 'g');

/** The words of a text, as the graphs' tokenizer finds them. @param {string} text @returns {string[]} */
export const tokens = (text) => text.match(wordsOf) ?? [];

/** @param {Size} size @returns {Dictionary} */
export function learnDictionary(size) {
  const shape = SHAPES[size];
  const write = textWriter({ stream: 0 });
  /** @type {Map<string, number>} */
  const wordIds = new Map();
  /** @type {number[]} */
  const wordCounts = [];
  /** @type {Map<number, number>} pair of word ids → count */
  const pairs = new Map();
  /** @type {Map<string, number>} */
  const characters = new Map();
  for (let at = 0; at < shape.texts; at++) {
    const text = write();
    const ids = tokens(text).map((word) => idOf(wordIds, word));
    for (const id of ids) wordCounts[id] = (wordCounts[id] ?? 0) + 1;
    for (let k = 1; k < ids.length; k++) add(pairs, ids[k - 1] * 2 ** 24 + ids[k]);
    if (at < 8_000) for (const gram of characterGrams(text)) add(characters, gram);
  }
  const words = [...wordIds.keys()];
  const frequent = mostFrequent(new Map(words.map((word, id) => [word, wordCounts[id]])), shape.words);
  return {
    words: frequent,
    pairs: mostFrequent(pairs, shape.pairs).map((pair) => [words[Math.floor(pair / 2 ** 24)], words[pair % 2 ** 24]]),
    characters: mostFrequent(characters, shape.characters),
  };
}

/** @param {Map<string, number>} ids @param {string} word */
function idOf(ids, word) {
  const id = ids.get(word) ?? ids.size;
  ids.set(word, id);
  return id;
}

/** @template K @param {Map<K, number>} counts @param {K} key */
const add = (counts, key) => counts.set(key, (counts.get(key) ?? 0) + 1);

/** @param {string} text @returns {string[]} */
function characterGrams(text) {
  const points = [...text];
  return points.slice(2).map((_, at) => points[at] + points[at + 1] + points[at + 2]);
}

/** @template K @param {Map<K, number>} counts @param {number} most @returns {K[]} */
function mostFrequent(counts, most) {
  if (counts.size < most) throw new Error(`the texts hold ${counts.size} n-grams, ${most} are wanted`);
  const ranked = [...counts].sort((one, other) => other[1] - one[1]);
  return ranked.slice(0, most).map(([key]) => key);
}
