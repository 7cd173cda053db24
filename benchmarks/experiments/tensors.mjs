// Compares tensor programs in the TypeScript reference implementations, in the addon's kernels, and
// in onnxruntime-node with one thread. The engines alternate. Times are CPU time, which other
// processes of the machine do not change.
import { createRuntime, importTensors, openStore } from 'brezel';
import ort from 'onnxruntime-node';
import { compareAnswers } from '../harness/agreement.mjs';
import { isQuick, measure, missing, say, short } from '../harness/records.mjs';
import { spread, summary } from '../harness/stats.mjs';
import { normal, randomOf } from '../models/random.mjs';
import { residualNetwork, separableNetwork, transformer } from '../models/tensor-onnx.mjs';

const ROUNDS = isQuick ? 3 : 15;
/** Number of rounds for the reference implementations. One call takes a second or more. */
const SLOW_ROUNDS = isQuick ? 1 : 2;
const BLOCK_MS = isQuick ? 5 : 60;
/** Answers may differ by this much, because onnxruntime adds in another order. */
const TOLERANCE = 1e-4;

/** @typedef {import('../models/tensor-onnx.mjs').TensorModel} TensorModel */
/** @typedef {Awaited<ReturnType<typeof openRuntimes>>} Runtimes */

export const experiments = {
  async tensors() {
    const models = isQuick
      ? [residualNetwork(32, 8), separableNetwork(32, 8), transformer(16, 64, 2, 1)]
      : [residualNetwork(128, 32), separableNetwork(128, 32), transformer(64, 256, 4, 2)];
    const runtimes = await openRuntimes();
    if (runtimes.native.isa === undefined) missing('kernels of tensors', 'the addon is not installed');
    else for (const model of models) await compare(model, runtimes);
    await runtimes.reference.close();
    await runtimes.native.close();
  },
};

const openRuntimes = async () => ({
  reference: createRuntime({ store: await openStore({ native: false }) }),
  native: createRuntime({ store: await openStore() }),
});

/**
 * Returns CPU milliseconds per call. It repeats the call for some time.
 *
 * @param {() => Promise<unknown>} call
 * @param {number} least ms
 */
async function block(call, least) {
  const before = process.cpuUsage();
  let calls = 0;
  const end = performance.now() + least;
  do {
    await call();
    calls++;
  } while (performance.now() < end);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / calls;
}

/** @param {TensorModel} model @param {Runtimes} runtimes */
async function compare({ name, bytes, shape }, { reference, native }) {
  const random = randomOf(5);
  const data = Float32Array.from({ length: shape.reduce((all, size) => all * size, 1) }, () => normal(random));
  const { program } = importTensors(bytes);
  const [slow, fast] = [reference, native].map((runtime) => {
    const registered = runtime.registerTensors(program);
    return () => runtime.predictTensors(registered, { x: { element: 'float32', shape, data } });
  });
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: /** @type {const} */ (3) };
  const session = await ort.InferenceSession.create(bytes, options);
  const rival = () => session.run({ x: new ort.Tensor('float32', data, [...shape]) });

  const output = program.outputs[0].name;
  const numbers = (/** @type {Record<string, any>} */ answer) => answer[output].data;
  const definition = numbers(await slow());
  compareAnswers(name, { definition, kernels: numbers(await fast()) }, { tolerance: 0 });
  compareAnswers(name, { onnxruntime: numbers(await rival()), definition }, { tolerance: TOLERANCE });
  const [ours, theirs, defined] = [[], [], []].map((list) => /** @type {number[]} */ (list));
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await block(fast, BLOCK_MS));
    theirs.push(await block(rival, BLOCK_MS));
    if (round < SLOW_ROUNDS) defined.push(await block(slow, 1));
  }
  report(name, ours, theirs, defined);
  await session.release();
}

/**
 * Records the times of a model.
 *
 * @param {string} name
 * @param {number[]} ours
 * @param {number[]} theirs
 * @param {number[]} defined
 */
function report(name, ours, theirs, defined) {
  const [kernels, definitions] = [summary(ours), summary(defined)];
  measure(`${name}: kernels of the addon`, 'ms of CPU', kernels);
  measure(`${name}: definitions in TypeScript`, 'ms of CPU', definitions);
  measure(`${name}: onnxruntime-node, one thread`, 'ms of CPU', summary(theirs));
  const { ratio, low, high } = spread(ours.map((time, round) => time / theirs[round]));
  say(`${name}: kernels are ${short(definitions.median / kernels.median)} times as fast as definitions`);
  say(`${name}: ${short(ratio)} times the CPU time of onnxruntime-node (${short(low)}-${short(high)})`);
}
