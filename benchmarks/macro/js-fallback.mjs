// G13: what runs where no addon loads, against the expert graph of onnxruntime and against plain JavaScript with Maps.
import { agreementTexts, mustAgree } from '../lib/agree.mjs';
import { interleave, timesFaster } from '../lib/interleave.mjs';
import { mapPredictor } from '../lib/map-code.mjs';
import { dictionary, expertFile, naturalFile } from '../lib/model-files.mjs';
import { makeWeights } from '../lib/onnx-models.mjs';
import { openServer, probabilityByUs } from '../lib/ours.mjs';
import { comparison, isQuick, measure, note } from '../lib/report.mjs';
import { feedOf, openSession, probabilityByRival } from '../lib/rival.mjs';
import { saBinds, saParts } from '../lib/sa-parts.mjs';
import { accentedReviews, reviews, shortTexts } from '../lib/workload.mjs';

const size = isQuick ? '10k' : '1M';
const server = await openServer({ native: false });
const plan = await server.load(naturalFile(size));
const expert = await openSession(expertFile(size));
const map = mapPredictor(dictionary(size), makeWeights(dictionary(size)));
note(
  await mustAgree(`SA ${size}`, agreementTexts(2000), {
    'onnxruntime expert': (text) => probabilityByRival(expert, text),
    fallback: (text) => probabilityByUs(server, plan, text),
    'Map code': map,
  }),
);

/** @param {string} kind @param {readonly string[]} texts @param {number} [target] */
async function race(kind, texts, target) {
  const feeds = texts.map((text) => feedOf(text));
  const nth = (/** @type {number} */ at) => at % texts.length;
  const times = await interleave(
    [
      { name: 'fallback', calls: 200, call: (at) => server.runtime.predictSync(plan, texts[nth(at)]) },
      { name: 'expert graph', calls: 100, isAsync: true, call: (at) => expert.run(feeds[nth(at)]) },
      { name: 'Map code', calls: 100, call: (at) => map(texts[nth(at)]) },
    ],
    { rounds: isQuick ? 4 : 60 },
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

/** What a goal asks for. */
const LEAST = 6;
const whole = await race('texts of 100 words', reviews(2000), LEAST);
const parts = await saParts(size, (text) => server.runtime.predictSync(plan, text), reviews(2000), { native: false });
saBinds('G13', 'JavaScript, SA 1M, expert', parts, whole['expert graph'].median / LEAST);
saBinds('G13', 'JavaScript, SA 1M, code with Maps', parts, whole['Map code'].median / LEAST);
await race('short input of 5 words', shortTexts(2000));
await race('texts with accents', accentedReviews(2000));
