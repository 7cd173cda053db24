// Goals G4, G5 and the forest of G13: compares complete forests with onnxruntime, on one row and on
// batches of 1000. It measures every instruction set, and JavaScript.
import { loadNative } from 'brezel';
import { openBrezel, openRival } from '../harness/engines.mjs';
import { interleave, timesFaster } from '../harness/loops.mjs';
import { binds, comparison, isQuick, measure, say, short } from '../harness/records.mjs';
import { forestFile } from '../models/files.mjs';
import { FEATURES, forestRows } from '../models/forests.mjs';

const ROWS = 1000;
const ROUNDS = isQuick ? 4 : 40;
/**
 * The largest allowed difference from the answers of onnxruntime, relative to the largest answer.
 * onnxruntime adds the trees in another order.
 */
const TOLERANCE = 2e-5;
const FALLBACK_TARGET = 2.5;

const values = forestRows(ROWS);
const lists = Array.from({ length: ROWS }, (_, row) =>
  Float64Array.from(values.subarray(row * FEATURES, (row + 1) * FEATURES)),
);
const rows = lists.map((x) => ({ x }));

/**
 * @typedef {{ goal: string, single: number, batch: number, avx2?: number }} Targets
 *   Each target is the smallest ratio of onnxruntime's time to Brezel's time. `avx2` is for batches
 *   on AVX2.
 */
/** @typedef {Record<string, import('../harness/loops.mjs').Times>} Times */

export const experiments = {
  async forest() {
    await race('100x6', forestFile(100, 6), { goal: 'G4', single: 15, batch: 12, avx2: 6 });
    await race('500x8', forestFile(isQuick ? 50 : 500, 8), { goal: 'G5', single: 10, batch: 9 });
  },
};

const isas = () => loadNative().addon?.isas() ?? [];

/**
 * Opens a forest in all engines and compares their answers.
 *
 * @param {string} name
 * @param {string} file
 */
async function openAll(name, file) {
  const engines = await Promise.all(
    [...isas(), 'fallback'].map(async (isa) => {
      const options = isa === 'fallback' ? { native: false } : { isa };
      const { runtime, load } = await openBrezel({ ...options, runtime: { materialization: undefined } });
      return { name: isa, runtime, plan: await load(file), out: new Float64Array(1) };
    }),
  );
  const rival = await openRival('ac');
  await rival.load(file);
  const tensors = { rows: rows.map((row) => rival.feed([row])), batch: rival.feed(rows) };
  const wanted = (await rival.run(0, tensors.batch)).y.data;
  const most = Math.max(...Array.from(/** @type {Float32Array} */ (wanted), Math.abs));
  for (const { name: engine, runtime, plan, out } of engines) {
    const batch = await runtime.predictBatch(plan, rows, { engine: 'batch' });
    for (let row = 0; row < ROWS; row++) {
      const single = runtime.predictSync(plan, rows[row], out)[0];
      const [y] = /** @type {number[]} */ ([batch[row].y].flat());
      if (single === y && Math.abs(y - Number(wanted[row])) <= TOLERANCE * most) continue;
      throw new Error(
        `forest ${name}, row ${row}: expected ${wanted[row]} (onnxruntime), received ${single} and in a batch ${y} (${engine})`,
      );
    }
  }
  const names = engines.map((engine) => engine.name).join(' = ');
  say(`forest ${name}: onnxruntime = ${names} on ${ROWS} rows (±${TOLERANCE} of the largest)`);
  return { engines, rival, tensors };
}

/**
 * Measures a forest in all engines, on single rows and on batches, and records the times.
 *
 * @param {string} name
 * @param {string} file
 * @param {Targets} targets
 */
async function race(name, file, targets) {
  const forest = await openAll(name, file);
  // A forest of one stump shows the cost of a call with its rows but without trees.
  const stump = await openAll('1x1', forestFile(1, 1));
  const single = await interleave([...singles(forest, ''), ...singles(stump, ' without trees')], { rounds: ROUNDS });
  const batch = await interleave([...batches(forest, ''), ...batches(stump, ' without trees')], { rounds: ROUNDS });
  const names = forest.engines.map((engine) => engine.name);
  report(name, 'single', single, names, targets);
  report(name, 'batch of 1000', batch, names, targets);
}

/**
 * @param {Awaited<ReturnType<typeof openAll>>} forest
 * @param {string} suffix
 */
const singles = ({ engines, rival, tensors }, suffix) => [
  ...engines.map(({ name, runtime, plan, out }) => ({
    name: `${name}${suffix}`,
    calls: 200,
    call: (/** @type {number} */ index) => runtime.predictSync(plan, rows[index % ROWS], out),
  })),
  {
    name: `onnxruntime${suffix}`,
    calls: 100,
    isAsync: true,
    call: (/** @type {number} */ index) => rival.run(0, tensors.rows[index % ROWS]),
  },
];

/**
 * @param {Awaited<ReturnType<typeof openAll>>} forest
 * @param {string} suffix
 */
const batches = ({ engines, rival, tensors }, suffix) => [
  ...engines.map(({ name, runtime, plan }) => ({
    name: `${name}${suffix}`,
    calls: 4,
    isAsync: true,
    call: () => runtime.predictBatch(plan, rows, { engine: 'batch' }),
  })),
  { name: `onnxruntime${suffix}`, calls: 4, isAsync: true, call: () => rival.run(0, tensors.batch) },
];

/**
 * Records the times of a forest in all engines.
 *
 * @param {string} name
 * @param {'single' | 'batch of 1000'} kind
 * @param {Times} times
 * @param {readonly string[]} engines
 * @param {Targets} targets
 */
function report(name, kind, times, engines, targets) {
  const isSingle = kind === 'single';
  for (const [engine, one] of Object.entries(times)) measure(`${name}, ${kind}: ${engine}`, 'µs a call', one);
  for (const engine of engines) {
    const { goal, part, target } = aimOf(name, isSingle, engine, targets);
    comparison({
      goal,
      what: `forest ${name} ${kind}, ${engine}`,
      rival: 'onnxruntime',
      unit: 'µs a call',
      ours: times[engine].median,
      theirs: times.onnxruntime.median,
      ...timesFaster(times.onnxruntime, times[engine]),
      target: isQuick ? undefined : target,
    });
    if (target !== undefined) forestBinds(goal, part, times, engine, target, isSingle ? 1 : ROWS);
  }
}

/**
 * Returns the goal, its part and its target ratio for the times of one engine. Only the best
 * instruction set, JavaScript, and batches with AVX2 have targets.
 *
 * @param {string} name
 * @param {boolean} isSingle
 * @param {string} engine
 * @param {Targets} targets
 */
function aimOf(name, isSingle, engine, targets) {
  if (engine === 'fallback') {
    const target = isSingle && targets.goal === 'G4' ? FALLBACK_TARGET : undefined;
    return { goal: 'G13', part: `JavaScript, forest ${name} single`, target };
  }
  if (isSingle) {
    const target = engine === isas().at(-1) ? targets.single : undefined;
    return { goal: targets.goal, part: `forest ${name} single`, target };
  }
  const isa = targets.goal === 'G5' ? '' : { avx512: ', AVX-512', avx2: ', AVX2' }[engine];
  const part = `forest ${name} batch${isa ?? ''}`;
  if (engine === 'avx2') return { goal: targets.goal, part, target: targets.avx2 };
  return { goal: targets.goal, part, target: engine === isas().at(-1) ? targets.batch : undefined };
}

/**
 * Records how much time of a prediction the call takes, and how much time the trees take.
 *
 * @param {string} goal
 * @param {string} part
 * @param {Times} times
 * @param {string} engine
 * @param {number} target
 * @param {number} rows per call
 */
function forestBinds(goal, part, times, engine, target, rows) {
  const us = (/** @type {string} */ name) => times[name].median / rows;
  const [whole, call] = [us(engine), us(`${engine} without trees`)];
  const [theirs, theirCall] = [us('onnxruntime'), us('onnxruntime without trees')];
  binds(
    goal,
    part,
    `the target allows ${short(theirs / target)} µs per row. A row takes ${short(whole)} µs. A forest with one split ` +
      `takes ${short(call)} µs for the call, for reading ${FEATURES} numbers and for the answer. The trees therefore take ` +
      `${short(whole - call)} µs in Brezel. They take ${short(theirs - theirCall)} µs in onnxruntime, ` +
      `${short((theirs - theirCall) / (whole - call))} times as long. Calling onnxruntime, with reused input tensors, ` +
      `takes the rest of its ${short(theirs)} µs`,
  );
}
