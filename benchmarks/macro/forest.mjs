// G4, G5 and the forest of G13: tree ensembles, one row and batches of 1000, on every instruction set and without the addon.

import { loadNative } from 'brezel';
import ort from 'onnxruntime-node';
import { FEATURES, forestRows } from '../lib/forests.mjs';
import { interleave, timesFaster } from '../lib/interleave.mjs';
import { forestFile } from '../lib/model-files.mjs';
import { openServer } from '../lib/ours.mjs';
import { binds, comparison, isQuick, measure, note, short } from '../lib/report.mjs';
import { openSession } from '../lib/rival.mjs';

const ROWS = 1000;
/** onnxruntime adds the trees of a row in another order: float32 sums differ by less, of the largest. */
const TOLERANCE = 2e-5;
const ISAS = loadNative().addon?.isas() ?? [];

const values = forestRows(ROWS);
const lists = Array.from({ length: ROWS }, (_, row) =>
  Float64Array.from(values.subarray(row * FEATURES, (row + 1) * FEATURES)),
);
const objects = lists.map((x) => ({ x }));
const tensor = (/** @type {Float32Array} */ data) => ({
  x: new ort.Tensor('float32', data, [data.length / FEATURES, FEATURES]),
});
const feeds = lists.map((list) => tensor(Float32Array.from(list)));
const feed = tensor(values);

/** @param {string} name @param {string} file */
async function openAll(name, file) {
  const engines = await Promise.all(
    [...ISAS, 'fallback'].map(async (isa) => {
      const server = await openServer(isa === 'fallback' ? { native: false } : { isa });
      const plan = await server.load(file);
      return { name: isa, runtime: server.runtime, plan, out: new Float64Array(1) };
    }),
  );
  const session = await openSession(file);
  const wanted = (await session.run(feed)).y.data;
  const most = Math.max(...Array.from(/** @type {Float32Array} */ (wanted), Math.abs));
  for (const { name: engine, runtime, plan, out } of engines) {
    const batch = await runtime.predictBatch(plan, objects, { engine: 'batch' });
    for (let row = 0; row < ROWS; row++) {
      const single = runtime.predictSync(plan, objects[row], out)[0];
      const [y] = /** @type {number[]} */ ([batch[row].y].flat());
      if (single === y && Math.abs(y - Number(wanted[row])) <= TOLERANCE * most) continue;
      console.error(`${name}, row ${row}: ${engine} says ${single} and ${y}, onnxruntime ${wanted[row]}`);
      process.exit(1);
    }
  }
  note(
    `${name}: onnxruntime = ${engines.map((one) => one.name).join(' = ')} on ${ROWS} rows (±${TOLERANCE} of the largest)`,
  );
  return { engines, session };
}

/**
 * @param {string} name
 * @param {string} file
 * @param {{ goal: string, single: number, batch: number, avx2?: number }} targets
 */
async function race(name, file, targets) {
  const { engines, session } = await openAll(name, file);
  const stump = await openAll('1x1', forestFile(1, 1)); // what a call and its rows cost without trees
  const best = ISAS.at(-1);
  const rivals = { name: 'onnxruntime', isAsync: true };
  const single = await interleave(
    [
      ...engines.map(({ name, runtime, plan, out }) => ({
        name,
        calls: 200,
        call: (/** @type {number} */ at) => runtime.predictSync(plan, objects[at % ROWS], out),
      })),
      ...stump.engines.map(({ name, runtime, plan, out }) => ({
        name: `${name} without trees`,
        calls: 200,
        call: (/** @type {number} */ at) => runtime.predictSync(plan, objects[at % ROWS], out),
      })),
      { ...rivals, calls: 100, call: (at) => session.run(feeds[at % ROWS]) },
      { ...rivals, name: 'onnxruntime without trees', calls: 100, call: (at) => stump.session.run(feeds[at % ROWS]) },
    ],
    { rounds: isQuick ? 4 : 40 },
  );
  const batch = await interleave(
    [
      ...engines.map(({ name, runtime, plan }) => ({
        name,
        calls: 4,
        isAsync: true,
        call: () => runtime.predictBatch(plan, objects, { engine: 'batch' }),
      })),
      ...stump.engines.map(({ name, runtime, plan }) => ({
        name: `${name} without trees`,
        calls: 4,
        isAsync: true,
        call: () => runtime.predictBatch(plan, objects, { engine: 'batch' }),
      })),
      { ...rivals, calls: 4, call: () => session.run(feed) },
      { ...rivals, name: 'onnxruntime without trees', calls: 4, call: () => stump.session.run(feed) },
    ],
    { rounds: isQuick ? 4 : 40 },
  );
  for (const [kind, times] of Object.entries({ single, 'batch of 1000': batch })) {
    for (const [engine, one] of Object.entries(times)) measure(`${name}, ${kind}: ${engine}`, 'µs a call', one);
    for (const { name: engine } of engines) {
      const isSingle = kind === 'single';
      const goal = engine === 'fallback' ? 'G13' : targets.goal;
      const least = isSingle ? targets.single : engine === 'avx2' ? targets.avx2 : targets.batch;
      const target = engine === 'fallback' ? (isSingle && targets.goal === 'G4' ? 2.5 : undefined) : least;
      const isAimed = engine === best || engine === 'fallback' || (engine === 'avx2' && !isSingle);
      comparison({
        goal,
        what: `forest ${name} ${kind}, ${engine}`,
        rival: 'onnxruntime',
        unit: 'µs a call',
        ours: times[engine].median,
        theirs: times.onnxruntime.median,
        ...timesFaster(times.onnxruntime, times[engine]),
        target: isQuick || !isAimed ? undefined : target,
      });
      const part = isSingle
        ? `forest ${name} single`
        : `forest ${name} batch${PARTS[`${targets.goal} ${engine}`] ?? ''}`;
      if (least !== undefined && isAimed && goal !== 'G13')
        forestBinds(goal, part, times, engine, least, isSingle ? 1 : ROWS);
      if (target !== undefined && goal === 'G13') forestBinds(goal, `JavaScript, ${part}`, times, engine, target, 1);
    }
  }
}

/** How goals tell apart what instruction sets reach. */
const PARTS = /** @type {Record<string, string>} */ ({ 'G4 avx512': ', AVX-512', 'G4 avx2': ', AVX2' });

/** What a call takes without its trees, on both sides. @param {string} goal @param {string} part @param {Record<string, { median: number }>} times @param {string} engine @param {number} least @param {number} rows of a call */
function forestBinds(goal, part, times, engine, least, rows) {
  const us = (/** @type {string} */ name) => times[name].median / rows;
  const [whole, call] = [us(engine), us(`${engine} without trees`)];
  const [theirs, theirCall] = [us('onnxruntime'), us('onnxruntime without trees')];
  binds(
    goal,
    part,
    `the target allows ${short(theirs / least)} µs a row; it takes ${short(whole)}, of which ${short(call)} by a forest of a single split: the call, reading 40 ` +
      `numbers of a row and its answer. The trees themselves take ${short(whole - call)} µs, those of onnxruntime ${short(theirs - theirCall)} ` +
      `(${short((theirs - theirCall) / (whole - call))} times as long); the rest of its ${short(theirs)} µs is its call, of a tensor made before`,
  );
}

await race('100x6', forestFile(100, 6), { goal: 'G4', single: 15, batch: 12, avx2: 6 });
await race('500x8', forestFile(isQuick ? 50 : 500, 8), { goal: 'G5', single: 10, batch: 9 });
