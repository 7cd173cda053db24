// One trial: a fresh process loads a large forest, and says what that took and how much memory it needed at most. Started by
// macro/forest-import.mjs. Parameters: engine (brezel or onnxruntime), the file, the columns of a row.
import { readFileSync } from 'node:fs';
import { parameters, send } from '../lib/child.mjs';

const [engine, file, columns] = parameters;
const row = Float32Array.from({ length: Number(columns) }, (_, column) => ((column * 7919) % 100) / 100);

/** Numbers that a model answers with. @param {Record<string, any>} answer */
const numbersOf = (answer) => Array.from(answer.y ?? answer.probabilities, Number);

const engines = {
  async brezel() {
    const { createFlour, createRuntime, importOnnx, openStore } = await import('brezel');
    const store = await openStore();
    const runtime = createRuntime({ store });
    const flour = await createFlour({ store });
    return async (/** @type {Uint8Array} */ bytes, /** @type {(step: string) => void} */ ended) => {
      const { program } = importOnnx(bytes, flour);
      ended('import');
      const compiled = program.plan();
      ended('plan');
      const plan = runtime.register(compiled);
      compiled.release();
      flour.dispose();
      ended('register');
      return numbersOf(runtime.predictSync(plan, { x: [...row] }));
    };
  },
  async onnxruntime() {
    const { default: ort } = await import('onnxruntime-node');
    return async (/** @type {Uint8Array} */ bytes, /** @type {(step: string) => void} */ ended) => {
      const session = await ort.InferenceSession.create(bytes, { intraOpNumThreads: 1, interOpNumThreads: 1 });
      ended('create');
      const answer = await session.run({ x: new ort.Tensor('float32', row, [1, row.length]) });
      return numbersOf(Object.fromEntries(Object.entries(answer).map(([name, { data }]) => [name, data])));
    };
  },
};

const load = await engines[/** @type {keyof typeof engines} */ (engine)]();
globalThis.gc?.();
const before = process.memoryUsage().rss;
const bytes = readFileSync(/** @type {string} */ (file));
/** @type {Record<string, { wallMs: number, cpuMs: number }>} */
const steps = {};
let wall = performance.now();
let cpu = process.cpuUsage();
const answer = await load(bytes, (step) => {
  const { user, system } = process.cpuUsage(cpu);
  steps[step] = { wallMs: performance.now() - wall, cpuMs: (user + system) / 1000 };
  wall = performance.now();
  cpu = process.cpuUsage();
});
await send({ steps, answer, fileBytes: bytes.length, peakBytes: process.resourceUsage().maxRSS * 1024 - before });
process.disconnect?.();
