// Measures families of SA models from ONNX files, each engine in fresh processes. `memory` (goal
// G8) measures resident memory. `load` (goal G21) compares import, compilation and registration
// with InferenceSession.create.
import { existsSync } from 'node:fs';
import { trial } from '../harness/processes.mjs';
import { comparison, isQuick, measure, missing, note } from '../harness/records.mjs';
import { summary } from '../harness/stats.mjs';
import { expertFile, familyFiles, naturalFile, withPlainLocale } from '../models/files.mjs';

/** @typedef {import('../models/reviews.mjs').Size} Size */
/**
 * @typedef {{ first: number, fleet: number, further: number, process: number }} Held
 *   Numbers are bytes. `further` is the mean of each model in the second half of the fleet.
 */

const TRIAL = new URL('onnx-family-trial.mjs', import.meta.url).href;
const MEMORY_TRIALS = isQuick ? 1 : 3;
const LOAD_TRIALS = isQuick ? 1 : 5;
const MiB = 2 ** 20;
/**
 * Number of models with 1M entries that each engine loads. The fleet of 250 models is extrapolated.
 */
const LOADED = { brezel: 12, onnxruntime: 4 };
const FLEET = 250;

export const experiments = {
  async memory() {
    if (!existsSync('/proc/self/smaps_rollup')) return missing('memory (G8)', 'memory is measured on Linux only');
    if (isQuick) return generatedFamily('10k', 4);
    await trainedFamily();
    await generatedFamily('100k', 40);
    await extrapolatedFamily('1M');
  },
  async load() {
    if (isQuick) return loadTimes('10k', 3);
    await loadTimes('100k', 40);
    await loadTimes('1M', 3);
  },
};

/**
 * Returns the paths of the first `count` members.
 *
 * @param {typeof naturalFile} file
 * @param {Size} size
 * @param {number} count
 */
const files = (file, size, count) => Array.from({ length: count }, (_, member) => file(size, member));

/**
 * Runs trials of one engine.
 *
 * @param {'brezel' | 'onnxruntime'} engine
 * @param {readonly string[]} paths
 * @param {number} count
 */
async function trials(engine, paths, count) {
  const list = [];
  for (let index = 0; index < count; index++) list.push(await trial(TRIAL, 'family', { engine, files: paths }));
  return list;
}

/**
 * Returns the medians of memory over several new processes.
 *
 * @param {'brezel' | 'onnxruntime'} engine
 * @param {readonly string[]} paths
 * @returns {Promise<Held>}
 */
async function held(engine, paths) {
  const list = (await trials(engine, paths, MEMORY_TRIALS)).map(heldOf);
  const middle = (/** @type {keyof Held} */ field) => summary(list.map((one) => one[field])).median;
  return { first: middle('first'), fleet: middle('fleet'), further: middle('further'), process: middle('process') };
}

/**
 * Returns the memory of the first model, of the whole fleet, and of each further model. The last
 * figure is the mean over the second half of the fleet, because loading the first models allocates
 * memory that later models reuse.
 *
 * @param {{ heldBytes: number[], processBytes: number }} answer
 * @returns {Held}
 */
function heldOf({ heldBytes, processBytes }) {
  const last = heldBytes.length - 1;
  const middle = Math.floor(last / 2);
  const fleet = heldBytes[last];
  return { first: heldBytes[0], fleet, further: (fleet - heldBytes[middle]) / (last - middle), process: processBytes };
}

/** @param {string} what @param {Held} bytes */
function measureHeld(what, { first, fleet, further, process }) {
  const parts = { 'whole fleet': fleet, 'first model': first, 'each further model': further, process };
  for (const [name, value] of Object.entries(parts)) measure(`${what}: ${name}`, 'MiB', summary([value / MiB]));
}

/**
 * Records a comparison of memory.
 *
 * @param {string} what
 * @param {string} rival
 * @param {number} ours
 * @param {number} theirs
 * @param {number} [target]
 */
const compareMemory = (what, rival, ours, theirs, target) =>
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

/** Measures all members in every engine. @param {Size} size @param {number} count */
async function generatedFamily(size, count) {
  const ours = await held('brezel', files(naturalFile, size, count));
  measureHeld(`${count} SA ${size}, brezel`, ours);
  for (const [rival, file] of Object.entries({ 'natural graph': naturalFile, 'expert graph': expertFile })) {
    const theirs = await held('onnxruntime', files(file, size, count));
    measureHeld(`${count} SA ${size}, ${rival}`, theirs);
    compareMemory(`memory of ${count} SA, ${size} dictionary`, rival, ours.fleet, theirs.fleet);
  }
}

/**
 * Extrapolates a family of 250 models with 1M entries. In onnxruntime, they need more memory than
 * most machines have.
 *
 * @param {Size} size
 */
async function extrapolatedFamily(size) {
  const whole = (/** @type {Held} */ bytes, /** @type {number} */ loaded) =>
    bytes.fleet + (FLEET - loaded) * bytes.further;
  const ours = await held('brezel', files(naturalFile, size, LOADED.brezel));
  measureHeld(`${LOADED.brezel} SA ${size}, brezel`, ours);
  const beyond = (ours.further - 4 * 1_000_000) / 1024;
  note(`a further plan of ${size} entries takes ${beyond.toFixed(0)} KiB beyond its weights (goal: at most 16 KiB)`);
  for (const [rival, file, target] of /** @type {const} */ ([
    ['natural graph', naturalFile, 70],
    ['expert graph', expertFile, 45],
  ])) {
    const theirs = await held('onnxruntime', files(file, size, LOADED.onnxruntime));
    measureHeld(`${LOADED.onnxruntime} SA ${size}, ${rival}`, theirs);
    const what = `memory of ${FLEET} SA, ${size} dictionary, extrapolated from ${LOADED.brezel} and ${LOADED.onnxruntime}`;
    compareMemory(what, rival, whole(ours, LOADED.brezel), whole(theirs, LOADED.onnxruntime), target);
  }
}

/** Measures the trained family of the project's corpus. */
async function trainedFamily() {
  const paths = familyFiles();
  if (paths.length === 0) return missing('memory of the trained family', 'the corpus is not on this machine');
  const ours = await held('brezel', paths);
  measureHeld(`${paths.length} corpus family, brezel`, ours);
  const theirs = await held('onnxruntime', paths.map(withPlainLocale));
  measureHeld(`${paths.length} corpus family, onnxruntime`, theirs);
  const what = `memory of the ${paths.length} trained SA models of 2200 entries`;
  compareMemory(what, 'files as exported', ours.fleet, theirs.fleet);
}

/** @param {'brezel' | 'onnxruntime'} engine @param {readonly string[]} paths */
async function timesOf(engine, paths) {
  const list = await trials(engine, paths, LOAD_TRIALS);
  return {
    'importing the library': summary(list.map((one) => one.importMs)),
    'first model': summary(list.map((one) => one.loadMs[0])),
    'each further model': summary(list.flatMap((one) => one.loadMs.slice(1))),
    'its first prediction': summary(list.flatMap((one) => one.firstMs)),
  };
}

/** @param {Size} size @param {number} count */
async function loadTimes(size, count) {
  const ours = await timesOf('brezel', files(naturalFile, size, count));
  for (const [what, one] of Object.entries(ours)) measure(`SA ${size}, brezel: ${what}`, 'ms', one);
  for (const [rival, file] of Object.entries({ 'natural graph': naturalFile, 'expert graph': expertFile })) {
    const theirs = await timesOf('onnxruntime', files(file, size, count));
    for (const [what, one] of Object.entries(theirs)) measure(`SA ${size}, ${rival}: ${what}`, 'ms', one);
    for (const what of /** @type {const} */ (['first model', 'each further model', 'its first prediction']))
      comparison({
        goal: what === 'its first prediction' ? 'G10' : 'G9',
        what: `load from ONNX, SA ${size} dictionary: ${what}`,
        rival,
        unit: 'ms',
        ours: ours[what].median,
        theirs: theirs[what].median,
        ratio: theirs[what].median / ours[what].median,
        brief: size === '100k',
      });
  }
}
