import { readFileSync } from 'node:fs';
import { createFlour, createRuntime, importOnnx, openFleet, openStore } from 'brezel';
import { feedOfRows, numberOf, numbersOfOutputs } from '../workload/rows.mjs';

// The same pipelines behind one interface, by Brezel and by its rival: what experiments load, ask and compare.

/** @typedef {import('../workload/rows.mjs').Row} Row */
/** @typedef {import('../workload/fleets.mjs').Kind} Kind */
/** @typedef {{ openMs: number, planMs: number[], readMs: number }} OpenTimes of a fleet file: opening it; each plan, read and registered; of that, reading all plans */
/**
 * Models are known by number, in the order in which they were loaded. What `prepared` gives is what `one` takes: made before the clock starts.
 *
 * @typedef {object} Server
 * @property {string} name
 * @property {(path: string) => Promise<void>} load an ONNX file as one more model
 * @property {(model: number, row: Row) => unknown} one answers one row; a promise where the engine has no other way
 * @property {(model: number, rows: readonly Row[]) => Promise<number[]>} many answers a batch, a number a row
 * @property {() => Promise<void>} close
 */

/**
 * @param {{ native?: boolean, runtime?: Record<string, unknown>, plan?: Record<string, unknown>, flour?: Record<string, unknown> }} [options]
 */
export async function openBrezel({
  native = true,
  runtime: runtimeOptions,
  plan: planOptions,
  flour: flourOptions,
} = {}) {
  const store = await openStore({ native });
  // The same rows come again and again here, as they do not in production: only Figure 10 keeps results of stages.
  const runtime = createRuntime({ store, native, materialization: false, ...runtimeOptions });
  /** @type {import('brezel').RegisteredPlan[]} */
  const plans = [];
  const register = (/** @type {import('brezel').OwnedPlan} */ compiled, options = planOptions) => {
    plans.push(runtime.register(compiled, options));
    compiled.release();
  };
  return {
    name: 'brezel',
    runtime,
    plans,
    async load(/** @type {string} */ path, options = planOptions) {
      const flour = await createFlour({ store, ...flourOptions });
      register(importOnnx(readFileSync(path), flour).program.plan(), options);
      flour.dispose();
    },
    /** Takes the first plans of a fleet file, or all, and says how long that took. @param {string} path @param {import('brezel').OpenOptions & { models?: number }} [options] @returns {Promise<OpenTimes>} */
    async open(path, { models, ...options } = {}) {
      const start = performance.now();
      const fleet = await openFleet(path, { store, ...options });
      const openMs = performance.now() - start;
      /** @type {number[]} */
      const planMs = [];
      let readMs = 0;
      for (const name of fleet.names.slice(0, models)) {
        const begun = performance.now();
        const compiled = fleet.plan(name);
        readMs += performance.now() - begun;
        register(compiled);
        planMs.push(performance.now() - begun);
      }
      fleet.close();
      return { openMs, planMs, readMs };
    },
    one: (/** @type {number} */ model, /** @type {Row} */ row) => runtime.predictSync(plans[model], row),
    async many(/** @type {number} */ model, /** @type {readonly Row[]} */ rows) {
      const answers = await runtime.predictBatch(plans[model], rows);
      return answers.map(numberOf);
    },
    close: () => runtime.close(),
  };
}

/**
 * onnxruntime-node, a session a model. Feeds are made inside the call: a server has rows, not tensors.
 *
 * @param {Kind} kind
 * @param {{ threads?: 'one' | 'default' }} [options]
 */
export async function openRival(kind, { threads = 'one' } = {}) {
  const { default: ort } = await import('onnxruntime-node');
  /** @type {import('onnxruntime-node').InferenceSession[]} */
  const sessions = [];
  const one = { intraOpNumThreads: 1, interOpNumThreads: 1 };
  return {
    name: 'onnxruntime',
    sessions,
    async load(/** @type {string} */ path) {
      const options = { logSeverityLevel: /** @type {const} */ (3), ...(threads === 'one' && one) };
      sessions.push(await ort.InferenceSession.create(path, options));
    },
    one: (/** @type {number} */ model, /** @type {Row} */ row) => sessions[model].run(feedOfRows(ort, kind, [row])),
    async many(/** @type {number} */ model, /** @type {readonly Row[]} */ rows) {
      return numbersOfOutputs(await sessions[model].run(feedOfRows(ort, kind, rows)));
    },
    async close() {
      for (const session of sessions.splice(0)) await session.release();
    },
  };
}
