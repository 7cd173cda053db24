// Goal G21: loads SA models from ONNX files, each engine in fresh processes. It compares import,
// compilation and registration with InferenceSession.create.
import { readFileSync } from 'node:fs';
import { createFlour, createRuntime, importOnnx, openStore } from 'brezel';
import { loadOnce } from '../harness/fleet-loading.mjs';
import { send, trial } from '../harness/processes.mjs';
import { binds, comparison, isQuick, measure, short } from '../harness/records.mjs';
import { summary } from '../harness/stats.mjs';
import { expertFile, naturalFile } from '../models/files.mjs';

/** @typedef {import('../models/reviews.mjs').Size} Size */
/** @typedef {Record<'read' | 'import' | 'plan' | 'register', number>} Steps times in ms */

const TRIALS = isQuick ? 1 : 5;
const TEXT = 'Not a bad film at all; the second half, though, is a bore.';

export const experiments = {
  async load() {
    if (isQuick) return loadTimes('10k', 3);
    await loadTimes('100k', 40);
    await loadTimes('1M', 3);
  },
};

/**
 * Measures the load times of the first `count` members in one engine.
 *
 * @param {'brezel' | 'onnxruntime'} engine
 * @param {typeof naturalFile} file
 * @param {Size} size
 * @param {number} count
 */
async function timesOf(engine, file, size, count) {
  const files = Array.from({ length: count }, (_, member) => file(size, member));
  const list = [];
  for (let index = 0; index < TRIALS; index++)
    list.push(await loadOnce({ engine, kind: 'sa', files, text: TEXT, apart: true }));
  return {
    'first model': summary(list.map(({ eachMs }) => eachMs[0])),
    'each further model': summary(list.flatMap(({ eachMs }) => eachMs.slice(1))),
    'its first prediction': summary(list.flatMap(({ coldMs }) => coldMs)),
  };
}

/**
 * Compares the times to load ONNX files in Brezel and in onnxruntime, and records them.
 *
 * @param {Size} size
 * @param {number} count
 */
async function loadTimes(size, count) {
  const ours = await timesOf('brezel', naturalFile, size, count);
  for (const [what, one] of Object.entries(ours)) measure(`SA ${size}, brezel: ${what}`, 'ms', one);
  for (const [rival, file] of Object.entries({ 'natural graph': naturalFile, 'expert graph': expertFile })) {
    const theirs = await timesOf('onnxruntime', file, size, count);
    for (const [what, one] of Object.entries(theirs)) {
      measure(`SA ${size}, ${rival}: ${what}`, 'ms', one);
      const our = ours[/** @type {keyof typeof ours} */ (what)];
      comparison({
        goal: what === 'its first prediction' ? 'G10' : 'G9',
        what: `load from ONNX, SA ${size} dictionary: ${what}`,
        rival,
        unit: 'ms',
        ours: our.median,
        theirs: one.median,
        ratio: one.median / our.median,
        brief: size === '100k',
      });
    }
  }
  if (size !== '1M') await loadBinds(size, count);
}

/**
 * Records how much time each step of a load takes, as likely reasons for missing goal G21.
 *
 * @param {Size} size
 * @param {number} count
 */
async function loadBinds(size, count) {
  const files = Array.from({ length: count }, (_, member) => naturalFile(size, member));
  /** @type {Steps[][]} */
  const list = [];
  for (let index = 0; index < TRIALS; index++) list.push(await trial(import.meta.url, 'loadSteps', { files }));
  const ms = (/** @type {Steps[]} */ loads, /** @type {keyof Steps} */ step) =>
    `${short(summary(loads.map((steps) => steps[step])).median)} ms`;
  const sentence = (/** @type {Steps[]} */ loads) =>
    `reading the file takes ${ms(loads, 'read')}, importing it ${ms(loads, 'import')}, compiling the plan ` +
    `${ms(loads, 'plan')}, and registering it ${ms(loads, 'register')}`;
  const [first, further] = [list.map(([steps]) => steps), list.flatMap((steps) => steps.slice(1))];
  const parts = (/** @type {string} */ what) =>
    ['natural', 'expert'].map((form) => `import, plan, register: ${what} SA ${size}, ${form}`);
  const cold = 'The process compiles its JavaScript code and builds the dictionaries, which further models share';
  binds('G21', parts('first'), `of the first model, ${sentence(first)}. ${cold}`);
  binds('G21', parts('further'), `of a further model, ${sentence(further)}`);
}

export const trials = {
  /**
   * Loads ONNX files as `openBrezel` does, and measures each step.
   *
   * @param {{ files: string[] }} load
   */
  async loadSteps({ files }) {
    const store = await openStore();
    const runtime = createRuntime({ store, materialization: false });
    /** @type {Steps[]} */
    const loads = [];
    for (const [index, file] of files.entries()) {
      const flour = await createFlour({ store });
      const times = [performance.now()];
      const step = (/** @type {any} */ result) => {
        times.push(performance.now());
        return result;
      };
      const bytes = step(readFileSync(file));
      const { program } = step(importOnnx(bytes, flour));
      const compiled = step(program.plan());
      step(runtime.register(compiled, { name: `plan ${index}` }));
      compiled.release();
      flour.dispose();
      const [read, imported, plan, register] = times.slice(1).map((end, at) => end - times[at]);
      loads.push({ read, import: imported, plan, register });
    }
    await send(loads);
    await runtime.close();
  },
};
