// Figure 9, goals G6, G7, G10, G20: measures the latency of single predictions, cold and hot, one
// model at a time. Then it measures the effect of each part of Brezel (ablations).

import { availableParallelism } from 'node:os';
import { loadNative, rules } from 'brezel';
import { compareOnce } from '../harness/agreement.mjs';
import { openBrezel } from '../harness/engines.mjs';
import { interleave, timesFaster } from '../harness/loops.mjs';
import { kinds } from '../harness/plan.mjs';
import { trial } from '../harness/processes.mjs';
import { binds, comparison, goal, isQuick, measure, missing, point, say, short } from '../harness/records.mjs';
import { expectedExtreme, ratioOf, spread, summary } from '../harness/stats.mjs';
import { acFleet, meanTrees, withoutLargeForests } from '../models/attendee.mjs';
import { openWorkload, rowsOf, scaled, spreadMembers } from '../models/workload.mjs';

/** @typedef {import('../models/workload.mjs').Kind} Kind */
/**
 * @typedef {Record<string, { cold: number[], hot: number[], samples: number[], again: number[],
 * one: number[] }>} Times
 *   The times of each contestant in µs. `cold` and `hot` have one number for each pipeline, and
 *   `samples` has all hot calls. `again` repeats the hot rows once, and `one` repeats one row.
 */

const TRIAL = new URL('latency-trial.mjs', import.meta.url).href;
/** The number of pipelines that one trial loads into onnxruntime, for each of the two graphs. */
const CHUNK = 4;
const TARGETS = { sa: {}, ac: { natural: 6 } };

export const experiments = {
  async 'fig9-latency'() {
    for (const kind of kinds) {
      await latency(kind);
      await ablations(kind);
    }
    say('materialization is off in all experiments but fig10-materialization, where rows repeat on purpose');
  },
};

/**
 * Joins the times of several trials.
 *
 * @param {readonly Times[]} parts
 * @returns {Times}
 */
function together(parts) {
  const names = Object.keys(parts[0]);
  const fields = /** @type {const} */ (['cold', 'hot', 'samples', 'again', 'one']);
  return Object.fromEntries(
    names.map((name) => [
      name,
      /** @type {Times[string]} */ (
        Object.fromEntries(fields.map((field) => [field, parts.flatMap((part) => part[name][field])]))
      ),
    ]),
  );
}

/**
 * Measures the latencies of a fleet in all engines, for Figure 9.
 *
 * @param {Kind} kind
 */
async function latency(kind) {
  const fleet = openWorkload(kind);
  say(await compareOnce(fleet, [0, fleet.members.length - 1]));
  const packed = await fleet.packed();
  const other = openWorkload(kind, { seed: 2 });
  const warm = { natural: other.file(0, 'natural'), expert: other.file(0, 'expert') };
  const picked = spreadMembers(fleet);
  const chunkOf = (/** @type {number} */ first) => {
    const members = picked
      .slice(first, first + CHUNK)
      .map((member) => ({ member, natural: fleet.file(member, 'natural'), expert: fleet.file(member, 'expert') }));
    return { kind, packed, warm, members };
  };
  const parts = [];
  for (let first = 0; first < picked.length; first += CHUNK)
    parts.push((await trial(TRIAL, 'latency', chunkOf(first))).times);
  const times = together(parts);
  const members = fleet.members.map((_, member) => ({ member }));
  const alone = await trial(TRIAL, 'latency', { kind, packed, warm, members, again: true });
  draw(kind, { ...times, [`brezel, all ${fleet.members.length}`]: alone.times.brezel });
  drawBusy(kind, (await trial(TRIAL, 'latency', { ...chunkOf(0), busy: availableParallelism() })).times);
  against(kind, times);
  ownTail(kind, alone);
  if (kind === 'ac') singleBinds(times, alone.times.brezel);
  else fleetBinds(times.brezel, alone.times.brezel);
}

/**
 * Summarizes the hot calls of each pipeline (its measured calls after the warm-up).
 *
 * @param {Times[string]} times
 */
const byPipeline = ({ samples, hot }) => {
  const calls = samples.length / hot.length;
  return hot.map((_, index) => summary(samples.slice(index * calls, (index + 1) * calls)));
};
/**
 * Returns the p99 of the hot calls of each pipeline (its measured calls after the warm-up).
 *
 * @param {Times[string]} times
 */
const tails = (times) => byPipeline(times).map(({ p99 }) => p99);
/**
 * Returns the slowest hot call of each pipeline (its measured calls after the warm-up).
 *
 * @param {Times[string]} times
 */
const worst = (times) => byPipeline(times).map(({ max }) => max);

/**
 * Divides the time of each call by the median of its pipeline, because the sizes of AC pipelines
 * differ by a factor of 100.
 *
 * @param {number[]} samples of all pipelines, one pipeline after another
 * @param {number} pipelines
 * @returns {number[][]} one list per pipeline
 */
function relative(samples, pipelines) {
  const calls = samples.length / pipelines;
  const list = Array.from({ length: pipelines }, (_, index) => {
    const own = samples.slice(index * calls, (index + 1) * calls);
    const { median } = summary(own);
    return own.map((time) => time / median);
  });
  return list;
}

/**
 * Records the p99 of all calls for goal G7. Each time is divided by the median of its pipeline.
 *
 * @param {Kind} kind
 * @param {{ times: Times, system: { faults: number, preempted: number }, loop: number[] }} alone
 */
function ownTail(kind, { times, system, loop }) {
  const { samples, hot, again, one } = times.brezel;
  const all = summary(samples);
  const own = relative(samples, hot.length);
  goal({
    goal: 'G7',
    part: `${kind} own`,
    measured: summary(own.flat()).p99,
    unit: 'times',
    ...expectedExtreme(own, (part) => summary(part.flat()).p99),
    note: `p99 of ${samples.length} hot calls, each relative to the median of its pipeline; ${(all.p99 / all.median).toFixed(2)} times over all pipelines together`,
  });
  const tail = (/** @type {number[]} */ list) => summary(relative(list, hot.length).flat()).p99.toFixed(2);
  const idle = summary(loop);
  binds(
    'G7',
    `own p99 / p50, ${kind.toUpperCase()}`,
    `rows differ, and each row reads parameters from memory. The ratio of p99 to p50 is ${tail(again)} if the same rows ` +
      `are predicted again, and ${tail(one)} for one repeated row per pipeline. On the same machine, the ratio is ` +
      `${(idle.p99 / idle.median).toFixed(2)} for a loop of ${short(idle.median)} µs that does not access memory. During ` +
      `the ${samples.length} calls, the operating system preempted the process ${system.preempted} times and mapped ` +
      `${system.faults} pages`,
  );
}

/**
 * Records likely reasons for missing goal G6 (the latency of one AC row).
 *
 * @param {Times} times measured while Brezel and onnxruntime alternate
 * @param {Times[string]} alone measured over all pipelines while onnxruntime does not run
 */
function singleBinds({ brezel, 'onnxruntime natural': natural }, alone) {
  const [ours, theirs] = [summary(brezel.hot).median, summary(natural.hot).median];
  const { share, pipelines } = scaled();
  const { members } = acFleet({ pipelines, share });
  const simple = withoutLargeForests(members);
  const calls = alone.one.length / alone.hot.length;
  const middles = alone.hot.map((_, index) => summary(alone.one.slice(index * calls, (index + 1) * calls)).median);
  binds(
    'G6',
    'AC single, natural',
    `the target allows ${short(theirs / TARGETS.ac.natural)} µs per row. A row takes ${short(ours)} µs if Brezel and ` +
      `onnxruntime take turns, because onnxruntime evicts Brezel's parameters from the processor caches. Without ` +
      `onnxruntime, a row takes ${short(summary(alone.hot).median)} µs. Both times are for all ${alone.hot.length} ` +
      `pipelines. One repeated row takes ${short(summary(middles).median)} µs. For the ${simple.length} pipelines without ` +
      `featurizer and classifier, a row takes ${short(summary(simple.map((index) => alone.hot[index])).median)} µs. On ` +
      `average, a row walks ${meanTrees(members, share).toFixed(0)} trees of up to 1024 leaves in both engines`,
  );
}

/**
 * Records likely reasons for missing goal G20 (the latencies of 250 SA pipelines that answer one
 * after another).
 *
 * @param {Times[string]} ours measured while Brezel and onnxruntime alternate
 * @param {Times[string]} alone measured over all pipelines while onnxruntime does not run
 */
function fleetBinds(ours, alone) {
  const us = (/** @type {number[]} */ list) => `${short(summary(list).median)} µs`;
  binds(
    'G20',
    ['hot median', 'hot p99', 'cold first prediction'].map((what) => `250 SA in turns, ${what}, expert`),
    `a hot call takes ${us(ours.hot)} in alternation with onnxruntime, and ${us(alone.hot)} without it over ` +
      `${alone.hot.length} pipelines; the same rows in a second pass take ${us(alone.again)}, one repeated row ${us(alone.one)}. ` +
      `A first prediction takes ${us(ours.cold)}: it reads the weights of its pipeline from memory for the first time`,
  );
}

/**
 * Records the points of Figure 9: hot, cold and slowest calls of each contestant.
 *
 * @param {Kind} kind
 * @param {Times} times
 */
function draw(kind, times) {
  for (const [series, { cold, hot }] of Object.entries(times)) {
    const x = kind.toUpperCase();
    point({ figure: 'fig9', series, x: `${x} hot`, unit: 'µs' }, summary(hot));
    point({ figure: 'fig9', series, x: `${x} cold`, unit: 'µs' }, summary(cold));
    for (const [temperature, list] of Object.entries({ hot: worst(times[series]), cold }))
      point(
        { figure: 'fig9-worst', series, x: `${x} ${temperature} call`, unit: 'µs' },
        { median: Math.max(...list), expected: expectedExtreme(list, (part) => Math.max(...part)) },
      );
  }
}

/**
 * Records the points that were measured while busy processes occupy all cores.
 * @param {Kind} kind
 * @param {Times} times
 */
function drawBusy(kind, times) {
  for (const [series, { samples }] of Object.entries(times)) {
    const x = `${kind.toUpperCase()} hot, ${availableParallelism()} other processes compute`;
    point({ figure: 'fig9-busy', series, x, unit: 'µs' }, summary(samples));
  }
}

/**
 * Compares the hot and the cold latencies of Brezel with those of both onnxruntime graphs.
 *
 * @param {Kind} kind
 * @param {Times} times
 */
function against(kind, times) {
  const ours = times.brezel;
  for (const form of /** @type {const} */ (['natural', 'expert'])) {
    const theirs = times[`onnxruntime ${form}`];
    const rival = `${form} graph`;
    const target = isQuick ? undefined : /** @type {Record<string, number>} */ (TARGETS[kind])[form];
    const upper = kind.toUpperCase();
    for (const temperature of /** @type {const} */ (['hot', 'cold'])) {
      comparison({
        goal: temperature === 'cold' ? 'G10' : kind === 'ac' ? 'G6' : form === 'natural' ? 'G1' : 'G2',
        part: `fleet ${kind} ${form} ${temperature}`,
        figure: 'fig9',
        what: `${upper} single, ${temperature}, over ${ours.hot.length} pipelines`,
        rival,
        unit: 'µs',
        ours: summary(ours[temperature]).median,
        theirs: summary(theirs[temperature]).median,
        ...spread(theirs[temperature].map((time, index) => time / ours[temperature][index])),
        target: temperature === 'hot' ? target : undefined,
        brief: true,
      });
    }
    comparison({
      goal: 'G10',
      part: `fleet ${kind} ${form} cold p99`,
      figure: 'fig9',
      what: `p99 of ${upper} single, cold, of ${ours.cold.length} pipelines`,
      rival,
      unit: 'µs',
      ours: summary(ours.cold).p99,
      theirs: summary(theirs.cold).p99,
      ...ratioOf(theirs.cold, ours.cold),
      ratio: summary(theirs.cold).p99 / summary(ours.cold).p99,
    });
    comparison({
      goal: 'G7',
      part: `fleet ${kind} ${form}`,
      figure: 'fig9',
      what: `p99 of ${upper} single, hot calls of ${ours.hot.length} pipelines`,
      rival,
      unit: 'µs',
      ours: summary(ours.samples).p99,
      theirs: summary(theirs.samples).p99,
      ...ratioOf(tails(theirs), tails(ours)),
      ratio: summary(theirs.samples).p99 / summary(ours.samples).p99,
      target: isQuick ? undefined : 10,
    });
  }
}

/** The rules of the step "Optimize stages" that the experiment disables to measure their effect. */
const optimizations = rules
  .filter(({ step, required }) => step === 'optimize-stages' && !required)
  .map(({ name }) => name);

/**
 * Measures how much slower predictions become when one feature of Brezel is turned off.
 *
 * @param {Kind} kind
 */
async function ablations(kind) {
  const fleet = openWorkload(kind);
  const rows = rowsOf(kind, 500);
  const variants = {
    'as it is': {},
    'no rules': { flour: { disable: optimizations } },
    'JavaScript fallback': { native: false },
  };
  const contestants = [];
  for (const [name, options] of Object.entries(variants)) {
    const server = await openBrezel(options);
    await server.load(fleet.file(0, 'natural'));
    contestants.push({
      name,
      calls: 100,
      call: (/** @type {number} */ index) => server.one(0, rows[index % rows.length]),
    });
  }
  const server = await openBrezel();
  await server.load(fleet.file(0, 'natural'));
  const { addon } = loadNative();
  const withoutPools = (/** @type {number} */ index) => {
    addon?.contextRelease(); // frees all vectors, so that each prediction allocates them
    return server.one(0, rows[index % rows.length]);
  };
  if (addon) contestants.push({ name: 'no vector pools', calls: 100, call: withoutPools });
  else missing('ablation: no vector pools', 'the addon is not installed, and the JavaScript engine has no pools');
  const byReference = (/** @type {number} */ index) =>
    server.runtime.predictBatch(server.plans[0], [rows[index % rows.length]], { engine: 'reference' });
  contestants.push({ name: 'reference', calls: 2, isAsync: true, call: byReference });
  const times = await interleave(contestants, { rounds: isQuick ? 3 : 30 });
  for (const [name, one] of Object.entries(times)) {
    measure(`${kind.toUpperCase()} ablation: ${name}`, 'µs', one);
    const { ratio, low, high, min, max } = timesFaster(one, times['as it is']);
    point(
      { figure: 'fig9-ablations', series: name, x: `${kind.toUpperCase()} hot`, unit: 'times' },
      { median: ratio, min: low, max: high, expected: { min, max } },
    );
  }
}
