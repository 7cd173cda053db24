import { dictionary } from './files.mjs';
import { assignVersions, randomOf } from './random.mjs';
import { expertModel, makeWeights, naturalModel } from './sentiment-onnx.mjs';

// Generates the 250 sentiment (SA) pipelines of the paper. Word and character n-grams each have
// five versions that pipelines share. Every pipeline has a separate linear model.

/** @typedef {import('./reviews.mjs').Dictionary} Dictionary */
/**
 * @typedef {{ name: string, words: number, characters: number, weights: number }} SaMember
 *   `words` and `characters` are the versions of its n-grams; `weights` is the seed of its weights.
 */

/**
 * Versions of the word n-grams. `share` is the fraction of pipelines that use the version. A
 * version has the most frequent words and pairs; `words` and `pairs` are fractions of all words and
 * pairs. The paper says that most pipelines use the same version, but not how many (Figure 3), so
 * we chose these fractions.
 */
export const WORD_VERSIONS = [
  { share: 0.6, words: 1, pairs: 1 },
  { share: 0.2, words: 1, pairs: 0.5 },
  { share: 0.1, words: 1, pairs: 0 },
  { share: 0.06, words: 0.5, pairs: 0.1 },
  { share: 0.04, words: 0.25, pairs: 0.25 },
];

/** Versions of the character 3-grams, in the same form as `WORD_VERSIONS`. */
export const CHARACTER_VERSIONS = [
  { share: 0.6, characters: 1 },
  { share: 0.2, characters: 0.5 },
  { share: 0.1, characters: 0.25 },
  { share: 0.06, characters: 0.1 },
  { share: 0.04, characters: 0.75 },
];

/**
 * Generates a fleet of SA pipelines. The same seed gives the same bytes. Word and character
 * versions are drawn independently.
 *
 * `entries` is the size of the largest dictionary. With `shared: false`, each pipeline has one word
 * n-gram and one character n-gram that no other pipeline has, so no two dictionaries are equal.
 *
 * @param {{ pipelines?: number, entries?: number, seed?: number, shared?: boolean }} [options]
 */
export function saFleet({ pipelines = 250, entries = 1_000_000, seed = 1, shared = true } = {}) {
  const random = randomOf(seed * 7919);
  const words = assignVersions(
    random,
    pipelines,
    WORD_VERSIONS.map(({ share }) => share),
  );
  const characters = assignVersions(
    random,
    pipelines,
    CHARACTER_VERSIONS.map(({ share }) => share),
  );
  const members = words.map(
    (version, index) =>
      /** @type {SaMember} */ ({
        name: `sa-${String(index).padStart(3, '0')}`,
        words: version,
        characters: characters[index],
        weights: seed * 100_000 + index,
      }),
  );
  const whole = mostFrequent(entries);
  const lists = sharedLists(whole);
  /**
   * @param {SaMember} member
   * @returns {Dictionary}
   */
  const dictionaryOf = (member) =>
    shared ? lists(member.words, member.characters) : withOwn(lists(member.words, member.characters), member.name);
  /** @param {SaMember} member */
  const weightsOf = (member) => makeWeights(dictionaryOf(member), member.weights);
  return {
    members,
    dictionaryOf,
    weightsOf,
    /**
     * Generates the ONNX file of a pipeline.
     *
     * @param {SaMember} member
     * @param {'natural' | 'expert'} form
     */
    model: (member, form) => (form === 'natural' ? naturalModel : expertModel)(dictionaryOf(member), weightsOf(member)),
  };
}

/**
 * Returns a dictionary with the most frequent n-grams of the smallest learned dictionary that has
 * enough entries. The proportions of words, pairs and character 3-grams stay the same.
 *
 * @param {number} entries
 * @returns {Dictionary}
 */
function mostFrequent(entries) {
  const size = entries <= 10_000 ? '10k' : entries <= 100_000 ? '100k' : '1M';
  const learned = dictionary(size);
  const share = entries / (learned.words.length + learned.pairs.length + learned.characters.length);
  return share >= 1
    ? learned
    : {
        words: first(learned.words, share),
        pairs: first(learned.pairs, share),
        characters: first(learned.characters, share),
      };
}

/**
 * @template T
 * @param {T[]} list
 * @param {number} share
 */
const first = (list, share) => (share === 1 ? list : list.slice(0, Math.round(list.length * share)));

/**
 * Returns the lists of n-grams of each version. Pipelines share these lists.
 * @param {Dictionary} whole
 */
function sharedLists(whole) {
  const words = WORD_VERSIONS.map((version) => ({
    words: first(whole.words, version.words),
    pairs: first(whole.pairs, version.pairs),
  }));
  const characters = CHARACTER_VERSIONS.map((version) => first(whole.characters, version.characters));
  return (/** @type {number} */ word, /** @type {number} */ character) => ({
    ...words[word],
    characters: characters[character],
  });
}

/**
 * Replaces the rarest word and the rarest character 3-gram by n-grams that occur in no text and in
 * no other pipeline.
 *
 * @param {Dictionary} dictionary
 * @param {string} name
 */
function withOwn({ words, pairs, characters }, name) {
  const own = String.fromCodePoint(0xe000 + Number(name.slice(-3)));
  return {
    words: [...words.slice(0, -1), `own_${name.replace('-', '_')}`],
    pairs,
    characters: [...characters.slice(0, -1), own.repeat(3)],
  };
}
