// Figure 8: memory and load time of 250 SA and 250 AC pipelines, with and without sharing; one process and four.
import { existsSync, statSync } from 'node:fs';
import { compareOnce } from '../lib/compare-once.mjs';
import { heldBytes, loadable, loads, loadTime, together } from '../lib/paper-fleet.mjs';
import { RIVALS, UNSHARED } from '../lib/paper-sizes.mjs';
import { kinds } from '../lib/parts.mjs';
import { binds, comparison, goal, isQuick, missing, note, point, short } from '../lib/report.mjs';
import { ratioOf, stated, summary } from '../lib/stats.mjs';
import { openWorkload } from '../workload/fleets.mjs';

/** @typedef {import('../workload/fleets.mjs').Kind} Kind */
/** @typedef {import('../workload/fleets.mjs').Fleet} Fleet */
/** @typedef {import('../lib/paper-fleet.mjs').Load} Load */

const TRIALS = isQuick ? 1 : 5;
const PROCESSES = 4;
const MiB = 2 ** 20;
/** The goals for the fleet's memory, natural and expert graph. */
const TARGETS = { sa: { natural: 70, expert: 45 }, ac: { natural: 25, expert: undefined } };

/** Files of as many members as a process can hold. @param {Fleet} fleet @param {'natural' | 'expert'} form @param {number} [most] */
function files(fleet, form, most = RIVALS.memory[fleet.kind]) {
  const bytes = statSync(fleet.file(0, form)).size;
  const count = loadable(bytes, Math.min(most, fleet.members.length));
  return Array.from({ length: count }, (_, at) => fleet.file(at, form));
}

/** Loads one way, writes bars of the figure, and gives the median bytes of the whole fleet. @param {Kind} kind @param {string} series @param {Load} load @param {number} wanted */
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

/** @param {Kind} kind */
async function memory(kind) {
  const fleet = openWorkload(kind);
  const unshared = openWorkload(kind, { shared: false });
  const wanted = fleet.members.length;
  note(await compareOnce(fleet, [0, 1, Math.floor(wanted / 2)]));
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
  goal({ goal: 'G9', part: `${kind} fleet`, measured: lazily.time, unit: 'ms', ...stated(lazily.timeAll), note: how });
  if (kind === 'sa') loadBinds(lazily.list, lazily.time);
  await processes(kind, packed, natural);
}

/** G8: what of a fleet is its parameters. @param {Kind} kind @param {string} packed @param {{ held: number, list: readonly import('../lib/paper-fleet.mjs').Loaded[] }} ours */
function memoryBinds(kind, packed, { held, list }) {
  const file = statSync(packed).size / MiB;
  const own = summary(list.map(({ before, after }) => (after.anonymous - before.anonymous) / MiB)).median;
  const parts = kind === 'sa' ? ['memory of 250 SA, natural', 'memory of 250 SA, expert'] : 'memory of 250 AC, natural';
  const text = `of ${short(held)} MiB, ${short(own)} are of no file (plans, code, heaps); the fleet file, whose pages are the rest, has ${short(file)} MiB, each parameter once`;
  binds('G8', parts, text);
}

/** G9: what loading a fleet file is made of. @param {readonly import('../lib/paper-fleet.mjs').Loaded[]} list @param {number} whole ms */
function loadBinds(list, whole) {
  const parts = list.flatMap((one) => one.parts ?? []);
  const over = (/** @type {(one: import('../lib/servers.mjs').OpenTimes) => number} */ of) =>
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
    `of ${short(whole)} ms, opening the file takes ${short(open)}, the first plan with its dictionary ${short(first)}, the other ${count} plans ${short(further)}, ` +
      `${us(further, count)} µs each (the first ${some} of them ${us(early, some)} µs, the last ${some} ${us(late, some)}: code that has not run before is slow at first). Of all plans, reading them from the file takes ${short(read)} ms, registering ${short(first + further - read)}`,
  );
}

/** Several processes with one fleet: shared pages are divided among them (PSS). @param {Kind} kind @param {string} packed @param {string[]} natural */
async function processes(kind, packed, natural) {
  const list = await loads({ engine: 'brezel', kind, packed }, TRIALS);
  const [alone] = list;
  const groups = [];
  for (let at = 0; at < list.length; at++) groups.push(await together({ engine: 'brezel', kind, packed }, PROCESSES));
  const rss = list.map(({ after }) => after.rss / MiB);
  const pss = groups.map((group) => group.reduce((sum, { after }) => sum + after.pss, 0) / MiB);
  const x = `${kind.toUpperCase()}, ${PROCESSES} processes`;
  point({ figure: 'fig8', series: 'brezel, sum of PSS', x, unit: 'MiB' }, summary(pss));
  point({ figure: 'fig8', series: 'brezel, RSS of one process', x, unit: 'MiB' }, summary(rss));
  const { ratio: measured, ...range } = ratioOf(pss, rss);
  goal({
    goal: 'G15',
    part: kind,
    measured,
    unit: 'times',
    note: `${PROCESSES} processes on one fleet file of ${alone.models} ${kind.toUpperCase()}, sum of PSS to the RSS of one`,
    ...range,
  });
  await sharingBinds(kind, groups[0], alone);
  await rivalProcesses(kind, natural);
}

/** The same of the rival, with as many models as fit. @param {Kind} kind @param {string[]} natural */
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
  note(
    `${PROCESSES} processes of onnxruntime with ${few.length} ${kind.toUpperCase()} each take ${(theirPss / theirs.after.rss).toFixed(2)} times the memory of one`,
  );
}

/** G15: what four processes have that one would not: their own memory, three times. @param {Kind} kind @param {readonly import('../lib/paper-fleet.mjs').Loaded[]} all @param {import('../lib/paper-fleet.mjs').Loaded} alone */
async function sharingBinds(kind, all, alone) {
  const empty = await together({ engine: 'none', kind, files: [] }, PROCESSES);
  const over = (/** @type {typeof all} */ list, /** @type {(one: (typeof all)[number]) => number} */ of) =>
    summary(list.map(of)).median / MiB;
  const own = over(all, ({ after }) => after.own);
  const node = over(empty, ({ after }) => after.own);
  const before = over(all, (one) => one.before.own);
  binds(
    'G15',
    `4 processes, sum of PSS / RSS of one, ${kind.toUpperCase()}`,
    `each process has ${short(own)} MiB that no other has, ${short(node)} of which node takes that runs nothing, ${short(Math.max(0, before - node))} the library, and ` +
      `${short(own - before)} its ${alone.models} plans (${short(((own - before) * 1024) / alone.models)} KiB a plan). The RSS of one is ${short(alone.after.rss / MiB)} MiB, so ` +
      `the target allows ${short((0.05 * alone.after.rss) / MiB / (PROCESSES - 1))} a further process`,
  );
}

if (existsSync('/proc/self/smaps_rollup')) {
  for (const kind of kinds) await memory(kind);
} else {
  missing('Figure 8', 'memory is measured on Linux only');
}
