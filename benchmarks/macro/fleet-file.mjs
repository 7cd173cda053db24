// Fleet files, each trial in a fresh process: opening (G9), the first prediction (G10), memory of a further plan (G8) and of processes that share (G15).
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { trial } from '../lib/child.mjs';
import { expertFile, fleetFile, naturalFile } from '../lib/model-files.mjs';
import { binds, comparison, goal, isQuick, measure } from '../lib/report.mjs';
import { ratioOf, summary } from '../lib/stats.mjs';

/** @typedef {import('../lib/dictionary.mjs').Size} Size */

const OURS = new URL('../trials/fleet-file.mjs', import.meta.url);
const THEIRS = new URL('../trials/fleet.mjs', import.meta.url);
const TRIALS = isQuick ? 1 : 7;
const MiB = 2 ** 20;
const isLinux = existsSync('/proc/self/smaps_rollup');

/** @param {string} file @param {string[]} flags */
async function trials(file, ...flags) {
  const list = [];
  for (let at = 0; at < TRIALS; at++) list.push(await trial(OURS, [file, ...flags]));
  return list;
}

const MEMBERS = 4;

/** From the file to the first answer, against sessions from ONNX: the first model of a process, and further ones. @param {Size} size */
async function fewModels(size) {
  const file = await fleetFile(size, MEMBERS);
  const read = await trials(file, 'prefault');
  /** @type {Record<string, any[]>} */
  const ours = { mapped: await trials(file), 'read ahead': read, verified: await trials(file, 'verify') };
  for (const [how, list] of Object.entries(ours)) {
    measure(`SA ${size}, ${how}: open`, 'ms', summary(list.map((one) => one.openMs)));
    measure(`SA ${size}, ${how}: first plan`, 'ms', summary(list.map((one) => one.firstMs)));
    measure(`SA ${size}, ${how}: a further plan`, 'ms', summary(list.map((one) => one.furtherMs / (MEMBERS - 1))));
    measure(`SA ${size}, ${how}: first prediction of all`, 'ms', summary(list.map((one) => one.predictMs[0])));
    const further = list.flatMap((one) => one.predictMs.slice(1));
    measure(`SA ${size}, ${how}: first prediction of a further plan`, 'ms', summary(further));
  }
  const first = ours.mapped.map((one) => one.openMs + one.firstMs);
  const further = ours.mapped.map((one) => one.furtherMs / (MEMBERS - 1));
  const answer = read.flatMap((one) => one.predictMs.slice(1));
  for (const [rival, files] of /** @type {const} */ ([
    ['natural graph', [naturalFile(size), naturalFile(size, 1)]],
    ['expert graph', [expertFile(size), expertFile(size, 1)]],
  ])) {
    const rivals = [];
    for (let at = 0; at < Math.min(3, TRIALS); at++) rivals.push(await trial(THEIRS, ['onnxruntime', ...files]));
    const against = (
      /** @type {string} */ goal,
      /** @type {string} */ what,
      /** @type {number[]} */ ours,
      /** @type {number[]} */ theirs,
      /** @type {number} */ target,
    ) =>
      comparison({
        goal,
        what: `${what}, SA ${size}`,
        rival,
        unit: 'ms',
        ours: summary(ours).median,
        theirs: summary(theirs).median,
        ...ratioOf(theirs, ours),
        target: size === '1M' ? target : undefined, // the goals speak of it
        brief: true,
      });
    against(
      'G9',
      'open a fleet file and load its first model',
      first,
      rivals.map(({ loadMs }) => loadMs[0]),
      1000,
    );
    against(
      'G9',
      'load a further model of it',
      further,
      rivals.map(({ loadMs }) => loadMs[1]),
      1000,
    );
    against(
      'G10',
      'first prediction of a further model, file read ahead',
      answer,
      rivals.map(({ firstMs }) => firstMs[1]),
      rival === 'natural graph' ? 100 : 6,
    );
  }
  if (size === '1M' || isQuick) fewBinds(ours.mapped, read);
}

/** What loading a further plan and asking it for the first time are made of. @param {any[]} mapped trials @param {any[]} read trials with the file read ahead */
function fewBinds(mapped, read) {
  const over = (/** @type {number[]} */ list) => summary(list).median;
  const us = (/** @type {number} */ ms) => (ms * 1000).toFixed(1);
  binds(
    'G9',
    'load a compiled model, SA 1M, natural',
    `a further plan takes ${us(over(mapped.map(({ furtherMs }) => furtherMs / (MEMBERS - 1))))} µs to read from the mapped file and to register; none of its parameters is touched`,
  );
  const first = over(read.flatMap(({ predictMs }) => predictMs.slice(1)));
  const later = over(read.flatMap(({ againMs }) => againMs.slice(1)));
  const parts = ['SA 1M, natural', 'SA 1M, expert', 'prefaulted'].map((part) => `cold first prediction, ${part}`);
  binds(
    'G10',
    parts,
    `the first prediction takes ${us(first)} µs, the same text again ${us(later)}: what is between is weights that no cache has, and pages that this process has not seen`,
  );
}

/** A whole family. @param {Size} size @param {number} count */
async function family(size, count) {
  const file = await fleetFile(size, count);
  const what = `${count} SA ${size}`;
  const list = await trials(file);
  measure(`${what}: open`, 'ms', summary(list.map((one) => one.openMs)));
  measure(`${what}: first plan, with its dictionary`, 'ms', summary(list.map((one) => one.firstMs)));
  const rest = summary(list.map((one) => one.furtherMs));
  measure(`${what}: the other ${count - 1}`, 'ms', rest);
  measure(`${what}: a further plan`, 'ms', summary(list.map((one) => one.furtherMs / (count - 1))));
  const cold = list.flatMap((one) => one.predictMs.slice(1));
  measure(`${what}: first prediction of a further plan`, 'ms', summary(cold));
  if (!isLinux) return;
  // Every page of the file is in memory; what is of no file is what plans cost beyond their parameters.
  const held = await trials(file, 'prefault');
  measure(`${what}: resident`, 'MiB', summary(held.map((one) => one.heldBytes / MiB)));
  // In one process, garbage collected before both looks: between processes it counts by which of their collections came last.
  const halves = await trials(file, 'prefault', 'half');
  const beyond = summary(
    halves.map(({ half, anonymous }) => (anonymous - half.anonymous) / (count - half.plans) / 1024),
  );
  goal({
    goal: 'G8',
    part: 'marginal',
    measured: beyond.median,
    unit: 'KiB',
    ...beyond.expected,
    note: `what a further plan of ${size} entries takes beyond its parameters in the file, after ${Math.floor(count / 2)} others (${beyond.min.toFixed(1)}-${beyond.max.toFixed(1)})`,
  });
  const heap = summary(halves.map((one) => (one.heap - one.half.heap) / (count - one.half.plans) / 1024)).median;
  binds(
    'G8',
    'a further plan beyond its parameters',
    `of ${beyond.median.toFixed(1)} KiB, ${Math.max(0, heap).toFixed(1)} are objects of JavaScript (plan, stages, schemas, marks of parameters); the rest are the addon's copies of the plan and pages that are not full`,
  );
}

/** Processes that map one file: the sum of their PSS against the RSS of one. @param {Size} size @param {number} count */
async function processes(size, count) {
  const file = await fleetFile(size, count);
  const children = Array.from({ length: 4 }, () =>
    fork(OURS, [file, 'prefault', 'wait'], { execArgv: ['--expose-gc'], stdio: 'inherit' }),
  );
  const next = (/** @type {import('node:child_process').ChildProcess} */ child) =>
    new Promise((/** @type {(message: any) => void} */ resolve, reject) => {
      child.once('message', resolve);
      child.once('error', reject);
    });
  await Promise.all(children.map(next));
  const alone = await trial(OURS, [file, 'prefault']);
  const answers = children.map(next);
  for (const child of children) child.send('measure');
  const pss = (await Promise.all(answers)).reduce((sum, { pss }) => sum + pss, 0);
  measure(`4 processes, ${count} SA ${size}: sum of PSS`, 'MiB', summary([pss / MiB]));
  measure(`1 process, ${count} SA ${size}: RSS`, 'MiB', summary([alone.rss / MiB]));
  goal({
    goal: 'G15',
    part: `${size}`,
    measured: pss / alone.rss,
    unit: 'times',
    note: `4 processes on one file of ${count} SA`,
  });
}

if (isQuick) {
  await fewModels('10k');
  await family('10k', 10);
} else {
  await fewModels('100k');
  await fewModels('1M');
  await family('10k', 250);
  await family('100k', 250);
  if (isLinux) await processes('1M', 40);
}
