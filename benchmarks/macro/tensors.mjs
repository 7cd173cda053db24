// Programs over whole tensors: their definitions in TypeScript, kernels of the addon beside them, and onnxruntime-node with one thread, by turns. CPU
// time, because other work of the machine counts in all others.
import { createRuntime, importTensors, openStore } from 'brezel';
import ort from 'onnxruntime-node';
import { normal, randomOf } from '../lib/random.mjs';
import { isQuick, measure, note, say, short } from '../lib/report.mjs';
import { spread, summary } from '../lib/stats.mjs';
import { residualNetwork, separableNetwork, transformer } from '../lib/tensor-models.mjs';

const models = isQuick
  ? [residualNetwork(32, 8), separableNetwork(32, 8), transformer(16, 64, 2, 1)]
  : [residualNetwork(128, 32), separableNetwork(128, 32), transformer(64, 256, 4, 2)];
const ROUNDS = isQuick ? 3 : 15;
/** The definitions take a second and more. */
const SLOW_ROUNDS = isQuick ? 1 : 2;
const BLOCK_MS = isQuick ? 5 : 60;
/** Sums in another order. */
const TOLERANCE = 1e-4;

const reference = createRuntime({ store: await openStore({ native: false }) });
const native = createRuntime({ store: await openStore() });
if (native.isa === undefined) note('no addon: there is nothing to compare');
else for (const model of models) await compare(model);
await reference.close();
await native.close();

/** Milliseconds of CPU a call, over some time. @param {() => Promise<unknown>} call @param {number} least */
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

/** @param {import('../lib/tensor-models.mjs').TensorModel} model */
async function compare({ name, bytes, shape }) {
  const random = randomOf(5);
  const data = Float32Array.from({ length: shape.reduce((all, size) => all * size, 1) }, () => normal(random));
  const { program } = importTensors(bytes);
  const output = program.outputs[0].name;
  const [slow, fast] = [reference, native].map((runtime) => {
    const registered = runtime.registerTensors(program);
    return () => runtime.predictTensors(registered, { x: { element: 'float32', shape, data } });
  });
  const session = await ort.InferenceSession.create(bytes, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
  });
  const rival = () => session.run({ x: new ort.Tensor('float32', data, [...shape]) });

  const [definition, answer, theirs] = [await slow(), await fast(), await rival()].map((one) => one[output].data);
  mustAgree(name, answer, definition, 0);
  mustAgree(name, answer, theirs, TOLERANCE);
  const [ours, others, defined] = [[], [], []].map((list) => /** @type {number[]} */ (list));
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await block(fast, BLOCK_MS));
    others.push(await block(rival, BLOCK_MS));
    if (round < SLOW_ROUNDS) defined.push(await block(slow, 1));
  }
  report(name, { ours: summary(ours), theirs: summary(others), defined: summary(defined) });
  const ratios = spread(ours.map((time, round) => time / others[round]));
  say(
    `${name}: ${short(ratios.ratio)} times the CPU time of onnxruntime-node (${short(ratios.low)}-${short(ratios.high)})`,
  );
  await session.release();
}

/** @param {string} name @param {Record<'ours' | 'theirs' | 'defined', ReturnType<typeof summary>>} times */
function report(name, { ours, theirs, defined }) {
  measure(`${name}: kernels of the addon`, 'ms of CPU', ours);
  measure(`${name}: definitions in TypeScript`, 'ms of CPU', defined);
  measure(`${name}: onnxruntime-node, one thread`, 'ms of CPU', theirs);
  say(`${name}: kernels take ${short(defined.median / ours.median)} times less than definitions`);
}

/** @param {string} name @param {ArrayLike<number>} ours @param {ArrayLike<number>} others @param {number} tolerance */
function mustAgree(name, ours, others, tolerance) {
  for (let at = 0; at < others.length; at++) {
    if (Math.abs(ours[at] - others[at]) <= tolerance * (1 + Math.abs(others[at]))) continue;
    throw new Error(`${name}: number ${at} is ${ours[at]} instead of ${others[at]}`);
  }
}
