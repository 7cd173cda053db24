// Figure 9, goals G6, G7, G10, G20: measures the latency of single predictions, cold and hot, one
// model at a time. Then it measures the effect of each part of Brezel (ablations).
//
// A trial is a fresh process that calls pipelines one after another, as in the paper. The first
// prediction of a pipeline is cold, the next ten do not count, and a hundred more are hot. Brezel
// reads plans from a fleet file; onnxruntime loads ONNX files before the calls.

import { availableParallelism } from 'node:os';
import { loadNative, rules } from 'brezel';
import { compareOnce } from '../harness/agreement.mjs';
import { openBrezel, openRival } from '../harness/engines.mjs';
import { interleave, timesFaster } from '../harness/loops.mjs';
import { startBusyProcesses } from '../harness/machine.mjs';
import { kinds } from '../harness/plan.mjs';
import { send, trial } from '../harness/processes.mjs';
import { binds, comparison, goal, isQuick, measure, missing, point, say, short } from '../harness/records.mjs';
import { expectedExtreme, ratioOf, spread, summary } from '../harness/stats.mjs';
import { acFleet, meanTrees, withoutLargeForests } from '../models/attendee.mjs';
import { openWorkload, rowsOf, scaled, spreadMembers } from '../models/workload.mjs';

/** @typedef {import('../models/workload.mjs').Kind} Kind */
/**
 * @typedef {object} Parameters
 * @property {import('../models/workload.mjs').Kind} kind
 * @property {string} packed fleet file
 * @property {{ natural: string, expert: string }} warm ONNX files of a pipeline that is not
 * measured
 * @property {{ member: number, natural?: string, expert?: string }[]} members the pipelines to
 * call; if they have no files, only Brezel runs
 * @property {boolean} [again] also calls the hot rows once more, and one row repeatedly
 * @property {number} [busy] number of busy processes during the trial
 */
/**
 * @typedef {{ name: string, one: (model: number, row: any) => unknown, model: (index: number) =>
 * number }} Contestant
 *   An engine with its loaded pipelines. `model` maps the index of a member to the number of its
 *   pipeline in this engine, and `one` predicts one row with this pipeline.
 */
/**
 * @typedef {{ cold: number[], hot: number[], samples: number[], again: number[], one: number[] }}
 * CallTimes
 *   The times of one contestant in µs. `cold` and `hot` have one number for each pipeline, and
 *   `samples` has all hot calls. `again` repeats the hot rows once, and `one` repeats one row.
 */
/** @typedef {Record<string, CallTimes>} Times the times of each contestant */

const DISCARDED = 10;
const HOT = 100;
/**
 * The number of calls with which each engine warms up before the measurement. They go to a pipeline
 * that is not measured, so that the engine's code is compiled as in a running server.
 */
const WARM_UP = 1000;
/**
 * Contestants alternate in this many rounds, so that a phase in which the machine is slower affects
 * all of them.
 */
const ROUNDS = 5;
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

export const trials = {
  /** @param {Parameters} parameters */
  async latency({ kind, packed, warm, members, again = false, busy = 0 }) {
    const rows = rowsOf(kind, 1 + DISCARDED + HOT);
    const contestants = await openAll({ kind, packed, warm, members }, rows);
    /**
     * Measures one call in µs.
     *
     * @param {Contestant} contestant
     * @param {number} index
     * @param {number} row
     */
    const timed = async ({ one, model }, index, row) => {
      const start = performance.now();
      const answer = one(model(index), rows[row]);
      if (answer instanceof Promise) await answer;
      return (performance.now() - start) * 1000;
    };
    /** @type {Times} */
    const times = Object.fromEntries(
      contestants.map(({ name }) => [name, { cold: [], hot: [], samples: [], again: [], one: [] }]),
    );
    const stopBusy = await startBusyProcesses(busy);
    /**
     * Page faults and preemptions of this process during the hot calls (the measured calls after
     * the warm-up).
     */
    const system = { faults: 0, preempted: 0 };
    for (const index of members.keys()) {
      for (const contestant of contestants) times[contestant.name].cold.push(await timed(contestant, index, 0));
      for (const contestant of contestants)
        for (let row = 1; row <= DISCARDED; row++) await timed(contestant, index, row);
      const before = process.resourceUsage();
      const hot = new Map(contestants.map((contestant) => [contestant, /** @type {number[]} */ ([])]));
      for (let round = 0; round < ROUNDS; round++) {
        for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed())
          for (let call = 0; call < HOT / ROUNDS; call++)
            hot.get(contestant)?.push(await timed(contestant, index, 1 + DISCARDED + round * (HOT / ROUNDS) + call));
      }
      const after = process.resourceUsage();
      system.faults += after.minorPageFault + after.majorPageFault - before.minorPageFault - before.majorPageFault;
      system.preempted += after.involuntaryContextSwitches - before.involuntaryContextSwitches;
      for (const [{ name }, samples] of hot) {
        times[name].hot.push(samples.reduce((sum, time) => sum + time, 0) / samples.length);
        times[name].samples.push(...samples);
      }
      const { again: repeated, one } = times.brezel;
      for (let call = 0; again && call < HOT; call++)
        repeated.push(await timed(contestants[0], index, 1 + DISCARDED + call));
      for (let call = 0; again && call < HOT; call++) one.push(await timed(contestants[0], index, 1 + DISCARDED));
    }
    stopBusy();
    await send({ times, system, ...(again && { loop: loopTimes() }) });
  },
};

/**
 * Opens and warms up all contestants.
 *
 * @param {Parameters} parameters
 * @param {readonly any[]} rows
 * @returns {Promise<Contestant[]>}
 */
async function openAll({ kind, packed, warm, members }, rows) {
  const warmUp = async (/** @type {Contestant['one']} */ one, /** @type {number} */ model) => {
    for (let call = 0; call < WARM_UP; call++) await one(model, rows[call % rows.length]);
  };
  const brezel = await openBrezel();
  await brezel.open(packed, { verify: false, prefault: true });
  await brezel.load(warm.natural);
  await warmUp(brezel.one, brezel.plans.length - 1);
  /** @type {Contestant[]} */
  const contestants = [{ name: 'brezel', one: brezel.one, model: (index) => members[index].member }];
  for (const form of /** @type {const} */ (['natural', 'expert'])) {
    if (members[0][form] === undefined) continue;
    const rival = await openRival(kind);
    for (const member of members) await rival.load(/** @type {string} */ (member[form]));
    await rival.load(warm[form]);
    await warmUp(rival.one, members.length);
    contestants.push({ name: `onnxruntime ${form}`, one: rival.one, model: (index) => index });
  }
  return contestants;
}

/** Measures a loop without memory access in µs, to show how steady this machine is. */
function loopTimes() {
  const list = [];
  let sum = 0;
  for (let call = 0; call < 25_000; call++) {
    const start = performance.now();
    for (let step = 0; step < 10_000; step++) sum = (sum * 5 + step) | 0;
    list.push((performance.now() - start) * 1000);
  }
  // the sum is always an integer; reading it prevents V8 from removing the loop
  return sum === 0.5 ? [] : list;
}

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
      /** @type {CallTimes} */ (
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
    parts.push((await trial(import.meta.url, 'latency', chunkOf(first))).times);
  const times = together(parts);
  const members = fleet.members.map((_, member) => ({ member }));
  const alone = await trial(import.meta.url, 'latency', { kind, packed, warm, members, again: true });
  draw(kind, { ...times, [`brezel, all ${fleet.members.length}`]: alone.times.brezel });
  drawBusy(kind, (await trial(import.meta.url, 'latency', { ...chunkOf(0), busy: availableParallelism() })).times);
  against(kind, times);
  ownTail(kind, alone);
  if (kind === 'ac') singleBinds(times, alone.times.brezel);
  else fleetBinds(times.brezel, alone.times.brezel);
}

/**
 * Summarizes the hot calls of each pipeline (its measured calls after the warm-up).
 *
 * @param {CallTimes} times
 */
const byPipeline = ({ samples, hot }) => {
  const calls = samples.length / hot.length;
  return hot.map((_, index) => summary(samples.slice(index * calls, (index + 1) * calls)));
};
/**
 * Returns the p99 of the hot calls of each pipeline (its measured calls after the warm-up).
 *
 * @param {CallTimes} times
 */
const tails = (times) => byPipeline(times).map(({ p99 }) => p99);
/**
 * Returns the slowest hot call of each pipeline (its measured calls after the warm-up).
 *
 * @param {CallTimes} times
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
 * @param {CallTimes} alone measured over all pipelines while onnxruntime does not run
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
 * @param {CallTimes} ours measured while Brezel and onnxruntime alternate
 * @param {CallTimes} alone measured over all pipelines while onnxruntime does not run
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
  else missing('ablation: no vector pools', 'the addon is not installed, and WebAssembly has no pools');
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
