// G1, G2: one text at a time through the SA pipeline, against the natural and the expert graph, in one process, taking turns.
import { agreementTexts, mustAgree } from '../lib/agree.mjs';
import { interleave, timesFaster } from '../lib/interleave.mjs';
import { emptyFile, expertFile, naturalFile } from '../lib/model-files.mjs';
import { openServer, probabilityByUs } from '../lib/ours.mjs';
import { binds, comparison, isQuick, measure, note, say, short } from '../lib/report.mjs';
import { feedOf, openSession, probabilityByRival } from '../lib/rival.mjs';
import { saBinds, saParts } from '../lib/sa-parts.mjs';
import { ratioOf } from '../lib/stats.mjs';
import { accentedReviews, reviews, shortTexts } from '../lib/workload.mjs';

/** @typedef {import('../lib/dictionary.mjs').Size} Size */

/** What the goals want of us; they speak of the dictionary of 1M entries. */
const TARGETS = { natural: { goal: 'G1', target: 150 }, expert: { goal: 'G2', target: 20 } };

/** @param {Size} size */
async function openAll(size) {
  const [native, fallback] = [await openServer(), await openServer({ native: false })];
  const [plan, fallbackPlan] = [await native.load(naturalFile(size)), await fallback.load(naturalFile(size))];
  const natural = await openSession(naturalFile(size));
  const expert = await openSession(expertFile(size));
  if (plan.engine !== 'native') note('no addon: this measures the JavaScript fallback');
  note(
    await mustAgree(`SA ${size}`, agreementTexts(2000), {
      'onnxruntime natural': (text) => probabilityByRival(natural, text),
      'onnxruntime expert': (text) => probabilityByRival(expert, text),
      native: (text) => probabilityByUs(native, plan, text),
      fallback: (text) => probabilityByUs(fallback, fallbackPlan, text),
    }),
  );
  await fallback.runtime.close();
  return { runtime: native.runtime, plan, natural, expert, empty: await openSession(emptyFile()) };
}

/** @param {Awaited<ReturnType<typeof openAll>>} all @param {readonly string[]} texts @param {number} rounds */
function race({ runtime, plan, natural, expert, empty }, texts, rounds) {
  const feeds = texts.map((text) => feedOf(text));
  const out = new Float64Array(plan.width);
  const nth = (/** @type {number} */ at) => at % texts.length;
  return interleave(
    [
      { name: 'answer object', calls: 400, call: (at) => runtime.predictSync(plan, texts[nth(at)]) },
      { name: 'out-array', calls: 400, call: (at) => runtime.predictSync(plan, texts[nth(at)], out) },
      { name: 'expert', calls: 100, isAsync: true, call: (at) => expert.run(feeds[nth(at)]) },
      { name: 'natural', calls: 25, isAsync: true, call: (at) => natural.run(feeds[nth(at)]) },
      { name: 'empty graph', calls: 100, isAsync: true, call: (at) => empty.run(feeds[nth(at)]) },
    ],
    { rounds },
  );
}

/** @param {Size} size @param {string} kind @param {Awaited<ReturnType<typeof race>>} times @param {boolean} hasTarget */
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

const rounds = isQuick ? 4 : 60;
for (const size of /** @type {Size[]} */ (isQuick ? ['10k'] : ['10k', '100k', '1M'])) {
  say(`-- ${size} --`);
  const all = await openAll(size);
  const times = await race(all, reviews(2000), rounds);
  report(size, 'texts of 100 words', times, size === '1M');
  if (size === '1M' || isQuick) {
    const parts = await saParts(size, (text) => all.runtime.predictSync(all.plan, text), reviews(2000));
    saBinds('G1', 'SA single, 1M, natural', parts, times.natural.median / TARGETS.natural.target);
    const { median, p99 } = times['answer object'];
    binds(
      'G7',
      'p99 of SA single, natural',
      `own p99 ${short(p99)} µs, ${short(p99 / median)} times the median; of onnxruntime ${short(times.natural.p99 / times.natural.median)} times`,
    );
    saBinds('G2', 'SA single, 1M, expert', parts, times.expert.median / TARGETS.expert.target);
  }
  report(size, 'short input of 5 words', await race(all, shortTexts(2000), rounds), false);
  report(size, 'texts with accents', await race(all, accentedReviews(2000), rounds), false);
  await all.runtime.close();
}
