// Goals G11, G24: measures the time from the start of a process to its first answer. Brezel,
// onnxruntime and an empty Node process alternate. Two contestants load Brezel as it is published:
// with and without the code cache.
import { fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleBrezel } from '../../scripts/release/bundle.mjs';
import { compareOnce } from '../harness/agreement.mjs';
import { kinds } from '../harness/plan.mjs';
import { binds, comparison, goal, isQuick, point, say, short } from '../harness/records.mjs';
import { expectedRange, spread, summary } from '../harness/stats.mjs';
import { openWorkload } from '../models/workload.mjs';

const TRIAL = new URL('start-trial.mjs', import.meta.url);
const ROUNDS = isQuick ? 2 : 15;
const TARGET = 7;

/**
 * @typedef {{ wallMs: number, insideMs: number, marks: Record<string, number> }} Start
 *   `wallMs` is the time from fork to exit, and `insideMs` the time in the script.
 *   `marks` holds the time at which each part of the script ended, in ms since the script began.
 */
/**
 * The measured starts of each contestant.
 *
 * @typedef {Record<string, Start[]>} Starts
 */
/**
 * The arguments and environment variables with which a trial starts `start-trial.mjs`.
 *
 * @typedef {{ parameters: string[], env?: Record<string, string> }} Contestant
 */
/**
 * Contestants that load the bundled Brezel: its entry point, and environment variables.
 *
 * @typedef {Record<string, { entry: string, env: Record<string, string> }>} Release
 */

const PUBLISHED = 'brezel as published';
const CACHED = 'brezel as published, code cache';

export const experiments = {
  async start() {
    const folder = mkdtempSync(join(tmpdir(), 'brezel-start-'));
    try {
      const release = await published(folder);
      for (const kind of kinds) await startKind(kind, release);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/**
 * Measures the start of a process up to its first answer, for each contestant.
 *
 * @param {'sa' | 'ac'} kind
 * @param {Release} release
 */
async function startKind(kind, release) {
  const fleet = openWorkload(kind);
  say(await compareOnce(fleet, [0]));
  const packed = await fleet.packed(1);
  const times = await alternate({
    'empty node': { parameters: ['none', kind, ''] },
    brezel: { parameters: ['brezel', kind, packed] },
    'brezel, with all that compiles': { parameters: ['brezel-whole', kind, packed] },
    ...Object.fromEntries(
      Object.entries(release).map(([name, { entry, env }]) => [
        name,
        { parameters: ['brezel-published', kind, packed, entry], env },
      ]),
    ),
    'onnxruntime natural': { parameters: ['onnxruntime', kind, fleet.file(0, 'natural')] },
    'onnxruntime expert': { parameters: ['onnxruntime', kind, fleet.file(0, 'expert')] },
  });
  report(kind, times);
  if (kind === 'sa') startBinds(times);
}

/**
 * Bundles Brezel as it is published, and returns two contestants that load the bundle. One of them
 * uses the cache of compiled JavaScript.
 *
 * @param {string} folder
 */
async function published(folder) {
  const [dist, cache] = [join(folder, 'dist'), join(folder, 'cache')];
  await bundleBrezel(dist);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "version": "0.0.0" }');
  mkdirSync(cache, { mode: 0o700 });
  const addon = fileURLToPath(new URL('../../native/build/Release/brezel.node', import.meta.url));
  const entry = pathToFileURL(join(dist, 'serve.js')).href;
  return {
    [PUBLISHED]: { entry, env: { BREZEL_NATIVE: addon } },
    [CACHED]: { entry, env: { BREZEL_NATIVE: addon, BREZEL_CODE_CACHE: cache } },
  };
}

/**
 * Starts the contestants alternately, in several rounds, and returns the times of each.
 *
 * @param {Record<string, Contestant>} contestants
 * @returns {Promise<Starts>}
 */
async function alternate(contestants) {
  /** @type {Starts} */
  const times = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  // An unmeasured start of each contestant fills the page cache, and writes the code cache.
  for (const contestant of Object.values(contestants)) await start(contestant);
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, contestant] of Object.entries(contestants)) times[name].push(await start(contestant));
  return times;
}

/**
 * Starts one process and waits for its end.
 *
 * @param {Contestant} contestant
 * @returns {Promise<Start>}
 */
function start({ parameters, env }) {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const child = fork(TRIAL, parameters, { stdio: 'inherit', env: { ...process.env, ...env } });
    /** @type {any} */
    let answer;
    child.on('message', (message) => (answer = message));
    child.on('error', reject);
    child.on('exit', (code) => {
      if (code === 0 && answer !== undefined) resolve({ wallMs: performance.now() - begun, ...answer });
      else reject(new Error(`start of ${parameters.join(' ')} exited with ${code}`));
    });
  });
}

/**
 * Records the times of the starts, and compares Brezel with onnxruntime.
 *
 * @param {'sa' | 'ac'} kind
 * @param {Starts} times
 */
function report(kind, times) {
  const upper = kind.toUpperCase();
  const walls = (/** @type {string} */ name) => times[name].map(({ wallMs }) => wallMs);
  const inside = (/** @type {string} */ name) => times[name].map(({ insideMs }) => insideMs);
  for (const series of Object.keys(times)) {
    point({ figure: 'start', series, x: `${upper} whole process`, unit: 'ms' }, summary(walls(series)));
    point({ figure: 'start', series, x: `${upper} inside`, unit: 'ms' }, summary(inside(series)));
  }
  for (const form of ['natural', 'expert']) {
    const theirs = walls(`onnxruntime ${form}`);
    comparison({
      goal: 'G11',
      part: `${kind} ${form}`,
      figure: 'start',
      what: `process start to first answer, ${upper}`,
      rival: `${form} graph`,
      unit: 'ms',
      ours: summary(walls('brezel')).median,
      theirs: summary(theirs).median,
      ...spread(theirs.map((time, round) => time / walls('brezel')[round])),
      target: kind === 'sa' && !isQuick ? TARGET : undefined,
      brief: kind === 'sa',
    });
  }
  const beyond = (/** @type {number[]} */ ours, /** @type {number[]} */ empty) =>
    ours.map((time, round) => time - empty[round]);
  const insideMs = beyond(inside('brezel'), inside('empty node'));
  goal({
    goal: 'G11',
    part: `${kind} inside`,
    measured: summary(insideMs).median,
    unit: 'ms',
    ...expectedRange(insideMs),
    note: 'import of brezel/serve, opening the fleet file, first answer',
  });
  for (const [series, part, what] of [
    [CACHED, 'above empty', 'with the code cache'],
    [PUBLISHED, 'above empty without code cache', 'without the code cache'],
  ]) {
    const wallMs = beyond(walls(series), walls('empty node'));
    goal({
      goal: 'G24',
      part: `${kind} ${part}`,
      measured: summary(wallMs).median,
      unit: 'ms',
      ...expectedRange(wallMs),
      note: `whole process of the published package ${what}, from start to exit after the first answer, minus an empty Node process of the same round`,
    });
  }
}

/**
 * Records likely reasons for missing goals G11 and G24 (start of a process): the time of each part,
 * from the start of the process to the first answer.
 *
 * @param {Starts} times
 */
function startBinds(times) {
  const over = (/** @type {string} */ name, /** @type {(one: Start) => number} */ of) =>
    summary(times[name].map(of)).median;
  const ours = (/** @type {(one: Start) => number} */ of) => short(over('brezel', of));
  const wall = (/** @type {string} */ name) => over(name, ({ wallMs }) => wallMs);
  const [empty, whole, theirs] = [wall('empty node'), wall('brezel'), wall('onnxruntime expert')];
  const steps =
    `importing \`brezel/serve\` (modules and the addon) takes ${ours(({ marks }) => marks.imported)} ms. ` +
    `Opening the file takes ${ours(({ marks }) => marks.opened - marks.imported)} ms, ` +
    `loading the first plan takes ${ours(({ marks }) => marks.registered - marks.opened)} ms, ` +
    `and computing its first answer takes ${ours(({ marks }) => marks.answered - marks.registered)} ms`;
  binds(
    'G11',
    'process start to first answer, SA 1M, expert',
    `starting Node.js alone takes ${short(empty)} of the ${short(whole)} ms. The target allows ${short(theirs / TARGET)} ms ` +
      `for the whole start. Without the time of Node.js, Brezel takes ${short(whole - empty)} ms and onnxruntime takes ` +
      `${short(theirs - empty)} ms, ` +
      `${short((theirs - empty) / (whole - empty))} times as long. Inside the process, ${steps}`,
  );
  binds('G11', 'of it inside the process', steps);
}
