// A forest that Yggdrasil trained: its own WebAssembly package, onnxruntime and Brezel (native and JavaScript), one row and batches of 1000.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interleave, timesFaster } from '../lib/interleave.mjs';
import { folderOf } from '../lib/model-files.mjs';
import { comparison, isQuick, measure, note } from '../lib/report.mjs';
import { openBrezel, openRival } from '../lib/servers.mjs';
import { asOnnx, columnsOf, openForest, trainedForest } from '../lib/yggdrasil.mjs';
import { acRows, FEATURES } from '../workload/ac.mjs';
import { compareAnswers } from '../workload/agree.mjs';
import { feedOfRows } from '../workload/rows.mjs';

const ROWS = 1000;
const kept = join(folderOf([new URL('../lib/yggdrasil.mjs', import.meta.url)]), 'yggdrasil.zip');
const zipped = await trainedForest(kept);
const { bytes, trees, nodes } = await asOnnx(zipped);
const folder = mkdtempSync(join(tmpdir(), 'brezel-yggdrasil-'));
const file = join(folder, 'forest.onnx');
writeFileSync(file, bytes);

const values = acRows(ROWS, 5);
const rows = Array.from({ length: ROWS }, (_, row) => ({ x: values.slice(row * FEATURES, (row + 1) * FEATURES) }));
const columns = columnsOf(values);
const single = rows.map(({ x }) => columnsOf(x));
const forest = await openForest(zipped);
const [native, fallback, rival] = [await openBrezel(), await openBrezel({ native: false }), await openRival('ac')];
for (const server of [native, fallback, rival]) await server.load(file);
const { default: ort } = await import('onnxruntime-node');
const [feed, feeds] = [feedOfRows(ort, 'ac', rows), rows.map((row) => feedOfRows(ort, 'ac', [row]))];
const what = `forest of ${trees} trees, ${nodes} nodes`;
note(
  compareAnswers(what, {
    yggdrasil: Array.from(forest.predict(columns), Number),
    onnxruntime: await rival.many(0, rows),
    native: await native.many(0, rows),
    fallback: await fallback.many(0, rows),
  }),
);

/** @param {string} kind @param {string} unit @param {import('../lib/interleave.mjs').Contestant[]} contestants */
async function race(kind, unit, contestants) {
  const times = await interleave(contestants, { rounds: isQuick ? 3 : 30 });
  for (const [name, one] of Object.entries(times)) measure(`${what}, ${kind}: ${name}`, unit, one);
  for (const ours of ['native', 'fallback']) {
    comparison({
      goal: 'forests',
      what: `${what}, ${kind}, ${ours}`,
      rival: 'yggdrasil, WebAssembly',
      unit,
      ours: times[ours].median,
      theirs: times.yggdrasil.median,
      ...timesFaster(times.yggdrasil, times[ours]),
    });
  }
}

await race('one row', 'µs', [
  { name: 'native', calls: 100, call: (at) => native.one(0, rows[at % ROWS]) },
  { name: 'fallback', calls: 100, call: (at) => fallback.one(0, rows[at % ROWS]) },
  { name: 'onnxruntime', calls: 50, isAsync: true, call: (at) => rival.sessions[0].run(feeds[at % ROWS]) },
  { name: 'yggdrasil', calls: 50, call: (at) => forest.predict(single[at % ROWS]) },
]);
await race('1000 rows', 'µs', [
  { name: 'native', calls: 3, isAsync: true, call: () => native.runtime.predictBatch(native.plans[0], rows) },
  { name: 'fallback', calls: 3, isAsync: true, call: () => fallback.runtime.predictBatch(fallback.plans[0], rows) },
  { name: 'onnxruntime', calls: 3, isAsync: true, call: () => rival.sessions[0].run(feed) },
  { name: 'yggdrasil', calls: 3, call: () => forest.predict(columns) },
]);
forest.unload();
for (const server of [native, fallback, rival]) await server.close();
rmSync(folder, { recursive: true });
