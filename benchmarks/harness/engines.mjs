import { readFileSync } from 'node:fs';
import { createFlour, createRuntime, importOnnx, openFleet, openStore } from 'brezel';
import { FEATURES } from '../models/attendee.mjs';

// Brezel and onnxruntime-node with one interface, so that experiments load, call and compare both
// with the same code.

/** @typedef {import('../models/workload.mjs').Row} Row */
/** @typedef {import('../models/workload.mjs').Kind} Kind */
/**
 * @typedef {{ openMs: number, planMs: number[], readMs: number }} OpenTimes
 *   `openMs` is the time to open a fleet file, and `planMs` the time to read and register each
 *   plan. `readMs` is the part of `planMs` that reads plans.
 */
/**
 * An engine with loaded models. Models are numbered in the order of loading.
 *
 * @typedef {object} Engine
 * @property {string} name
 * @property {(path: string) => Promise<void>} load adds an ONNX file
 * @property {(model: number, row: Row) => unknown} one answers one row; onnxruntime returns a
 * promise
 * @property {(model: number, rows: readonly Row[]) => Promise<number[]>} many answers a batch, one
 * number per row
 * @property {() => Promise<void>} close
 */

/**
 * Opens Brezel. Materialization is off unless `runtime` enables it, because rows repeat far more
 * often in benchmarks than in production.
 *
 * @param {{ native?: boolean, isa?: string, runtime?: Record<string, unknown>, plan?:
 * Record<string, unknown>, flour?: Record<string, unknown> }} [options]
 */
export async function openBrezel({
  native = true,
  isa,
  runtime: runtimeOptions,
  plan: planOptions,
  flour: flourOptions,
} = {}) {
  const store = await openStore({ native });
  const runtime = createRuntime({ store, native, isa, materialization: false, ...runtimeOptions });
  /** @type {import('brezel').RegisteredPlan[]} */
  const plans = [];
  const register = (/** @type {import('brezel').OwnedPlan} */ compiled, options = planOptions) => {
    const plan = runtime.register(compiled, { name: `plan ${plans.length}`, ...options });
    plans.push(plan);
    compiled.release();
    return plan;
  };
  return {
    name: 'brezel',
    runtime,
    plans,
    /**
     * Imports an ONNX file as a server does, and then frees the compiler's memory.
     *
     * @param {string} path
     */
    async load(path, options = planOptions) {
      const flour = await createFlour({ store, ...flourOptions });
      const plan = register(importOnnx(readFileSync(path), flour).program.plan(), options);
      flour.dispose();
      return plan;
    },
    /**
     * Registers the plans of a fleet file, or the first `models` plans.
     *
     * @param {string} path
     * @param {import('brezel').OpenOptions & { models?: number }} [options]
     * @returns {Promise<OpenTimes>}
     */
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
      await fleet.prefaulted; // `close` would end it
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
 * Returns the number in Brezel's answer: the probability of class 1 (SA), or the attendee count
 * (AC).
 *
 * @param {Record<string, any>} answer
 */
export function numberOf(answer) {
  const value = answer.probabilities?.[1] ?? answer.y;
  return Number(Array.isArray(value) ? value[0] : value);
}

const ONE_THREAD = { intraOpNumThreads: 1, interOpNumThreads: 1 };

/**
 * Opens onnxruntime-node with one session for each model. `one` and `many` also create the tensors,
 * because a server receives rows and not tensors. `run` takes tensors that `feed` created before
 * the clock starts, which favors onnxruntime.
 *
 * @param {Kind} kind
 * @param {{ threads?: 'one' | 'default' }} [options]
 */
export async function openRival(kind, { threads = 'one' } = {}) {
  const { default: ort } = await import('onnxruntime-node');
  /** @type {import('onnxruntime-node').InferenceSession[]} */
  const sessions = [];
  const options = { logSeverityLevel: /** @type {const} */ (3), ...(threads === 'one' && ONE_THREAD) };
  const feed = (/** @type {readonly Row[]} */ rows) => feedOfRows(ort, kind, rows);
  return {
    name: 'onnxruntime',
    feed,
    /**
     * Opens an ONNX file, or its bytes.
     *
     * @param {string | Uint8Array} model
     */
    async load(model) {
      sessions.push(await ort.InferenceSession.create(/** @type {string} */ (model), options));
    },
    run: (/** @type {number} */ model, /** @type {Feed} */ tensors) => sessions[model].run(tensors),
    one: (/** @type {number} */ model, /** @type {Row} */ row) => sessions[model].run(feed([row])),
    async many(/** @type {number} */ model, /** @type {readonly Row[]} */ rows) {
      return numbersOfOutputs(await sessions[model].run(feed(rows)));
    },
    async close() {
      for (const session of sessions.splice(0)) await session.release();
    },
  };
}

/** @typedef {Record<string, import('onnxruntime-node').Tensor>} Feed */

/**
 * Converts rows to the input tensors of a session.
 *
 * @param {typeof import('onnxruntime-node')} ort
 * @param {Kind} kind
 * @param {readonly Row[]} rows
 * @returns {Feed}
 */
function feedOfRows(ort, kind, rows) {
  if (kind === 'sa') return { text: new ort.Tensor('string', /** @type {string[]} */ (rows), [rows.length]) };
  const values = new Float32Array(rows.length * FEATURES);
  rows.forEach((row, index) => values.set(/** @type {{ x: Float32Array }} */ (row).x, index * FEATURES));
  return { x: new ort.Tensor('float32', values, [rows.length, FEATURES]) };
}

/**
 * Returns one number for each row from the outputs of a session: the number that `numberOf` returns
 * for Brezel's answer.
 *
 * @param {Record<string, any>} outputs
 * @returns {number[]}
 */
export function numbersOfOutputs({ probabilities, probability, y }) {
  const numbers = Array.from(/** @type {Float32Array} */ ((probabilities ?? probability ?? y).data), Number);
  return probabilities === undefined ? numbers : numbers.filter((_, index) => index % 2 === 1);
}
