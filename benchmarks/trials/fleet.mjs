// One trial: a fresh process loads a fleet of models, and says how long that took and how much memory it holds. Started by lib/child.mjs.
// Parameters: engine (brezel, onnxruntime or nothing), then the files.
import { parameters, send } from '../lib/child.mjs';
import { settled } from '../lib/rss.mjs';

const TEXT = 'Not a bad film at all; the second half, though, is a bore.';
const [engine, ...files] = parameters;

/** Both engines as one shape: load a file, answer a text by the k-th model. */
const engines = {
  async brezel() {
    const { openServer } = await import('../lib/ours.mjs');
    const server = await openServer();
    /** @type {import('brezel').RegisteredPlan[]} */
    const plans = [];
    return {
      load: async (/** @type {string} */ path) => void plans.push(await server.load(path)),
      predict: async (/** @type {number} */ at) => server.runtime.predictSync(plans[at], TEXT),
    };
  },
  async onnxruntime() {
    const { feedOf, openSession } = await import('../lib/rival.mjs');
    /** @type {import('onnxruntime-node').InferenceSession[]} */
    const sessions = [];
    return {
      load: async (/** @type {string} */ path) => void sessions.push(await openSession(path)),
      predict: (/** @type {number} */ at) => sessions[at].run(feedOf(TEXT)),
    };
  },
};

const started = performance.now();
const loaded = await engines[/** @type {keyof typeof engines} */ (engine)]();
const importMs = performance.now() - started;
const before = await settled();

/** @type {number[]} */
const loadMs = [];
/** @type {number[]} */
const firstMs = [];
/** @type {number[]} bytes held by the models so far */
const heldBytes = [];
for (const [at, file] of files.entries()) {
  const start = performance.now();
  await loaded.load(file);
  const ready = performance.now();
  await loaded.predict(at);
  loadMs.push(ready - start);
  firstMs.push(performance.now() - ready);
  heldBytes.push((await settled()).rss - before.rss);
}
for (const at of files.keys()) await loaded.predict(at); // and so every model is alive until here

await send({
  importMs,
  loadMs,
  firstMs,
  heldBytes,
  processBytes: before.rss + /** @type {number} */ (heldBytes.at(-1)),
});
