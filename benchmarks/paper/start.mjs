// G11: start of a process until the first answer of a model with the largest dictionary, in turns; and an empty process beside it.
import { fork } from 'node:child_process';
import { compareOnce } from '../lib/compare-once.mjs';
import { kinds } from '../lib/parts.mjs';
import { binds, comparison, goal, isQuick, note, point, short } from '../lib/report.mjs';
import { spread, stated, summary } from '../lib/stats.mjs';
import { openWorkload } from '../workload/fleets.mjs';

const TRIAL = new URL('../trials/paper-start.mjs', import.meta.url);
const ROUNDS = isQuick ? 2 : 15;

/** @typedef {{ wallMs: number, insideMs: number, marks: Record<string, number> }} Start from fork to exit; in the script; its steps */

/** @param {string[]} parameters @returns {Promise<Start>} */
function start(parameters) {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const child = fork(TRIAL, parameters, { stdio: 'inherit' });
    /** @type {any} */
    let answer;
    child.on('message', (message) => (answer = message));
    child.on('error', reject);
    child.on('exit', (code) => {
      if (code === 0 && answer !== undefined) resolve({ wallMs: performance.now() - begun, ...answer });
      else reject(new Error(`start of ${parameters.join(' ')} ended with ${code}`));
    });
  });
}

for (const kind of kinds) {
  const fleet = openWorkload(kind);
  note(await compareOnce(fleet, [0]));
  const contestants = {
    'empty node': ['none', kind, ''],
    brezel: ['brezel', kind, await fleet.packed(1)],
    'brezel, with all that compiles': ['brezel-whole', kind, await fleet.packed(1)],
    'onnxruntime natural': ['onnxruntime', kind, fleet.file(0, 'natural')],
    'onnxruntime expert': ['onnxruntime', kind, fleet.file(0, 'expert')],
  };
  /** @type {Record<string, Start[]>} */
  const times = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (const parameters of Object.values(contestants)) await start(parameters); // files are in memory from now on
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, parameters] of Object.entries(contestants)) times[name].push(await start(parameters));
  const upper = kind.toUpperCase();
  for (const [series, list] of Object.entries(times)) {
    point({ figure: 'start', series, x: `${upper} whole process`, unit: 'ms' }, summary(list.map((one) => one.wallMs)));
    point({ figure: 'start', series, x: `${upper} inside`, unit: 'ms' }, summary(list.map((one) => one.insideMs)));
  }
  for (const form of ['natural', 'expert']) {
    const theirs = times[`onnxruntime ${form}`];
    comparison({
      goal: 'G11',
      part: `${kind} ${form}`,
      figure: 'start',
      what: `process start to first answer, ${upper}`,
      rival: `${form} graph`,
      unit: 'ms',
      ours: summary(times.brezel.map((one) => one.wallMs)).median,
      theirs: summary(theirs.map((one) => one.wallMs)).median,
      ...spread(theirs.map((one, at) => one.wallMs / times.brezel[at].wallMs)),
      target: kind === 'sa' && !isQuick ? 7 : undefined,
      brief: kind === 'sa',
    });
  }
  const insideMs = times.brezel.map((one, at) => one.insideMs - times['empty node'][at].insideMs);
  const inside = summary(insideMs);
  goal({
    goal: 'G11',
    part: `${kind} inside`,
    measured: inside.median,
    unit: 'ms',
    ...stated(insideMs),
    note: 'brezel/serve: loading it, opening the fleet file, first answer',
  });
  if (kind === 'sa') startBinds(times);
}

/** Where the time goes, from the process to its first answer. @param {Record<string, Start[]>} times */
function startBinds(times) {
  const over = (/** @type {string} */ name, /** @type {(one: Start) => number} */ of) =>
    summary(times[name].map(of)).median;
  const ours = (/** @type {(one: Start) => number} */ of) => short(over('brezel', of));
  const wall = (/** @type {string} */ name) => over(name, (one) => one.wallMs);
  const [empty, whole, theirs] = [wall('empty node'), wall('brezel'), wall('onnxruntime expert')];
  const steps =
    `${ours(({ marks }) => marks.imported)} ms are importing brezel/serve (modules and the addon), ${ours(({ marks }) => marks.opened - marks.imported)} opening the file, ` +
    `${ours(({ marks }) => marks.registered - marks.opened)} the first plan, ${ours(({ marks }) => marks.answered - marks.registered)} its first answer`;
  const part = 'process start to first answer, SA 1M, expert';
  binds(
    'G11',
    part,
    `an empty node takes ${short(empty)} of ${short(whole)} ms and the target allows ${short(theirs / 7)} for all; without node it is ${short(whole - empty)} against ` +
      `${short(theirs - empty)} ms, ${short((theirs - empty) / (whole - empty))} times. Inside, ${steps}`,
  );
  binds('G11', 'of it inside the process', steps);
}
