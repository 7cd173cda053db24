// G8: resident memory of a family of SA models, each engine in processes of its own.
import { existsSync } from 'node:fs';
import { trial } from '../lib/child.mjs';
import { expertFile, familyFiles, naturalFile, withPlainLocale } from '../lib/model-files.mjs';
import { comparison, isQuick, measure, note } from '../lib/report.mjs';
import { summary } from '../lib/stats.mjs';

/** @typedef {import('../lib/dictionary.mjs').Size} Size */
/** @typedef {{ first: number, fleet: number, further: number, process: number }} Held bytes; `further`: a model more, of the second half of the fleet */

const FLEET = new URL('../trials/fleet.mjs', import.meta.url);
const TRIALS = isQuick ? 1 : 3;
const MiB = 2 ** 20;

/** @param {string} engine @param {string[]} files @returns {Promise<Held>} medians over fresh processes */
async function held(engine, files) {
  const trials = [];
  for (let at = 0; at < TRIALS; at++) trials.push(heldOf(await trial(FLEET, [engine, ...files])));
  const middle = (/** @type {keyof Held} */ field) => summary(trials.map((one) => one[field])).median;
  return { first: middle('first'), fleet: middle('fleet'), further: middle('further'), process: middle('process') };
}

/** While the first models load, the allocator takes memory for the work of loading, and keeps it: only the second half shows what a model costs. @param {{ heldBytes: number[], processBytes: number }} trial @returns {Held} */
function heldOf({ heldBytes, processBytes }) {
  const last = heldBytes.length - 1;
  const middle = Math.floor(last / 2);
  const fleet = heldBytes[last];
  return { first: heldBytes[0], fleet, further: (fleet - heldBytes[middle]) / (last - middle), process: processBytes };
}

/** @param {string} what @param {Held} one */
function tell(what, { first, fleet, further, process }) {
  for (const [name, bytes] of Object.entries({
    'whole fleet': fleet,
    'first model': first,
    'each further model': further,
    process,
  }))
    measure(`${what}: ${name}`, 'MiB', summary([bytes / MiB]));
}

/** @param {string} what @param {string} rival @param {number} ours @param {number} theirs @param {number} [target] */
function against(what, rival, ours, theirs, target) {
  comparison({
    goal: 'G8',
    what,
    rival,
    unit: 'MiB',
    ours: ours / MiB,
    theirs: theirs / MiB,
    ratio: theirs / ours,
    target,
    brief: true,
  });
}

/** Loads all members in every engine. @param {Size} size @param {number} count */
async function generated(size, count) {
  const members = [...Array(count).keys()];
  const natural = members.map((member) => naturalFile(size, member));
  const expert = members.map((member) => expertFile(size, member));
  const ours = await held('brezel', natural);
  tell(`${count} SA ${size}, brezel`, ours);
  for (const [rival, files] of Object.entries({ 'natural graph': natural, 'expert graph': expert })) {
    const theirs = await held('onnxruntime', files);
    tell(`${count} SA ${size}, ${rival}`, theirs);
    against(`memory of ${count} SA, ${size} dictionary`, rival, ours.fleet, theirs.fleet);
  }
}

const OURS = 12;
const THEIRS = 4;

/**
 * 250 models of 1M entries would take onnxruntime more memory than most machines have: a few are loaded, and the others counted as further ones.
 *
 * @param {Size} size
 */
async function extrapolated(size, fleet = 250) {
  const files = (/** @type {typeof naturalFile} */ file, /** @type {number} */ count) =>
    [...Array(count).keys()].map((member) => file(size, member));
  const whole = (/** @type {Held} */ held, /** @type {number} */ loaded) =>
    held.fleet + (fleet - loaded) * held.further;
  const ours = await held('brezel', files(naturalFile, OURS));
  tell(`${OURS} SA ${size}, brezel`, ours);
  const beyond = (ours.further - 4 * 1_000_000) / 1024;
  note(`a further plan of ${size} entries takes ${beyond.toFixed(0)} KiB beyond its weights (goal: at most 16 KiB)`);
  for (const [rival, file, target] of /** @type {const} */ ([
    ['natural graph', naturalFile, 70],
    ['expert graph', expertFile, 45],
  ])) {
    const theirs = await held('onnxruntime', files(file, THEIRS));
    tell(`${THEIRS} SA ${size}, ${rival}`, theirs);
    const what = `memory of ${fleet} SA, ${size} dictionary, extrapolated from ${OURS} and ${THEIRS}`;
    against(what, rival, whole(ours, OURS), whole(theirs, THEIRS), target);
  }
}

async function family() {
  const files = familyFiles();
  if (files.length === 0) return note('the corpus is not here: its family of 40 is left out');
  const ours = await held('brezel', files);
  tell(`${files.length} corpus family, brezel`, ours);
  const theirs = await held('onnxruntime', files.map(withPlainLocale));
  tell(`${files.length} corpus family, onnxruntime`, theirs);
  against(
    `memory of the ${files.length} trained SA models of 2200 entries`,
    'files as exported',
    ours.fleet,
    theirs.fleet,
  );
}

if (!existsSync('/proc/self/smaps_rollup')) {
  note('memory is measured on Linux only');
} else if (isQuick) {
  await generated('10k', 4);
} else {
  await family();
  await generated('100k', 40);
  await extrapolated('1M');
}
