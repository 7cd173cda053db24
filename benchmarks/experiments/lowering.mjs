// Compares stages lowered to ONNX with the native kernels, on every GPU provider of
// onnxruntime-node that works. It measures stages alone and in a plan, and the number of rows from
// which the device is faster. `scripts/gpu-machine.sh` prepares a machine with a GPU.
import {
  createFlour,
  createRuntime,
  crossoverRows,
  defaultGpu,
  deviceCost,
  importOnnx,
  lowerStage,
  onnxruntimeBackend,
  vector,
} from 'brezel';
import { compareAnswers } from '../harness/agreement.mjs';
import { isQuick, measure, missing, say, short } from '../harness/records.mjs';
import { summary } from '../harness/stats.mjs';
import { FEATURES, forestModel } from '../models/forests.mjs';
import { normal, randomOf } from '../models/random.mjs';

export const experiments = { lowering };

const BLOCKS = isQuick ? [1, 64] : [1, 16, 64, 256, 1024, 4096];
const WIDTHS = isQuick ? [64] : [64, 256, 1024, 2048];
const FORESTS = isQuick
  ? [[20, 5]]
  : [
      [100, 6],
      [500, 10],
    ];
const ROUNDS = isQuick ? 3 : 20;
/**
 * Each number of the table is measured in at least three rounds. No further round starts after this
 * many milliseconds.
 */
const MOST_MS = 2000;
/**
 * The largest allowed difference between the answers of a GPU and a CPU, relative if an answer is
 * above 1. GPUs have shorter mantissas and add thousands of products in another order.
 */
const TOLERANCE = 2e-2;

/** @typedef {import('brezel').Flow<'vector'>} Vector */
/**
 * @typedef {{ name: string, width: number, build: (flour: import('brezel').FlourContext) =>
 * import('brezel').OwnedPlan }} Workload
 *   A model to measure: `build` compiles it, and `width` is the number of its input features.
 */

const random = randomOf(6);
/**
 * @param {number} count
 * @param {number} scale
 */
const numbers = (count, scale = 1) => Float32Array.from({ length: count }, () => scale * normal(random));

/**
 * Returns a workload with two dense layers of one width, like the head of a network.
 *
 * @param {number} width
 * @returns {Workload}
 */
const network = (width) => ({
  name: `two dense layers of ${width}`,
  width,
  build(flour) {
    const x = /** @type {Vector} */ (flour.input('x', vector('float32', width)));
    const layer = () => ({
      weights: numbers(width * width, width ** -0.5),
      bias: numbers(width),
      activation: /** @type {const} */ ('relu'),
    });
    return flour.program({ y: x.mlp({ layers: [layer(), layer()] }) }).plan();
  },
});

/**
 * @param {number} trees
 * @param {number} depth
 * @returns {Workload}
 */
const forest = (trees, depth) => ({
  name: `${trees} trees of ${depth} levels`,
  width: FEATURES,
  build: (flour) => importOnnx(forestModel(trees, depth), flour).program.plan(),
});

/**
 * Measures how many microseconds `work` takes, in several rounds after one warm-up.
 * @param {() => Promise<unknown>} work
 */
async function micros(work) {
  await work();
  const times = [];
  const end = performance.now() + MOST_MS;
  for (let round = 0; round < ROUNDS && (round < 3 || performance.now() < end); round++) {
    const start = process.hrtime.bigint();
    await work();
    times.push(Number(process.hrtime.bigint() - start) / 1000);
  }
  return summary(times);
}

/**
 * The fastest times of a batch of `count` rows in µs: with native kernels (`ours`), in the other
 * runtime (`theirs`), and in a plan with this runtime (`inPlan`).
 *
 * @typedef {{ count: number, ours: number, theirs: number, inPlan: number }} Line
 */

/**
 * Measures one line of the table, for batches of `count` rows. Compares the answers before it
 * measures times.
 *
 * @param {{ name: string, width: number, input: string, runtime: import('brezel').Runtime, stage:
 * import('brezel').BackendStage, handles: import('brezel').RegisteredPlan[] }} parts
 * @param {number} count
 * @returns {Promise<Line>}
 */
async function line({ name, width, input, runtime, stage, handles }, count) {
  const [handle, onDevice] = handles;
  const data = numbers(count * width);
  const rows = Array.from({ length: count }, (_, row) => ({ [input]: data.subarray(row * width, (row + 1) * width) }));
  const tensors = { in_0: { element: /** @type {const} */ ('float32'), shape: [count, width], data } };
  const flat = (/** @type {readonly object[]} */ answers) => answers.flatMap((answer) => Object.values(answer)[0]);
  const wanted = flat(await runtime.predictBatch(handle, rows));
  const received = await stage.run(tensors);
  const answers = {
    kernels: wanted,
    lowered: /** @type {Float32Array} */ (received.out_0.data),
    'in a plan': flat(await runtime.predictBatch(onDevice, rows)),
  };
  compareAnswers(`${name}, ${count} rows`, answers, { tolerance: TOLERANCE });
  const ours = await micros(() => runtime.predictBatch(handle, rows));
  const theirs = await micros(() => stage.run(tensors));
  const inPlan = await micros(() => runtime.predictBatch(onDevice, rows));
  measure(`${name}, ${count} rows, native kernels`, 'µs', ours);
  measure(`${name}, ${count} rows, ${stage.provider} on the ${stage.device}`, 'µs', theirs);
  measure(`${name}, ${count} rows, a plan with its stage on ${stage.provider}`, 'µs', inPlan);
  return { count, ours: ours.min, theirs: theirs.min, inPlan: inPlan.min };
}

/**
 * Prints a table with one line for each number of rows. It shows the fastest time of each
 * contestant.
 *
 * @param {string} name
 * @param {string} provider
 * @param {readonly Line[]} lines
 */
function table(name, provider, lines) {
  const head = ['rows', 'kernels', provider, 'in a plan'].map((word) => word.padStart(14)).join('');
  say(`${name}, fastest time in µs:`);
  say(head);
  for (const { count, ours, theirs, inPlan } of lines)
    say([`${count}`, short(ours), short(theirs), short(inPlan)].map((word) => word.padStart(14)).join(''));
}

/**
 * Measures a workload on the CPU and on an execution provider of a device, and prints a table.
 *
 * @param {Workload} workload
 * @param {import('brezel').Backend} backend
 * @param {string} provider
 */
async function compare({ name, width, build }, backend, provider) {
  const flour = await createFlour();
  const runtime = createRuntime({ store: flour.store, backends: [backend] });
  const plan = build(flour);
  const [planned] = plan.stages;
  const input = plan.inputs[0].name;
  const lowered = lowerStage(planned.stage, (id) => flour.store.get(id));
  const model = { format: /** @type {const} */ ('onnx'), bytes: lowered.bytes, checksum: planned.stage.key };
  const stage = await backend.open(model, { device: 'gpu', providers: [provider] });
  const options = {
    device: /** @type {const} */ ('gpu'),
    providers: [provider],
    lowering: { maxBatch: BLOCKS.at(-1) },
  };
  const handles = [runtime.register(plan, { name: 'native' }), runtime.register(plan, { name: 'device', ...options })];
  await runtime.warm(handles[1]);
  say(`${name}: one stage of ${plan.stages.length}, on ${stage.provider}`);
  /** @type {Line[]} */
  const lines = [];
  for (const count of BLOCKS) lines.push(await line({ name, width, input, runtime, stage, handles }, count));
  table(name, stage.provider, lines);
  const crossover = (/** @type {'theirs' | 'inPlan'} */ what) => {
    const first = lines.find((one) => one[what] < one.ours);
    return first === undefined ? `not faster up to ${BLOCKS.at(-1)} rows` : `faster from ${first.count} rows`;
  };
  const expected = crossoverRows(deviceCost(planned.marks, lowered), defaultGpu);
  say(`${name}: ${stage.provider} alone is ${crossover('theirs')}, in a plan ${crossover('inPlan')}`);
  say(`${name}: the profile defaultGpu expects a GPU to be faster from ${short(expected)} rows`);
  await stage.dispose();
  await runtime.close();
  plan.release();
  flour.dispose();
}

async function lowering() {
  const backend = onnxruntimeBackend();
  const { available, why, providers } = await backend.probe();
  if (!available) missing('lowered stages', String(why));
  else await onProviders(backend, providers);
  await backend.dispose();
}

/**
 * Measures all workloads on each GPU provider that works, or on the CPU provider if none works.
 *
 * @param {import('brezel').Backend} backend
 * @param {readonly any[]} providers
 */
async function onProviders(backend, providers) {
  const gpus = providers.filter(({ device }) => device === 'gpu');
  for (const { name, why } of gpus.filter(({ available }) => !available)) say(`no ${name}: ${why}`);
  const working = gpus.filter(({ available }) => available).map(({ name }) => name);
  const workloads = [...WIDTHS.map(network), ...FORESTS.map(([trees, depth]) => forest(trees, depth))];
  if (working.length === 0)
    say('no GPU provider works: the following times are of the CPU provider and say nothing about GPUs');
  for (const provider of working.length === 0 ? ['cpu'] : working)
    for (const workload of workloads) await compare(workload, backend, provider);
}
