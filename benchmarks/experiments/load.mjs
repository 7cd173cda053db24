// `load`, goal G21: loads SA models from ONNX files, each engine in fresh processes. It compares
// import, compilation and registration with InferenceSession.create.
//
// `load-stall`: measures the longest time for which a registry blocks the event loop while it loads
// a model file: on a worker thread, which is the default, and on the calling thread. Time in which
// the event loop waited for a core is subtracted.
import { readFileSync } from 'node:fs';
import { DataType, makeGraph, makeModel, makeNode, makeTensor, tensorInput, writeModel } from '@brezel/onnx';
import { createFlour, createRegistry, createRuntime, importOnnx, openStore } from 'brezel';
import { loadOnce } from '../harness/fleet-loading.mjs';
import { gapsOf } from '../harness/machine.mjs';
import { send, trial } from '../harness/processes.mjs';
import { binds, comparison, isQuick, measure, short } from '../harness/records.mjs';
import { summary } from '../harness/stats.mjs';
import { acFleet, partsMaker } from '../models/attendee.mjs';
import { naturalAc } from '../models/attendee-onnx.mjs';
import { cached, expertFile, forestFile, naturalFile } from '../models/files.mjs';
import { randomOf } from '../models/random.mjs';

/** @typedef {import('../models/reviews.mjs').Size} Size */
/**
 * The model file that a trial loads, and the number of import threads (undefined: the default).
 *
 * @typedef {{ file: string, threads: number | undefined }} Load
 */
/** @typedef {Record<'read' | 'import' | 'plan' | 'register', number>} Steps times in ms */

const TRIALS = isQuick ? 1 : 5;
const TEXT = 'Not a bad film at all; the second half, though, is a bore.';

export const experiments = {
  async load() {
    if (isQuick) return loadTimes('10k', 3);
    await loadTimes('100k', 40);
    await loadTimes('1M', 3);
  },

  async 'load-stall'() {
    const files = {
      'SA 10k': naturalFile('10k'),
      AC: cached('load-stall-ac.onnx', acModel),
      'forest 500x8': forestFile(500, 8),
      'perceptron 784-512-512-10': cached('load-stall-perceptron.onnx', perceptron),
    };
    for (const [name, file] of Object.entries(files))
      for (const [where, threads] of /** @type {const} */ ([
        ['worker thread', undefined],
        ['calling thread', 0],
      ])) {
        const list = [];
        for (let index = 0; index < TRIALS; index++)
          list.push(await trial(import.meta.url, 'loadTwice', { file, threads }));
        for (const what of /** @type {const} */ (['first load', 'later load']))
          measure(`${name}, ${where}: ${what}`, 'ms', summary(list.map((one) => one[what])));
      }
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

function acModel() {
  const { members, ...fleet } = acFleet({ pipelines: 1 });
  return naturalAc(partsMaker(fleet)(members[0]));
}

/** A network of three dense layers, 2.7 MB. */
function perceptron() {
  const random = randomOf(7);
  const sizes = [784, 512, 512, 10];
  const [node, initializer] = [[], []];
  for (let layer = 1; layer < sizes.length; layer++) {
    const dims = [sizes[layer - 1], sizes[layer]];
    const weights = Float32Array.from({ length: dims[0] * dims[1] }, () => (random() - 0.5) / 16);
    initializer.push(makeTensor(`w${layer}`, 'float32', dims, weights));
    node.push(makeNode('MatMul', [layer === 1 ? 'x' : `a${layer - 1}`, `w${layer}`], [`m${layer}`]));
    node.push(makeNode(layer === sizes.length - 1 ? 'Sigmoid' : 'Relu', [`m${layer}`], [`a${layer}`]));
  }
  const input = [tensorInput('x', DataType.FLOAT, [undefined, sizes[0]])];
  const output = [tensorInput(`a${sizes.length - 1}`, DataType.FLOAT, [undefined, sizes.at(-1)])];
  return writeModel(makeModel(makeGraph({ node, initializer, input, output }), { '': 17 }));
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

  /**
   * Loads a file twice, as two models.
   *
   * @param {Load} load
   */
  async loadTwice({ file, threads }) {
    const registry = await createRegistry(threads === undefined ? {} : { importThreads: threads });
    registry.add('first', file);
    registry.add('later', file);
    const longest = async (/** @type {string} */ name) => {
      const gaps = await gapsOf(() => registry.load(name));
      return gaps.reduce((most, { start, end, waited }) => Math.max(most, end - start - waited), 0);
    };
    const first = await longest('first');
    registry.unload('first'); // so that the second load shares no parameters
    await send({ 'first load': first, 'later load': await longest('later') });
    await registry.close();
  },
};
