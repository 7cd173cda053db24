import { createFlour, createRuntime } from 'brezel';
import { dictionary } from '../models/files.mjs';
import { makeWeights } from '../models/sentiment-onnx.mjs';
import { binds, isQuick, short } from './records.mjs';
import { summary } from './stats.mjs';

// Measures how the time of a sentiment prediction is spent: plans with only one kind of n-grams,
// the call without text, and one repeated text.

/** @typedef {import('../models/reviews.mjs').Size} Size */
/**
 * @typedef {{ whole: number, call: number, words: number, characters: number, repeated: number,
 * lookups: { words: number, characters: number } }} SaParts
 *   Times are in µs per text. `lookups` is the mean number of lookups per text.
 */

const ROUNDS = isQuick ? 3 : 15;

/**
 * Registers one plan for the words and one for the characters of a dictionary.
 *
 * @param {Size} size
 * @param {boolean} native
 */
async function openParts(size, native) {
  const { words, pairs, characters } = dictionary(size);
  const weights = makeWeights({ words, pairs, characters });
  const flour = await createFlour();
  const runtime = createRuntime({ store: flour.store, native });
  const text = flour.columns({ text: 'string' }).select('text');
  const counts = text.tokenize().wordNgram({ vocabulary: [...words.map((word) => [word]), ...pairs] });
  const grams = text.charNgram({ vocabulary: characters.map((gram) => [...gram]) });
  const register = (/** @type {import('brezel').OwnedPlan} */ compiled) => {
    const plan = runtime.register(compiled);
    compiled.release();
    return plan;
  };
  const ofWords = Float32Array.from([...weights.words, ...weights.pairs]);
  const plans = {
    words: register(counts.logistic({ weights: ofWords, bias: weights.bias }).plan()),
    characters: register(grams.logistic({ weights: weights.characters, bias: weights.bias }).plan()),
  };
  flour.dispose();
  return { runtime, plans };
}

/**
 * Returns mean µs per call over all texts, as the median of the rounds. The calls alternate.
 *
 * @param {Record<string, (index: number) => unknown>} calls
 * @param {number} count
 */
function inTurns(calls, count) {
  const times = Object.fromEntries(Object.keys(calls).map((name) => [name, /** @type {number[]} */ ([])]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, call] of Object.entries(calls)) {
      const start = performance.now();
      for (let index = 0; index < count; index++) call(index);
      if (round > 0) times[name].push(((performance.now() - start) * 1000) / count);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, summary(list).median]));
}

/**
 * Measures the parts of a prediction with the engine of the whole plan.
 *
 * @param {Size} size @param {(text: string) => unknown} whole @param {readonly string[]} texts
 * @param {{ native?: boolean }} [options]
 * @returns {Promise<SaParts>}
 */
export async function saParts(size, whole, texts, { native = true } = {}) {
  const { runtime, plans } = await openParts(size, native);
  const by = (/** @type {'words' | 'characters'} */ part) => (/** @type {number} */ index) =>
    runtime.predictSync(plans[part], texts[index]);
  const medium = texts.toSorted((one, other) => one.length - other.length)[Math.floor(texts.length / 2)];
  const times = inTurns(
    {
      whole: (index) => whole(texts[index]),
      repeated: () => whole(medium),
      call: () => whole(''),
      words: by('words'),
      characters: by('characters'),
    },
    texts.length,
  );
  await runtime.close();
  const mean = (/** @type {(text: string) => number} */ of) =>
    texts.reduce((sum, text) => sum + of(text), 0) / texts.length;
  const lookups = {
    words: mean((text) => 2 * (text.match(/[a-zA-Z0-9_]+/g) ?? []).length - 1),
    characters: mean((text) => Math.max(0, [...text].length - 2)),
  };
  return { .../** @type {Record<'whole' | 'repeated' | 'call' | 'words' | 'characters', number>} */ (times), lookups };
}

/**
 * Records what limits a goal of SA.
 *
 * @param {string} goal @param {string} part @param {SaParts} parts @param {number} allowed µs per
 * text at the target
 */
export function saBinds(goal, part, { whole, repeated, call, words, characters, lookups }, allowed) {
  const us = (/** @type {number} */ value) => `${short(value)} µs`;
  const perLookup = ((whole - call) * 1000) / (lookups.words + lookups.characters);
  binds(
    goal,
    part,
    `the target allows ${us(allowed)} per text; a text takes ${us(whole)}. The call without text takes ${us(call)}, ` +
      `a plan with words alone ${us(words)} (${lookups.words.toFixed(0)} lookups of words and pairs), ` +
      `a plan with character 3-grams alone ${us(characters)} (${lookups.characters.toFixed(0)} lookups): ` +
      `${perLookup.toFixed(1)} ns per lookup, with splitting and adding. One repeated text of median length takes ` +
      `${us(repeated)}, so cache misses and mispredicted branches take about ${us(Math.max(0, whole - repeated))}`,
  );
}
