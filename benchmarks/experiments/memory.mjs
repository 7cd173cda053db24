// Figure 8, goals G8, G9, G15: measures memory and load time of 250 SA and 250 AC pipelines, with
// and without sharing, in one process and in four.
import { existsSync, statSync } from 'node:fs';
import { compareOnce } from '../harness/agreement.mjs';
import { heldBytes, idleTogether, loadable, loads, loadTime, together } from '../harness/fleet-loading.mjs';
import { kinds } from '../harness/plan.mjs';
import { binds, comparison, goal, isQuick, missing, point, say, short } from '../harness/records.mjs';
import { expectedRange, ratioOf, summary } from '../harness/stats.mjs';
import { openWorkload, SESSIONS, UNSHARED } from '../models/workload.mjs';

/** @typedef {import('../models/workload.mjs').Kind} Kind */
/** @typedef {import('../models/workload.mjs').Fleet} Fleet */
/** @typedef {import('../harness/fleet-loading.mjs').Load} Load */
/** @typedef {Pick<import('../harness/fleet-loading.mjs').Loaded, 'after'>} Idle */

const TRIALS = isQuick ? 1 : 5;
const PROCESSES = 4;
const MiB = 2 ** 20;
/** The smallest ratios of onnxruntime's memory to Brezel's memory that meet goal G8. */
const TARGETS = { sa: { natural: 70, expert: 45 }, ac: { natural: 25, expert: undefined } };

/**
 * Returns the ONNX files of as many members as one process can load.
 *
 * @param {Fleet} fleet
 * @param {'natural' | 'expert'} form
 * @param {number} [most]
 */
function files(fleet, form, most = SESSIONS.memory[fleet.kind]) {
  const bytes = statSync(fleet.file(0, form)).size;
  const count = loadable(bytes, Math.min(most, fleet.members.length));
  return Array.from({ length: count }, (_, index) => fleet.file(index, form));
}

/**
 * Loads a fleet as `load` describes, and records its memory and its load time for Figure 8.
 *
 * @param {Kind} kind
 * @param {string} series
 * @param {Load} load
 * @param {number} wanted models
 */
async function bar(kind, series, load, wanted) {
  const list = await loads(load, TRIALS);
  const loaded = list[0].models;
  const isPart = loaded < wanted ? `, ${loaded} loaded, the others counted as further ones` : '';
  const [heldAll, timeAll] = [
    list.map((one) => heldBytes(one, wanted) / MiB),
    list.map((one) => loadTime(one, wanted)),
  ];
  const [held, time] = [summary(heldAll), summary(timeAll)];
  point(
    { figure: 'fig8', series: `${series}${isPart}`, x: `${wanted} ${kind.toUpperCase()} memory`, unit: 'MiB' },
    held,
  );
  point(
    { figure: 'fig8', series: `${series}${isPart}`, x: `${wanted} ${kind.toUpperCase()} load time`, unit: 'ms' },
    time,
  );
  return { held: held.median, time: time.median, heldAll, timeAll, isPart, list };
}

/** @param {{ isPart: string }} bar */
const rivalPart = ({ isPart }) => (isPart === '' ? '' : ` (rival${isPart})`);

export const experiments = {
  async 'fig8-memory'() {
    if (!existsSync('/proc/self/smaps_rollup')) return missing('Figure 8', 'memory is measured on Linux only');
    for (const kind of kinds) await memory(kind);
  },
};

/**
 * Measures the memory and the load time of a fleet in all engines, for Figure 8.
 *
 * @param {Kind} kind
 */
async function memory(kind) {
  const fleet = openWorkload(kind);
  const unshared = openWorkload(kind, { shared: false });
  const wanted = fleet.members.length;
  say(await compareOnce(fleet, [0, 1, Math.floor(wanted / 2)]));
  const packed = await fleet.packed();
  const natural = files(fleet, 'natural');
  const expert = files(fleet, 'expert');
  const ours = await bar(kind, 'brezel, fleet file read', { engine: 'brezel', kind, packed }, wanted);
  await bar(kind, 'brezel, from ONNX', { engine: 'brezel', kind, files: natural }, wanted);
  await bar(
    kind,
    'brezel, nothing shared',
    { engine: 'brezel', kind, files: files(unshared, 'natural', UNSHARED) },
    wanted,
  );
  await bar(
    kind,
    'onnxruntime natural, threads as it likes',
    { engine: 'onnxruntime', kind, files: natural, threads: 'default' },
    wanted,
  );
  for (const [form, list] of /** @type {const} */ ([
    ['natural', natural],
    ['expert', expert],
  ])) {
    const theirs = await bar(
      kind,
      `onnxruntime ${form}`,
      { engine: 'onnxruntime', kind, files: list, threads: 'one' },
      wanted,
    );
    const what = `${wanted} ${kind.toUpperCase()} pipelines of the paper's workload`;
    const target = isQuick ? undefined : TARGETS[kind][form];
    const rival = `${form} graph`;
    comparison({
      goal: 'G8',
      part: `${kind} ${form}`,
      figure: 'fig8',
      what: `memory of ${what}${rivalPart(theirs)}`,
      rival,
      unit: 'MiB',
      ours: ours.held,
      theirs: theirs.held,
      ...ratioOf(theirs.heldAll, ours.heldAll),
      target,
      brief: true,
    });
    comparison({
      goal: 'G9',
      part: `fleet ${kind} ${form}`,
      figure: 'fig8',
      what: `load ${what}${rivalPart(theirs)}`,
      rival,
      unit: 'ms',
      ours: ours.time,
      theirs: theirs.time,
      ...ratioOf(theirs.timeAll, ours.timeAll),
      brief: true,
    });
  }
  memoryBinds(kind, packed, ours);
  const lazily = await bar(
    kind,
    'brezel, fleet file mapped',
    { engine: 'brezel', kind, packed, prefault: false },
    wanted,
  );
  const how = `${wanted} models of a fleet file, pages read when they are needed`;
  goal({
    goal: 'G9',
    part: `${kind} fleet`,
    measured: lazily.time,
    unit: 'ms',
    ...expectedRange(lazily.timeAll),
    note: how,
  });
  if (kind === 'sa') loadBinds(lazily.list, lazily.time);
  await processes(kind, packed, natural);
}

/**
 * Records likely reasons for missing goal G8 (memory): the memory of the parameters, and all other
 * memory.
 *
 * @param {Kind} kind
 * @param {string} packed
 * @param {{ held: number, list: readonly import('../harness/fleet-loading.mjs').Loaded[] }} ours
 */
function memoryBinds(kind, packed, { held, list }) {
  const file = statSync(packed).size / MiB;
  const own = summary(list.map(({ before, after }) => (after.anonymous - before.anonymous) / MiB)).median;
  const parts = kind === 'sa' ? ['memory of 250 SA, natural', 'memory of 250 SA, expert'] : 'memory of 250 AC, natural';
  const text =
    `of ${short(held)} MiB, ${short(own)} MiB are anonymous memory (plans, code, heaps); the rest are pages of the fleet file, ` +
    `which has ${short(file)} MiB and stores each parameter once`;
  binds('G8', parts, text);
}

/**
 * Records likely reasons for missing goal G9 (load time): how long each part of loading a fleet
 * file takes.
 *
 * @param {readonly import('../harness/fleet-loading.mjs').Loaded[]} list
 * @param {number} whole ms
 */
function loadBinds(list, whole) {
  const parts = list.flatMap((one) => one.parts ?? []);
  const over = (/** @type {(one: import('../harness/engines.mjs').OpenTimes) => number} */ of) =>
    summary(parts.map(of)).median;
  const sum = (/** @type {readonly number[]} */ values) => values.reduce((all, ms) => all + ms, 0);
  const [open, first, read] = [over((one) => one.openMs), over((one) => one.planMs[0]), over((one) => one.readMs)];
  const further = over(({ planMs }) => sum(planMs.slice(1)));
  const count = parts[0].planMs.length - 1;
  const some = Math.ceil(count / 5);
  const us = (/** @type {number} */ ms, /** @type {number} */ plans) => ((ms * 1000) / plans).toFixed(0);
  const early = over(({ planMs }) => sum(planMs.slice(1, 1 + some)));
  const late = over(({ planMs }) => sum(planMs.slice(-some)));
  binds(
    'G9',
    'load 250 SA',
    `loading takes ${short(whole)} ms. Opening the file takes ${short(open)} ms, and loading the first plan with its ` +
      `dictionary takes ${short(first)} ms. Loading the other ${count} plans takes ${short(further)} ms, which is ` +
      `${us(further, count)} µs per plan. The first ${some} of these plans take ${us(early, some)} µs each and the last ` +
      `${some} take ${us(late, some)} µs each, because new code starts slowly. Reading all plans takes ${short(read)} ms, ` +
      `and registering all plans takes ${short(first + further - read)} ms`,
  );
}

/**
 * Measures the memory of several processes that open one fleet file (goal G15), beyond the memory
 * of processes of Node.js that do nothing. PSS (proportional set size) divides shared pages among
 * the processes.
 *
 * @param {Kind} kind
 * @param {string} packed
 * @param {string[]} natural
 */
async function processes(kind, packed, natural) {
  const list = await loads({ engine: 'brezel', kind, packed }, TRIALS);
  const [alone] = list;
  /** @type {import('../harness/fleet-loading.mjs').Loaded[][]} */
  const groups = [];
  /** @type {Idle[][]} */
  const empty = [];
  for (let index = 0; index < list.length; index++) {
    groups.push(await together({ engine: 'brezel', kind, packed }, PROCESSES));
    empty.push(await idleTogether(PROCESSES));
  }
  const rss = list.map(({ after }) => after.rss / MiB);
  const pss = groups.map(sumOfPss);
  const node = empty.map(([{ after }]) => after.rss / MiB);
  const x = `${kind.toUpperCase()}, ${PROCESSES} processes`;
  point({ figure: 'fig8', series: 'brezel, sum of PSS', x, unit: 'MiB' }, summary(pss));
  point({ figure: 'fig8', series: 'brezel, RSS of one process', x, unit: 'MiB' }, summary(rss));
  point({ figure: 'fig8', series: 'Node.js alone, sum of PSS', x, unit: 'MiB' }, summary(empty.map(sumOfPss)));
  point({ figure: 'fig8', series: 'Node.js alone, RSS of one process', x, unit: 'MiB' }, summary(node));
  const { ratio: measured, ...range } = ratioOf(
    pss.map((sum, index) => sum - sumOfPss(empty[index])),
    rss.map((one, index) => one - node[index]),
  );
  goal({
    goal: 'G15',
    part: `${kind} beyond Node.js`,
    measured,
    unit: 'times',
    note: `${PROCESSES} processes on one fleet file of ${alone.models} ${kind.toUpperCase()}, sum of PSS to the RSS of one, each beyond processes of Node.js that do nothing`,
    ...range,
  });
  sharingBinds(kind, groups[0], empty[0], alone);
  await rivalProcesses(kind, natural);
}

/** @param {readonly Idle[]} group */
const sumOfPss = (group) => group.reduce((sum, { after }) => sum + after.pss, 0) / MiB;

/**
 * Measures the memory of several onnxruntime processes. Each process loads only a part of the
 * models, so that all processes fit in memory.
 *
 * @param {Kind} kind
 * @param {string[]} natural
 */
async function rivalProcesses(kind, natural) {
  const few = natural.slice(0, Math.max(4, Math.floor(natural.length / PROCESSES)));
  const [theirs] = await loads({ engine: 'onnxruntime', kind, files: few, threads: 'one' }, 1);
  const rivals = await together({ engine: 'onnxruntime', kind, files: few, threads: 'one' }, PROCESSES);
  const theirPss = rivals.reduce((sum, { after }) => sum + after.pss, 0);
  const fewer = `${kind.toUpperCase()}, ${PROCESSES} processes, ${few.length} models each`;
  point(
    { figure: 'fig8', series: 'onnxruntime natural, sum of PSS', x: fewer, unit: 'MiB' },
    { median: theirPss / MiB },
  );
  point(
    { figure: 'fig8', series: 'onnxruntime natural, RSS of one process', x: fewer, unit: 'MiB' },
    { median: theirs.after.rss / MiB },
  );
  say(
    `${PROCESSES} processes of onnxruntime with ${few.length} ${kind.toUpperCase()} each take ${(theirPss / theirs.after.rss).toFixed(2)} times the memory of one`,
  );
}

/**
 * Records likely reasons for missing goal G15 (memory of several processes): the private memory of
 * each process.
 *
 * @param {Kind} kind
 * @param {readonly import('../harness/fleet-loading.mjs').Loaded[]} all
 * @param {readonly Idle[]} empty processes of Node.js alone
 * @param {import('../harness/fleet-loading.mjs').Loaded} alone
 */
function sharingBinds(kind, all, empty, alone) {
  const own = summary(all.map(({ after }) => after.own / MiB)).median;
  const node = summary(empty.map(({ after }) => after.own / MiB)).median;
  const before = summary(all.map((one) => one.before.own / MiB)).median;
  binds(
    'G15',
    `4 processes beyond Node.js, sum of PSS / RSS of one, ${kind.toUpperCase()}`,
    `each process has ${short(own)} MiB of private memory. Node.js without plans takes ${short(node)} MiB, the library ` +
      `takes ${short(Math.max(0, before - node))} MiB, and the ${alone.models} plans take ${short(own - before)} MiB ` +
      `(${short(((own - before) * 1024) / alone.models)} KiB per plan). The RSS of one process is ` +
      `${short(alone.after.rss / MiB)} MiB, of which Node.js takes ${short(empty[0].after.rss / MiB)} MiB. The target ` +
      `allows ${short((0.05 * (alone.after.rss - empty[0].after.rss)) / MiB / (PROCESSES - 1))} MiB for each further process`,
  );
}
