// Goals G1, G2, G7, G13, G23: measures one SA pipeline, one text at a time. It compares Brezel with
// the natural and the expert graph in onnxruntime. Without the addon, it also compares Brezel with
// plain JavaScript that uses Maps.
import { createFlour, createRuntime } from 'brezel';
import { compareTexts } from '../harness/agreement.mjs';
import { numberOf, openBrezel, openRival } from '../harness/engines.mjs';
import { interleave, timesFaster } from '../harness/loops.mjs';
import { binds, comparison, isQuick, measure, say, short } from '../harness/records.mjs';
import { ratioOf, summary } from '../harness/stats.mjs';
import { dictionary, emptyFile, expertFile, naturalFile } from '../models/files.mjs';
import { accentedReviews, reviews, shortTexts } from '../models/reviews.mjs';
import { makeWeights } from '../models/sentiment-onnx.mjs';
import { agreementTexts } from '../models/workload.mjs';

/** @typedef {import('../models/reviews.mjs').Size} Size */

/**
 * For each onnxruntime graph, the goal and its target: the smallest ratio of the graph's time to
 * Brezel's time. The targets apply to the dictionary with 1M entries.
 */
const TARGETS = { natural: { goal: 'G1', target: 150 }, expert: { goal: 'G2', target: 20 } };
const FALLBACK_TARGET = 6;
const MAP_TARGET = 10;
const ROUNDS = isQuick ? 4 : 60;
/** Options that turn materialization on, as in production. */
const DEFAULTS = { runtime: { materialization: undefined } };

export const experiments = {
  async 'sa-single'() {
    for (const size of /** @type {Size[]} */ (isQuick ? ['10k'] : ['10k', '100k', '1M'])) await nativeSingle(size);
  },
  'js-fallback': fallbackSingle,
};

/**
 * Measures predictions of single texts in the addon and in onnxruntime.
 *
 * @param {Size} size
 */
async function nativeSingle(size) {
  say(`-- ${size} --`);
  const engines = await openAll(size);
  const times = await race(engines, reviews(2000));
  report(size, 'texts of 100 words', times, size === '1M');
  if (size === '1M' || isQuick) {
    const parts = await saParts(size, (text) => engines.brezel.one(0, text), reviews(2000));
    const { median, p99 } = times['answer object'];
    saBinds('G1', 'SA single, 1M, natural', parts, times.natural.median / TARGETS.natural.target);
    saBinds('G2', 'SA single, 1M, expert', parts, times.expert.median / TARGETS.expert.target);
    binds(
      'G7',
      'p99 of SA single, natural',
      `Brezel's p99 is ${short(p99)} µs, ${short(p99 / median)} times its median; onnxruntime's p99 is ` +
        `${short(times.natural.p99 / times.natural.median)} times its median`,
    );
  }
  report(size, 'short input of 5 words', await race(engines, shortTexts(2000)), false);
  report(size, 'texts with accents', await race(engines, accentedReviews(2000)), false);
  await engines.brezel.close();
}

/**
 * Opens an SA model in all engines and checks that their answers agree.
 *
 * @param {Size} size
 */
async function openAll(size) {
  const [brezel, javascript] = [await openBrezel(DEFAULTS), await openBrezel({ ...DEFAULTS, native: false })];
  for (const engine of [brezel, javascript]) await engine.load(naturalFile(size));
  const rival = await openSessions({ natural: naturalFile(size), expert: expertFile(size), empty: emptyFile() });
  if (brezel.plans[0].engine !== 'native') say('without the addon: this measures the kernels in WebAssembly');
  say(
    await compareTexts(`SA ${size}`, agreementTexts(2000), {
      'onnxruntime natural': rival.natural.probability,
      'onnxruntime expert': rival.expert.probability,
      native: (text) => numberOf(brezel.one(0, text)),
      JavaScript: (text) => numberOf(javascript.one(0, text)),
    }),
  );
  await javascript.close();
  return { brezel, ...rival };
}

/**
 * Opens graphs in onnxruntime. `run` takes a feed that was created before the clock starts.
 *
 * @template {string} Name
 * @param {Record<Name, string>} files
 */
async function openSessions(files) {
  const rival = await openRival('sa');
  const sessions = [];
  for (const [name, file] of Object.entries(files)) {
    const model = sessions.length;
    await rival.load(/** @type {string} */ (file));
    const run = (/** @type {Feed} */ feed) => rival.run(model, feed);
    const probability = async (/** @type {string} */ text) => (await rival.many(model, [text]))[0];
    sessions.push([name, { run, probability, feed: rival.feed }]);
  }
  return /** @type {Record<Name, Session>} */ (Object.fromEntries(sessions));
}

/** @typedef {import('../harness/engines.mjs').Feed} Feed */
/**
 * @typedef {{ run: (feed: Feed) => Promise<unknown>, probability: (text: string) =>
 * Promise<number>, feed: (texts: readonly string[]) => Feed }} Session
 *   A session of onnxruntime: `feed` converts texts to tensors, and `run` takes these tensors.
 *   `probability` predicts one text.
 */

/**
 * Measures single predictions of all engines, which alternate.
 *
 * @param {Awaited<ReturnType<typeof openAll>>} engines
 * @param {readonly string[]} texts
 */
function race({ brezel, natural, expert, empty }, texts) {
  const { runtime, plans } = brezel;
  const feeds = texts.map((text) => natural.feed([text]));
  const out = new Float64Array(plans[0].width);
  const nth = (/** @type {number} */ index) => index % texts.length;
  return interleave(
    [
      { name: 'answer object', calls: 400, call: (index) => runtime.predictSync(plans[0], texts[nth(index)]) },
      { name: 'out-array', calls: 400, call: (index) => runtime.predictSync(plans[0], texts[nth(index)], out) },
      { name: 'expert', calls: 100, isAsync: true, call: (index) => expert.run(feeds[nth(index)]) },
      { name: 'natural', calls: 25, isAsync: true, call: (index) => natural.run(feeds[nth(index)]) },
      { name: 'empty graph', calls: 100, isAsync: true, call: (index) => empty.run(feeds[nth(index)]) },
    ],
    { rounds: ROUNDS },
  );
}

/**
 * Records the times of a race, and how many times as fast Brezel is as each onnxruntime graph.
 *
 * @param {Size} size
 * @param {string} kind
 * @param {Awaited<ReturnType<typeof race>>} times
 * @param {boolean} hasTarget
 */
function report(size, kind, times, hasTarget) {
  for (const [name, one] of Object.entries(times)) measure(`SA ${size}, ${kind}: ${name}`, 'µs', one);
  for (const [rival, { goal, target }] of Object.entries(TARGETS)) {
    for (const ours of ['answer object', 'out-array']) {
      comparison({
        goal,
        what: `SA single, ${size} dictionary, ${kind}, ${ours}`,
        rival: `${rival} graph`,
        unit: 'µs',
        ours: times[ours].median,
        theirs: times[rival].median,
        ...timesFaster(times[rival], times[ours]),
        target: hasTarget ? target : undefined,
      });
    }
    comparison({
      goal: 'G7',
      what: `p99 of SA single, ${size} dictionary, ${kind}, answer object`,
      rival: `${rival} graph`,
      unit: 'µs',
      ours: times['answer object'].p99,
      theirs: times[rival].p99,
      ...ratioOf(times[rival].tails, times['answer object'].tails),
      ratio: times[rival].p99 / times['answer object'].p99,
      target: hasTarget ? 10 : undefined,
    });
  }
}

async function fallbackSingle() {
  /** @type {Size} */
  const size = isQuick ? '10k' : '1M';
  const brezel = await openBrezel({ ...DEFAULTS, native: false });
  await brezel.load(naturalFile(size));
  const { expert } = await openSessions({ expert: expertFile(size) });
  const map = mapPredictor(dictionary(size), makeWeights(dictionary(size)));
  say(
    await compareTexts(`SA ${size}`, agreementTexts(2000), {
      'onnxruntime expert': expert.probability,
      JavaScript: (text) => numberOf(brezel.one(0, text)),
      'Map code': map,
    }),
  );
  const contest = { size, brezel, expert, map };
  const times = await fallbackRace(contest, 'texts of 100 words', reviews(2000), FALLBACK_TARGET);
  const parts = await saParts(size, (text) => brezel.one(0, text), reviews(2000), { native: false });
  saBinds('G13', 'JavaScript, SA 1M, expert', parts, times['expert graph'].median / FALLBACK_TARGET);
  saBinds('G13', 'JavaScript, SA 1M, code with Maps', parts, times['Map code'].median / FALLBACK_TARGET);
  saBinds('G23', 'without the addon, SA 1M, code with Maps', parts, times['Map code'].median / MAP_TARGET);
  await fallbackRace(contest, 'short input of 5 words', shortTexts(2000));
  await fallbackRace(contest, 'texts with accents', accentedReviews(2000));
}

/**
 * Compares Brezel without the addon with the expert graph in onnxruntime, and with handwritten
 * code that uses Maps.
 *
 * @param {{ size: Size, brezel: Awaited<ReturnType<typeof openBrezel>>, expert: Session, map:
 * (text: string) => number }} contest
 * @param {string} kind
 * @param {readonly string[]} texts
 * @param {number} [target]
 */
async function fallbackRace({ size, brezel, expert, map }, kind, texts, target) {
  const feeds = texts.map((text) => expert.feed([text]));
  const nth = (/** @type {number} */ index) => index % texts.length;
  const times = await interleave(
    [
      { name: 'fallback', calls: 200, call: (index) => brezel.one(0, texts[nth(index)]) },
      { name: 'expert graph', calls: 100, isAsync: true, call: (index) => expert.run(feeds[nth(index)]) },
      { name: 'Map code', calls: 100, call: (index) => map(texts[nth(index)]) },
    ],
    { rounds: ROUNDS },
  );
  for (const [name, one] of Object.entries(times)) measure(`SA ${size}, ${kind}: ${name}`, 'µs', one);
  for (const rival of ['expert graph', 'Map code']) {
    comparison({
      goal: 'G13',
      what: `JavaScript fallback, SA single, ${size} dictionary, ${kind}`,
      rival,
      unit: 'µs',
      ours: times.fallback.median,
      theirs: times[rival].median,
      ...timesFaster(times[rival], times.fallback),
      target: isQuick ? undefined : target,
    });
  }
  return times;
}

/**
 * Returns the predictor that a good programmer writes without a library. It has one Map from n-gram
 * to weight for each kind of n-gram, a regular expression for words, and a running sum. The keys of
 * the Maps are strings, whose hashing is the main cost.
 *
 * @param {import('../models/reviews.mjs').Dictionary} dictionary
 * @param {import('../models/sentiment-onnx.mjs').Weights} weights
 * @returns {(text: string) => number} probability of class 1
 */
function mapPredictor({ words, pairs, characters }, weights) {
  const ofWords = new Map(words.map((word, index) => [word, weights.words[index]]));
  const ofPairs = new Map(pairs.map((pair, index) => [pair.join(' '), weights.pairs[index]]));
  const ofCharacters = new Map(characters.map((gram, index) => [gram, weights.characters[index]]));
  const hasSurrogates = /[\ud800-\udfff]/;
  return (text) => {
    let score = weights.bias;
    let previous = '';
    for (const word of text.match(/[a-zA-Z0-9_]+/g) ?? []) {
      score += ofWords.get(word) ?? 0;
      if (previous !== '') score += ofPairs.get(`${previous} ${word}`) ?? 0;
      previous = word;
    }
    if (!hasSurrogates.test(text)) {
      for (let index = 0; index + 3 <= text.length; index++)
        score += ofCharacters.get(text.slice(index, index + 3)) ?? 0;
    } else {
      const points = [...text];
      for (let index = 0; index + 3 <= points.length; index++)
        score += ofCharacters.get(points[index] + points[index + 1] + points[index + 2]) ?? 0;
    }
    return 1 / (1 + Math.exp(-score));
  };
}

// The functions below measure how a prediction spends its time, as reasons for missing a goal. They
// measure plans with only one kind of n-grams, calls with an empty text, and calls with one
// repeated text.

/**
 * @typedef {{ whole: number, call: number, words: number, characters: number, repeated: number,
 * lookups: { words: number, characters: number } }} SaParts
 *   Times of predictions in µs per text: `whole` runs the plan, `call` runs it on the empty text,
 *   and `repeated` runs it on one text. `words` and `characters` run plans with these n-grams only.
 *   `lookups` is the mean number of lookups per text.
 */

const PART_ROUNDS = isQuick ? 3 : 15;

/**
 * Registers two plans: one counts only the word n-grams of a dictionary, the other only its
 * character n-grams.
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
  /**
   * @type {(name: string, compiled: import('brezel').OwnedPlan) =>
   *   import('brezel').RegisteredPlan}
   */
  const register = (name, compiled) => {
    const plan = runtime.register(compiled, { name });
    compiled.release();
    return plan;
  };
  const ofWords = Float32Array.from([...weights.words, ...weights.pairs]);
  const plans = {
    words: register('words', counts.logistic({ weights: ofWords, bias: weights.bias }).plan()),
    characters: register('characters', grams.logistic({ weights: weights.characters, bias: weights.bias }).plan()),
  };
  flour.dispose();
  return { runtime, plans };
}

/**
 * Measures the mean µs per call of each function in several rounds over all texts, and returns the
 * median of the rounds. The functions alternate.
 *
 * @param {Record<string, (index: number) => unknown>} calls
 * @param {number} count
 */
function alternate(calls, count) {
  const times = Object.fromEntries(Object.keys(calls).map((name) => [name, /** @type {number[]} */ ([])]));
  for (let round = 0; round <= PART_ROUNDS; round++) {
    for (const [name, call] of Object.entries(calls)) {
      const start = performance.now();
      for (let index = 0; index < count; index++) call(index);
      if (round > 0) times[name].push(((performance.now() - start) * 1000) / count);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, summary(list).median]));
}

/**
 * Measures how long the parts of a prediction take, in the engine that runs the whole plan.
 *
 * @param {Size} size
 * @param {(text: string) => unknown} whole
 * @param {readonly string[]} texts
 * @param {{ native?: boolean }} [options]
 * @returns {Promise<SaParts>}
 */
async function saParts(size, whole, texts, { native = true } = {}) {
  const { runtime, plans } = await openParts(size, native);
  const by = (/** @type {'words' | 'characters'} */ part) => (/** @type {number} */ index) =>
    runtime.predictSync(plans[part], texts[index]);
  const medium = texts.toSorted((one, other) => one.length - other.length)[Math.floor(texts.length / 2)];
  const times = alternate(
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
 * Records likely reasons for missing a goal of the sentiment pipelines (SA).
 *
 * @param {string} goal
 * @param {string} part
 * @param {SaParts} parts
 * @param {number} allowed µs per text at the target
 */
function saBinds(goal, part, { whole, repeated, call, words, characters, lookups }, allowed) {
  const us = (/** @type {number} */ value) => `${short(value)} µs`;
  const perLookup = ((whole - call) * 1000) / (lookups.words + lookups.characters);
  binds(
    goal,
    part,
    `the target allows ${us(allowed)} per text. A text takes ${us(whole)}. A call with an empty text takes ${us(call)}. ` +
      `A plan that counts only words and pairs of words takes ${us(words)} for ${lookups.words.toFixed(0)} lookups. ` +
      `A plan that counts only character 3-grams takes ${us(characters)} for ${lookups.characters.toFixed(0)} lookups. ` +
      `In the whole plan, a lookup takes ${perLookup.toFixed(1)} ns, including the time for splitting the text and adding ` +
      `the weights. A text of median length takes ${us(repeated)} if it is repeated. Therefore cache misses and ` +
      `mispredicted branches take about ${us(Math.max(0, whole - repeated))}`,
  );
}
