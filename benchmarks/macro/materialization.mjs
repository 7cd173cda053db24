// Figure 10 of the paper: a family of SA pipelines with kept results of shared stages and without, over the same texts and over texts that never come
// again; and all pipelines of the family asked at once.

import { readFileSync } from 'node:fs';
import { createFlour, createRuntime, importOnnx, openStore } from 'brezel';
import { interleave, timesFaster } from '../lib/interleave.mjs';
import { naturalFile } from '../lib/model-files.mjs';
import { isQuick, measure, note, say, short } from '../lib/report.mjs';
import { spread, summary } from '../lib/stats.mjs';
import { reviews } from '../lib/workload.mjs';

/** @typedef {import('brezel').Runtime} Runtime @typedef {import('brezel').RegisteredPlan} Plan */
/** @typedef {{ runtime: Runtime, plans: Plan[] }} Family */

const SIZE = isQuick ? '10k' : '100k';
const MEMBERS = isQuick ? 4 : 20;
const ROUNDS = isQuick ? 4 : 40;
const TEXTS = 500;
const texts = reviews(TEXTS);

/** The same family in several runtimes, over one store. @param {boolean} native @returns {Promise<{ kept: Family, plain: Family }>} */
async function openFamilies(native) {
  const store = await openStore({ native });
  const open = (/** @type {false | undefined} */ materialization) => ({
    runtime: createRuntime({ store, native, materialization }),
    plans: /** @type {Plan[]} */ ([]),
  });
  const families = { kept: open(undefined), plain: open(false) };
  for (let member = 0; member < MEMBERS; member++) {
    const flour = await createFlour({ store });
    const compiled = importOnnx(readFileSync(naturalFile(SIZE, member)), flour).program.plan();
    for (const { runtime, plans } of Object.values(families)) plans.push(runtime.register(compiled));
    compiled.release();
    flour.dispose();
  }
  return families;
}

/** @param {{ kept: Family, plain: Family }} families */
function mustAgree({ kept, plain }) {
  for (const text of texts.slice(0, 50)) {
    const want = plain.plans.map((plan) => JSON.stringify(plain.runtime.predictSync(plan, text)));
    for (const got of [
      kept.plans.map((plan) => kept.runtime.predictSync(plan, text)),
      plain.runtime.predictManySync(plain.plans, text),
      kept.runtime.predictManySync(kept.plans, text),
    ])
      if (got.some((answer, at) => JSON.stringify(answer) !== want[at])) throw new Error(`answers differ: ${text}`);
  }
}

/**
 * Each text goes to every pipeline, beginning with another one each time: all of them meet texts that nobody saw before. Medians by pipeline, in µs.
 *
 * @param {Family} family @param {number} round
 */
function byPlan({ runtime, plans }, round) {
  const times = plans.map(() => /** @type {number[]} */ ([]));
  for (let at = 0; at < texts.length / 10; at++) {
    const text = `${texts[(round * 50 + at) % TEXTS]} ${round}`; // never seen in an earlier round
    for (let turn = 0; turn < plans.length; turn++) {
      const plan = (at + turn) % plans.length;
      const start = performance.now();
      runtime.predictSync(plans[plan], text);
      times[plan].push((performance.now() - start) * 1000);
    }
  }
  return times.map((all) => summary(all).median);
}

/** Figure 10. @param {string} what @param {{ kept: Family, plain: Family }} families */
function eachPipeline(what, { kept, plain }) {
  const ratios = kept.plans.map(() => /** @type {number[]} */ ([]));
  const before = kept.runtime.stats().materialization;
  for (let round = 0; round < ROUNDS; round++) {
    const ours = byPlan(kept, round);
    const theirs = byPlan(plain, round);
    ratios.forEach((list, plan) => void list.push(theirs[plan] / ours[plan]));
  }
  const speedups = ratios.map((list) => spread(list).ratio);
  const { hits, misses, bytes } = kept.runtime.stats().materialization;
  const ratio = (hits - before.hits) / (hits - before.hits + misses - before.misses);
  measure(`${what}, the same texts: times faster with kept results, by pipeline`, 'x', summary(speedups));
  const twice = speedups.filter((one) => one >= 2).length;
  note(`${what}: ${twice} of ${speedups.length} pipelines at least 2x, slowest ${short(Math.min(...speedups))}x`);
  note(
    `${what}: hit ratio ${ratio.toFixed(3)} of ${MEMBERS} pipelines a text, ${(bytes / 2 ** 20).toFixed(1)} MiB kept`,
  );
}

/** @param {string} what @param {import('../lib/interleave.mjs').Contestant[]} contestants the first is what the others are compared with */
async function compare(what, contestants) {
  const times = await interleave(contestants, { rounds: ROUNDS });
  const [base] = contestants;
  for (const { name } of contestants) {
    measure(`${what}: ${name}`, 'µs', times[name]);
    if (name !== base.name)
      say(`  ${short(timesFaster(times[base.name], times[name]).ratio)}x as fast as ${base.name}`);
  }
}

for (const native of [true, false]) {
  const families = await openFamilies(native);
  const { kept, plain } = families;
  const what = `${MEMBERS} SA ${SIZE}, ${kept.plans[0].engine}`;
  mustAgree(families);
  eachPipeline(what, families);
  const calls = native ? 400 : 100;
  let unseen = 0;
  const fresh = () => `${texts[unseen % TEXTS]} ${unseen++}`;
  const oneByOne = (/** @type {Family} */ { runtime, plans }) => {
    const text = fresh();
    for (const plan of plans) runtime.predictSync(plan, text);
  };
  await compare(`${what}, a new text by all of them`, [
    { name: 'one by one, nothing kept', calls: calls / 10, call: () => oneByOne(plain) },
    { name: 'one by one, kept results', calls: calls / 10, call: () => oneByOne(kept) },
    {
      name: 'predictManySync, nothing kept',
      calls: calls / 10,
      call: () => plain.runtime.predictManySync(plain.plans, fresh()),
    },
  ]);
  await compare(`${what}, texts that never come again`, [
    { name: 'nothing kept', calls, call: (at) => plain.runtime.predictSync(plain.plans[at % MEMBERS], fresh()) },
    { name: 'kept results', calls, call: (at) => kept.runtime.predictSync(kept.plans[at % MEMBERS], fresh()) },
  ]);
  for (const { runtime } of [kept, plain]) await runtime.close();
}
