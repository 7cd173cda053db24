import { createFlour, createRuntime } from 'brezel';
import { dictionary } from './model-files.mjs';
import { makeWeights } from './onnx-models.mjs';
import { binds, isQuick, short } from './report.mjs';
import { summary } from './stats.mjs';

// What a sentiment prediction is made of: plans that have one kind of n-grams only, the call by itself, and one text again and again.

/** @typedef {import('./dictionary.mjs').Size} Size */
/** @typedef {{ whole: number, call: number, words: number, characters: number, again: number, lookups: { words: number, characters: number } }} SaParts µs a text; lookups: of a text, on average */

const ROUNDS = isQuick ? 3 : 15;

/** Plans of the same dictionary and weights, each with a part of it. @param {Size} size @param {boolean} native */
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

/** Mean µs a call over all texts, in turns; the median over rounds. @param {Record<string, (at: number) => unknown>} calls @param {number} count */
function inTurns(calls, count) {
  const times = Object.fromEntries(Object.keys(calls).map((name) => [name, /** @type {number[]} */ ([])]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, call] of Object.entries(calls)) {
      const start = performance.now();
      for (let at = 0; at < count; at++) call(at);
      if (round > 0) times[name].push(((performance.now() - start) * 1000) / count);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, summary(list).median]));
}

/**
 * Takes a prediction apart, by the same engine that serves the whole plan.
 *
 * @param {Size} size @param {(text: string) => unknown} whole @param {readonly string[]} texts @param {{ native?: boolean }} [options]
 * @returns {Promise<SaParts>}
 */
export async function saParts(size, whole, texts, { native = true } = {}) {
  const { runtime, plans } = await openParts(size, native);
  const by = (/** @type {'words' | 'characters'} */ part) => (/** @type {number} */ at) =>
    runtime.predictSync(plans[part], texts[at]);
  const middling = texts.toSorted((one, other) => one.length - other.length)[Math.floor(texts.length / 2)];
  const times = inTurns(
    {
      whole: (at) => whole(texts[at]),
      again: () => whole(middling),
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
  return { .../** @type {Record<'whole' | 'again' | 'call' | 'words' | 'characters', number>} */ (times), lookups };
}

/**
 * Says what binds a goal of SA. @param {string} goal @param {string} part @param {SaParts} parts @param {number} wanted µs that the target would allow
 */
export function saBinds(goal, part, { whole, again, call, words, characters, lookups }, wanted) {
  const us = (/** @type {number} */ value) => `${short(value)} µs`;
  binds(
    goal,
    part,
    `the target allows ${us(wanted)} a text; it takes ${us(whole)}, of which the call by itself ${us(call)}. Words alone take ${us(words)} ` +
      `(${lookups.words.toFixed(0)} lookups of words and pairs), character 3-grams alone ${us(characters)} (${lookups.characters.toFixed(0)} lookups): ` +
      `${(((whole - call) * 1000) / (lookups.words + lookups.characters)).toFixed(1)} ns a lookup with cutting the text and adding its weight. ` +
      `One text of middle length again and again takes ${us(again)}: ${us(Math.max(0, whole - again))} are waiting for memory and branches taken wrongly`,
  );
}
