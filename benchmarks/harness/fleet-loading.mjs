import { freemem } from 'node:os';
import { rowsOf } from '../models/workload.mjs';
import { openBrezel, openRival } from './engines.mjs';
import { settled } from './machine.mjs';
import { nextMessage, send, startTrial, trial, trialsWithin } from './processes.mjs';

// Trials that load a fleet in a fresh process, and measure its memory and load time. If a fleet is
// too large for the machine, a trial loads a part of the fleet. The figures of the whole fleet are
// then extrapolated.

/** A loaded onnxruntime model takes at most this many times the size of its file. */
const GREATEST_FACTOR = 10;
/** A trial may take at most this fraction of the free memory. */
const SHARE_OF_MEMORY = 0.4;

/**
 * The seconds for which trials of one `Load` repeat. Many trials show how much their results vary.
 */
const SECONDS = 25;
const LEAST = 3;

/**
 * @typedef {object} Load
 * @property {'brezel' | 'onnxruntime'} engine
 * @property {import('../models/workload.mjs').Kind} kind
 * @property {string[]} [files] ONNX files
 * @property {string} [packed] a fleet file
 * @property {'one' | 'default'} [threads]
 * @property {boolean} [prefault] false reads pages of the fleet file on first use
 * @property {number} [models] only the first models of the fleet file
 * @property {boolean} [wait] waits for a message of the parent before measuring memory
 * @property {string} [text] the row of the predictions; without it, a row of the workload
 * @property {boolean} [apart] collects garbage between ONNX files, so that no load includes it
 */
/**
 * @typedef {{ rss: number, pss: number, anonymous: number, own: number }} Memory
 *   Numbers are bytes; see `resident`.
 */
/**
 * @typedef {{ models: number, loadMs: number, eachMs: number[], coldMs: number[], parts?:
 * import('./engines.mjs').OpenTimes, before: Memory, half: Memory, after: Memory }} Loaded
 *   `loadMs` is the time to load all models, `eachMs` the time of each ONNX file, and `coldMs` the
 *   time of the first prediction of each model.
 */

/**
 * Returns how many of the `wanted` models fit in the memory of a trial if each file has `fileBytes`
 * bytes, but at least four.
 *
 * @param {number} fileBytes
 * @param {number} wanted
 */
export const loadable = (fileBytes, wanted) =>
  Math.max(4, Math.min(wanted, Math.floor((SHARE_OF_MEMORY * freemem()) / (fileBytes * GREATEST_FACTOR))));

/**
 * Runs up to `most` trials. After `LEAST` trials, it starts no trial that is expected to end after
 * `SECONDS`.
 *
 * @param {Load} load
 * @param {number} most
 * @returns {Promise<Loaded[]>}
 */
export const loads = (load, most) =>
  trialsWithin({ seconds: SECONDS, least: Math.min(LEAST, most), most }, () => loadOnce(load));

/**
 * Loads a fleet in a fresh process.
 *
 * @param {Load} load
 * @returns {Promise<Loaded>}
 */
export const loadOnce = (load) => trial(import.meta.url, 'load', load);

/**
 * Estimates the memory of `wanted` models in bytes, from a trial that loaded some of them. Each
 * model that was not loaded counts as the mean of the second half of the loaded models. The first
 * half also includes memory that only loading needs.
 *
 * @param {Loaded} loaded
 * @param {number} wanted models
 */
export function heldBytes({ models, before, half, after }, wanted) {
  const middle = Math.floor(models / 2);
  const further = half.rss === before.rss ? 0 : Math.max(0, (after.rss - half.rss) / (models - middle));
  return after.rss - before.rss + (wanted - models) * further;
}

/**
 * Estimates the load time of `wanted` models in ms, from a trial that loaded some of them.
 *
 * @param {Loaded} loaded
 * @param {number} wanted models
 */
export const loadTime = ({ models, loadMs }, wanted) => (loadMs * wanted) / models;

/**
 * Loads the same fleet in several processes in parallel. Measures memory when all processes have
 * loaded it.
 *
 * @param {Load} load
 * @param {number} count
 * @returns {Promise<Loaded[]>}
 */
export const together = (load, count) =>
  measured(count, () => startTrial(import.meta.url, 'load', { ...load, wait: true }));

/**
 * Measures the memory of processes of Node.js that load no library, while all of them run.
 *
 * @param {number} count
 * @returns {Promise<Pick<Loaded, 'after'>[]>}
 */
export const idleTogether = (count) => {
  const module = new URL('machine.mjs', import.meta.url).href;
  return measured(count, () => startTrial(module, 'idle', {}));
};

/**
 * Starts processes, and lets them measure their memory when all of them are ready.
 *
 * @param {number} count
 * @param {() => ReturnType<typeof startTrial>} start
 * @returns {Promise<any[]>}
 */
async function measured(count, start) {
  const children = Array.from({ length: count }, start);
  try {
    await Promise.all(children.map(nextMessage));
    const answers = children.map(nextMessage);
    for (const child of children) child.send('measure');
    return await Promise.all(answers);
  } finally {
    for (const child of children) if (child.connected) child.disconnect();
  }
}

export const trials = {
  /** @param {Load} load */
  async load({ engine, kind, files = [], packed, threads, prefault = true, wait, text, apart }) {
    const row = text ?? rowsOf(kind, 1)[0];
    /** @type {any} */
    const server = await (engine === 'brezel' ? openBrezel() : openRival(kind, { threads }));
    const before = await settled();
    const [eachMs, coldMs] = [[], []].map((list) => /** @type {number[]} */ (list));
    let half = before;
    /** @type {import('./engines.mjs').OpenTimes | undefined} */
    let parts;
    const timed = async (/** @type {() => Promise<unknown>} */ load) => {
      const start = performance.now();
      await load();
      eachMs.push(performance.now() - start);
    };
    const firstPrediction = async (/** @type {number} */ model) => {
      const start = performance.now();
      await server.one(model, row);
      coldMs.push(performance.now() - start);
    };
    if (packed === undefined) {
      const middle = Math.floor(files.length / 2);
      for (const [index, file] of files.entries()) {
        await timed(() => server.load(file));
        await firstPrediction(index);
        if (index + 1 === middle) half = await settled();
        else if (apart) await settled();
      }
    } else {
      await timed(async () => {
        parts = await server.open(packed, { verify: false, prefault });
      });
      for (let model = 0; model < server.plans.length; model++) await firstPrediction(model);
    }
    if (wait) {
      const measure = new Promise((resolve) => process.once('message', resolve));
      await send({ ready: true });
      await measure;
    }
    const after = await settled();
    const models = coldMs.length;
    const loadMs = eachMs.reduce((sum, ms) => sum + ms, 0);
    await send({ models, loadMs, eachMs, coldMs, parts, before, half, after });
    // Calls each model, so that all models stay in memory until here.
    for (let model = 0; model < models; model++) await server.one(model, row);
    await server.close();
  },
};
