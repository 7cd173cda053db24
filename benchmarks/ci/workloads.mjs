import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { takeTurns } from '../../packages/cli/dist/bench-measure.js';
import { openRival } from '../harness/engines.mjs';
import { send } from '../harness/processes.mjs';
import { emptyFile, forestFile, naturalFile } from '../models/files.mjs';
import { FEATURES, forestRows } from '../models/forests.mjs';
import { reviews, shortTexts } from '../models/reviews.mjs';

// The workloads of bench:ci. They are small enough for five minutes on two cores. They use only
// verbs that every release has, because the base runs them too.

const ROWS = 500;
const BATCH = 256;
const FAMILY = 8;

const texts = reviews(ROWS);
const short = shortTexts(ROWS);
const values = forestRows(ROWS);
const lists = Array.from({ length: ROWS }, (_, row) => values.slice(row * FEATURES, (row + 1) * FEATURES));
const rows = lists.map((list) => ({ x: Array.from(list) }));

/**
 * For each workload, a function that runs its row number `index`.
 *
 * @typedef {Record<string, (index: number) => unknown>} Calls
 */

/**
 * Opens a runtime of a build of Brezel, and returns it with a function that loads ONNX files into
 * it.
 *
 * @param {typeof import('brezel')} brezel
 * @param {boolean} native
 */
async function openEngine(brezel, native) {
  const store = await brezel.openStore({ native });
  const runtime = brezel.createRuntime({ store, native });
  /**
   * @param {string} name
   * @param {Uint8Array} bytes
   */
  const load = async (name, bytes) => {
    const flour = await brezel.createFlour({ store });
    const compiled = brezel.importOnnx(bytes, flour).program.plan();
    const plan = runtime.register(compiled, { name });
    compiled.release();
    flour.dispose();
    return plan;
  };
  return { runtime, load };
}

/**
 * Opens the workloads of bench:ci in a build of Brezel.
 *
 * @param {typeof import('brezel')} brezel
 * @returns {Promise<{ calls: Calls, parameterBytes: Record<string, number>, close: () =>
 * Promise<void> }>}
 */
async function ofBuild(brezel) {
  const [native, fallback] = [await openEngine(brezel, true), await openEngine(brezel, false)];
  const { runtime } = native;
  const [sa, forest, empty] = [naturalFile('10k'), forestFile(100, 6), emptyFile()].map((path) => readFileSync(path));
  const saPlan = await native.load('SA 0', sa);
  for (let member = 1; member < FAMILY; member++)
    await native.load(`SA ${member}`, readFileSync(naturalFile('10k', member)));
  const family = runtime.stats().parameters.bytes;
  const [forestPlan, emptyPlan, inJavaScript] = [
    await native.load('forest', forest),
    await native.load('empty', empty),
    await fallback.load('SA 0', sa),
  ];
  const out = new Float64Array(forestPlan.width);
  const nth = (/** @type {number} */ index) => index % ROWS;
  const engine = /** @type {const} */ ({ engine: 'batch' });
  return {
    calls: {
      'SA single': (index) => runtime.predictSync(saPlan, texts[nth(index)]),
      'SA short': (index) => runtime.predictSync(saPlan, short[nth(index)]),
      'SA batch': () => runtime.predictBatch(saPlan, texts.slice(0, BATCH), engine),
      'SA in JavaScript': (index) => fallback.runtime.predictSync(inJavaScript, texts[nth(index)]),
      'forest single': (index) => runtime.predictSync(forestPlan, rows[nth(index)], out),
      'forest batch': () => runtime.predictBatch(forestPlan, rows.slice(0, BATCH), engine),
      'empty plan': (index) => runtime.predictSync(emptyPlan, short[nth(index)]),
      'SA load': async () => runtime.unregister(await native.load('SA again', sa)),
    },
    parameterBytes: { [`${FAMILY} SA`]: family },
    close: async () => {
      await runtime.close();
      await fallback.runtime.close();
    },
  };
}

/**
 * Opens the workloads of `floors` in onnxruntime.
 *
 * @returns {Promise<Calls>}
 */
async function ofRival() {
  const [sa, forest] = [await openRival('sa'), await openRival('ac')];
  await sa.load(naturalFile('10k'));
  await forest.load(forestFile(100, 6));
  const feeds = texts.map((text) => sa.feed([text]));
  const singles = rows.map((row) => forest.feed([row]));
  const batch = forest.feed(rows.slice(0, BATCH));
  return {
    'SA single': (index) => sa.run(0, feeds[index % ROWS]),
    'forest single': (index) => forest.run(0, singles[index % ROWS]),
    'forest batch': () => forest.run(0, batch),
  };
}

export const trials = {
  /**
   * Runs one trial of bench:ci: two builds of Brezel and onnxruntime-node alternate in one process.
   *
   * @param {{ head: string, base: string, number: number, rounds: number }} parameters `head` and
   * `base` are the folders of the builds
   */
  async ci({ head, base, number, rounds }) {
    // The order of loading affects memory layout, so the builds swap places from trial to trial.
    const folders = number % 2 === 0 ? { head, base } : { base, head };
    /** @type {{ name: string, run: (index: number) => unknown }[]} */
    const contestants = [];
    /** @type {Record<string, Record<string, number>>} */
    const bytes = {};
    /** @type {(() => Promise<void>)[]} */
    const closers = [];
    for (const [build, folder] of Object.entries(folders)) {
      const entry = pathToFileURL(join(folder, 'packages/brezel/dist/index.js')).href;
      const { calls, parameterBytes, close } = await ofBuild(await import(entry));
      contestants.push(...Object.entries(calls).map(([name, run]) => ({ name: `${build} ${name}`, run })));
      bytes[build] = parameterBytes;
      closers.push(close);
    }
    for (const [name, run] of Object.entries(await ofRival())) contestants.push({ name: `rival ${name}`, run });
    const times = await takeTurns(contestants, { rounds, periodMs: 6 });
    for (const close of closers) await close();
    await send({ times: Object.fromEntries([...times].map(([name, { rounds }]) => [name, rounds])), bytes });
  },
};
