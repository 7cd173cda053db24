import { dictionary } from '../lib/model-files.mjs';
import { expertModel, makeWeights, naturalModel } from '../lib/onnx-models.mjs';
import { randomOf } from '../lib/random.mjs';
import { assignVersions } from './versions.mjs';

// 250 sentiment pipelines (SA): word and character n-grams, each in five versions that pipelines share, and a linear model of each one's own.

/** @typedef {import('../lib/dictionary.mjs').Dictionary} Dictionary */
/** @typedef {{ name: string, words: number, characters: number, weights: number }} SaMember versions of its n-grams, seed of its weights */

/**
 * Versions of the word n-grams as other hyper-parameters give them: the most frequent share of words and of pairs. The paper's text does not
 * say how often each was used, but that most pipelines use the same one: shares are ours.
 */
export const WORD_VERSIONS = [
  { share: 0.6, words: 1, pairs: 1 },
  { share: 0.2, words: 1, pairs: 0.5 },
  { share: 0.1, words: 1, pairs: 0 },
  { share: 0.06, words: 0.5, pairs: 0.1 },
  { share: 0.04, words: 0.25, pairs: 0.25 },
];

/** Versions of the character 3-grams. */
export const CHARACTER_VERSIONS = [
  { share: 0.6, characters: 1 },
  { share: 0.2, characters: 0.5 },
  { share: 0.1, characters: 0.25 },
  { share: 0.06, characters: 0.1 },
  { share: 0.04, characters: 0.75 },
];

/**
 * A fleet of SA pipelines: the same seed gives the same bytes. Word and character versions are drawn apart from each other.
 *
 * @param {{ pipelines?: number, entries?: number, seed?: number, shared?: boolean }} [options] entries of the largest dictionary; shared false: one
 *   n-gram of each kind is every pipeline's own, so that no two dictionaries are equal
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
    (version, at) =>
      /** @type {SaMember} */ ({
        name: `sa-${String(at).padStart(3, '0')}`,
        words: version,
        characters: characters[at],
        weights: seed * 100_000 + at,
      }),
  );
  const whole = mostFrequent(entries);
  const lists = sharedLists(whole);
  /** @param {SaMember} member @returns {Dictionary} */
  const dictionaryOf = (member) =>
    shared ? lists(member.words, member.characters) : withOwn(lists(member.words, member.characters), member.name);
  /** @param {SaMember} member */
  const weightsOf = (member) => makeWeights(dictionaryOf(member), member.weights);
  return {
    members,
    dictionaryOf,
    weightsOf,
    /** The ONNX file of a pipeline. @param {SaMember} member @param {'natural' | 'expert'} form */
    model: (member, form) => (form === 'natural' ? naturalModel : expertModel)(dictionaryOf(member), weightsOf(member)),
  };
}

/** The most frequent n-grams, in the proportions of the least dictionary of `dictionary.mjs` that has so many. @param {number} entries @returns {Dictionary} */
function mostFrequent(entries) {
  const size = entries <= 10_000 ? '10k' : entries <= 100_000 ? '100k' : '1M';
  const learnt = dictionary(size);
  const share = entries / (learnt.words.length + learnt.pairs.length + learnt.characters.length);
  return share >= 1
    ? learnt
    : {
        words: first(learnt.words, share),
        pairs: first(learnt.pairs, share),
        characters: first(learnt.characters, share),
      };
}

/** @template T @param {T[]} list @param {number} share */
const first = (list, share) => (share === 1 ? list : list.slice(0, Math.round(list.length * share)));

/** Versions as lists that members share; each is cut once. @param {Dictionary} whole */
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

/** The rarest word and character 3-gram become ones that no text and no other pipeline has. @param {Dictionary} dictionary @param {string} name */
function withOwn({ words, pairs, characters }, name) {
  const own = String.fromCodePoint(0xe000 + Number(name.slice(-3)));
  return {
    words: [...words.slice(0, -1), `own_${name.replace('-', '_')}`],
    pairs,
    characters: [...characters.slice(0, -1), own.repeat(3)],
  };
}
