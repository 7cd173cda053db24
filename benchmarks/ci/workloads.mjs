import { readFileSync } from 'node:fs';
import ort from 'onnxruntime-node';
import { FEATURES, forestRows } from '../lib/forests.mjs';
import { emptyFile, forestFile, naturalFile } from '../lib/model-files.mjs';
import { feedOf, openSession } from '../lib/rival.mjs';
import { reviews, shortTexts } from '../lib/workload.mjs';

// What bench:ci measures: small enough for five minutes on two cores, and only verbs that every release has, because the base runs it, too.

const ROWS = 500;
const BATCH = 256;
const FAMILY = 8;

const texts = reviews(ROWS);
const short = shortTexts(ROWS);
const values = forestRows(ROWS);
const lists = Array.from({ length: ROWS }, (_, row) => values.slice(row * FEATURES, (row + 1) * FEATURES));
const rows = lists.map((list) => ({ x: Array.from(list) }));

/** @typedef {Record<string, (at: number) => unknown>} Calls */

/** @param {typeof import('brezel')} brezel @param {boolean} native */
async function openEngine(brezel, native) {
  const store = await brezel.openStore({ native });
  const runtime = brezel.createRuntime({ store, native });
  /** @param {Uint8Array} bytes */
  const load = async (bytes) => {
    const flour = await brezel.createFlour({ store });
    const compiled = brezel.importOnnx(bytes, flour).program.plan();
    const plan = runtime.register(compiled);
    compiled.release();
    flour.dispose();
    return plan;
  };
  return { runtime, load };
}

/** @param {typeof import('brezel')} brezel @returns {Promise<{ calls: Calls, parameterBytes: Record<string, number>, close: () => Promise<void> }>} */
async function ofBuild(brezel) {
  const [native, fallback] = [await openEngine(brezel, true), await openEngine(brezel, false)];
  const { runtime } = native;
  const [sa, forest, empty] = [naturalFile('10k'), forestFile(100, 6), emptyFile()].map((path) => readFileSync(path));
  const saPlan = await native.load(sa);
  for (let member = 1; member < FAMILY; member++) await native.load(readFileSync(naturalFile('10k', member)));
  const family = runtime.stats().parameters.bytes;
  const [forestPlan, emptyPlan, inJavaScript] = [
    await native.load(forest),
    await native.load(empty),
    await fallback.load(sa),
  ];
  const out = new Float64Array(forestPlan.width);
  const nth = (/** @type {number} */ at) => at % ROWS;
  const engine = /** @type {const} */ ({ engine: 'batch' });
  return {
    calls: {
      'SA single': (at) => runtime.predictSync(saPlan, texts[nth(at)]),
      'SA short': (at) => runtime.predictSync(saPlan, short[nth(at)]),
      'SA batch': () => runtime.predictBatch(saPlan, texts.slice(0, BATCH), engine),
      'SA in JavaScript': (at) => fallback.runtime.predictSync(inJavaScript, texts[nth(at)]),
      'forest single': (at) => runtime.predictSync(forestPlan, rows[nth(at)], out),
      'forest batch': () => runtime.predictBatch(forestPlan, rows.slice(0, BATCH), engine),
      'empty plan': (at) => runtime.predictSync(emptyPlan, short[nth(at)]),
      'SA load': async () => runtime.unregister(await native.load(sa)),
    },
    parameterBytes: { [`${FAMILY} SA`]: family },
    close: async () => {
      await runtime.close();
      await fallback.runtime.close();
    },
  };
}

/** What `floors` names. @returns {Promise<Calls>} */
async function ofRival() {
  const [sa, forest] = [await openSession(naturalFile('10k')), await openSession(forestFile(100, 6))];
  const feeds = texts.map((text) => feedOf(text));
  const tensor = (/** @type {Float32Array} */ data) => ({
    x: new ort.Tensor('float32', data, [data.length / FEATURES, FEATURES]),
  });
  const singles = lists.map(tensor);
  const batch = tensor(values.slice(0, BATCH * FEATURES));
  return {
    'SA single': (at) => sa.run(feeds[at % ROWS]),
    'forest single': (at) => forest.run(singles[at % ROWS]),
    'forest batch': () => forest.run(batch),
  };
}

export const workloads = { ofBuild, ofRival };
