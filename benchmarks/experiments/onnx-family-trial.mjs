// One trial. A fresh process loads ONNX files one after another, and measures time and memory. It
// imports no engine before the clock starts, so it is a separate module.
import { send } from '../harness/processes.mjs';
import { settled } from '../harness/system.mjs';

const TEXT = 'Not a bad film at all; the second half, though, is a bore.';

const engines = {
  async brezel() {
    const { openBrezel } = await import('../harness/engines.mjs');
    const { load, one } = await openBrezel({ runtime: { materialization: undefined } });
    return { load, predict: async (/** @type {number} */ model) => one(model, TEXT) };
  },
  async onnxruntime() {
    const { feedOf, openSession } = await import('../harness/rival.mjs');
    /** @type {import('onnxruntime-node').InferenceSession[]} */
    const sessions = [];
    return {
      load: async (/** @type {string} */ path) => sessions.push(await openSession(path)),
      predict: (/** @type {number} */ model) => sessions[model].run(feedOf(TEXT)),
    };
  },
};

export const trials = {
  /** @param {{ engine: keyof typeof engines, files: readonly string[] }} parameters */
  async family({ engine, files }) {
    const started = performance.now();
    const { load, predict } = await engines[engine]();
    const importMs = performance.now() - started;
    const before = await settled();
    /** @type {number[]} */
    const loadMs = [];
    /** @type {number[]} */
    const firstMs = [];
    /** Memory of the models loaded so far, in bytes. @type {number[]} */
    const heldBytes = [];
    for (const [model, file] of files.entries()) {
      const start = performance.now();
      await load(file);
      const ready = performance.now();
      await predict(model);
      loadMs.push(ready - start);
      firstMs.push(performance.now() - ready);
      heldBytes.push((await settled()).rss - before.rss);
    }
    // uses all models, so that they stay in memory until here
    for (const model of files.keys()) await predict(model);
    const processBytes = before.rss + /** @type {number} */ (heldBytes.at(-1));
    await send({ importMs, loadMs, firstMs, heldBytes, processBytes });
  },
};
