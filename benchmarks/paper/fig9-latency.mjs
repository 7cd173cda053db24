// Figure 9: latency of single predictions, cold and hot, one model at a time; then what each part of Brezel is worth.

import { loadNative, rules } from 'brezel';
import { trial } from '../lib/child.mjs';
import { compareOnce } from '../lib/compare-once.mjs';
import { interleave, timesFaster } from '../lib/interleave.mjs';
import { spreadMembers } from '../lib/paper-sizes.mjs';
import { kinds } from '../lib/parts.mjs';
import { comparison, goal, isQuick, measure, missing, note, point } from '../lib/report.mjs';
import { openBrezel } from '../lib/servers.mjs';
import { spread, summary } from '../lib/stats.mjs';
import { openWorkload } from '../workload/fleets.mjs';
import { rowsOf } from '../workload/rows.mjs';

/** @typedef {import('../workload/fleets.mjs').Kind} Kind */
/** @typedef {Record<string, { cold: number[], hot: number[], samples: number[] }>} Times µs; cold and hot have one number a pipeline */

const TRIAL = new URL('../trials/paper-latency.mjs', import.meta.url);
/** Sessions of a process. */
const CHUNK = 4;
const TARGETS = { sa: {}, ac: { natural: 15 } };

/** @param {readonly Times[]} parts @returns {Times} */
function together(parts) {
  const names = Object.keys(parts[0]);
  const joined = (/** @type {string} */ name, /** @type {'cold' | 'hot' | 'samples'} */ field) =>
    parts.flatMap((part) => part[name][field]);
  return Object.fromEntries(
    names.map((name) => [
      name,
      { cold: joined(name, 'cold'), hot: joined(name, 'hot'), samples: joined(name, 'samples') },
    ]),
  );
}

/** @param {Kind} kind */
async function latency(kind) {
  const fleet = openWorkload(kind);
  note(await compareOnce(fleet, [0, fleet.members.length - 1]));
  const packed = await fleet.packed();
  const other = openWorkload(kind, { seed: 2 });
  const warm = { natural: other.file(0, 'natural'), expert: other.file(0, 'expert') };
  const picked = spreadMembers(fleet);
  const parts = [];
  for (let at = 0; at < picked.length; at += CHUNK) {
    const chunk = picked.slice(at, at + CHUNK).map((member) => ({
      member,
      natural: fleet.file(member, 'natural'),
      expert: fleet.file(member, 'expert'),
    }));
    parts.push((await trial(TRIAL, [JSON.stringify({ kind, packed, warm, members: chunk })])).times);
  }
  const times = together(parts);
  const alone = await trial(TRIAL, [
    JSON.stringify({ kind, packed, warm, members: fleet.members.map((_, member) => ({ member })) }),
  ]);
  draw(kind, { ...times, [`brezel, all ${fleet.members.length}`]: alone.times.brezel });
  against(kind, times);
  ownTail(kind, alone.times.brezel);
}

/** G7: how much longer the slowest calls take than the middle one of the same pipeline; pipelines of AC differ by 100 times in size. @param {Kind} kind @param {Times[string]} times */
function ownTail(kind, { samples, hot }) {
  const calls = samples.length / hot.length;
  const relative = hot.flatMap((_, at) => {
    const own = samples.slice(at * calls, (at + 1) * calls);
    const { median } = summary(own);
    return own.map((time) => time / median);
  });
  const all = summary(samples);
  goal({
    goal: 'G7',
    part: `${kind} own`,
    measured: summary(relative).p99,
    unit: 'times',
    note: `p99 of ${samples.length} hot calls, each against the median of its pipeline; ${(all.p99 / all.median).toFixed(2)} times over all pipelines together`,
  });
}

/** @param {Kind} kind @param {Times} times */
function draw(kind, times) {
  for (const [series, { cold, hot }] of Object.entries(times)) {
    const x = kind.toUpperCase();
    point({ figure: 'fig9', series, x: `${x} hot`, unit: 'µs' }, summary(hot));
    point({ figure: 'fig9', series, x: `${x} cold`, unit: 'µs' }, summary(cold));
  }
}

/** @param {Kind} kind @param {Times} times */
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
        ...spread(theirs[temperature].map((time, at) => time / ours[temperature][at])),
        target: temperature === 'hot' ? target : undefined,
        brief: true,
      });
    }
    comparison({
      goal: 'G7',
      part: `fleet ${kind} ${form}`,
      figure: 'fig9',
      what: `p99 of ${upper} single, hot calls of ${ours.hot.length} pipelines`,
      rival,
      unit: 'µs',
      ours: summary(ours.samples).p99,
      theirs: summary(theirs.samples).p99,
      ratio: summary(theirs.samples).p99 / summary(ours.samples).p99,
      target: isQuick ? undefined : 10,
    });
  }
}

/** Stages as they are cut, nothing optimized. */
const optimizations = rules
  .filter(({ step, required }) => step === 'optimize-stages' && !required)
  .map(({ name }) => name);

/** @param {Kind} kind */
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
    contestants.push({ name, calls: 100, call: (/** @type {number} */ at) => server.one(0, rows[at % rows.length]) });
  }
  const server = await openBrezel();
  await server.load(fleet.file(0, 'natural'));
  const { addon } = loadNative();
  const withoutPools = (/** @type {number} */ at) => {
    addon?.contextRelease(); // all vectors: they are allocated anew, as where every prediction brings its own
    return server.one(0, rows[at % rows.length]);
  };
  if (addon) contestants.push({ name: 'no vector pools', calls: 100, call: withoutPools });
  else missing('ablation: no vector pools', 'there is no addon here, and JavaScript has none');
  const byReference = (/** @type {number} */ at) =>
    server.runtime.predictBatch(server.plans[0], [rows[at % rows.length]], { engine: 'reference' });
  contestants.push({ name: 'reference', calls: 2, isAsync: true, call: byReference });
  const times = await interleave(contestants, { rounds: isQuick ? 3 : 30 });
  for (const [name, one] of Object.entries(times)) {
    measure(`${kind.toUpperCase()} ablation: ${name}`, 'µs', one);
    const { ratio, low, high } = timesFaster(one, times['as it is']);
    point(
      { figure: 'fig9-ablations', series: name, x: `${kind.toUpperCase()} hot`, unit: 'times' },
      { median: ratio, min: low, max: high },
    );
  }
}

for (const kind of kinds) {
  await latency(kind);
  await ablations(kind);
}
note('ablation: materialization is off in all experiments but fig10-materialization, where rows come again on purpose');
