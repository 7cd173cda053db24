// Goal G22: measures a forest that Yggdrasil trained. Yggdrasil's WebAssembly package, onnxruntime
// and Brezel (native and JavaScript) run it on one row and on batches of 1000.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareAnswers } from '../harness/agreement.mjs';
import { openBrezel, openRival } from '../harness/engines.mjs';
import { interleave, timesFaster } from '../harness/interleave.mjs';
import { comparison, isQuick, measure, note } from '../harness/records.mjs';
import { acRows, FEATURES } from '../models/attendee-fleet.mjs';
import { folderOf } from '../models/files.mjs';
import { feedOfRows } from '../models/rows.mjs';
import { asOnnx, columnsOf, openForest, trainedForest } from '../models/yggdrasil.mjs';

const ROWS = 1000;

export const experiments = { yggdrasil };

async function yggdrasil() {
  const zipped = await trainedForest(
    join(folderOf([new URL('../models/yggdrasil.mjs', import.meta.url)]), 'yggdrasil.zip'),
  );
  const { bytes, trees, nodes } = await asOnnx(zipped);
  const folder = mkdtempSync(join(tmpdir(), 'brezel-yggdrasil-'));
  try {
    const file = join(folder, 'forest.onnx');
    writeFileSync(file, bytes);
    await compare(`forest of ${trees} trees, ${nodes} nodes`, file, await openForest(zipped));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string} what @param {string} file @param {any} forest Yggdrasil's */
async function compare(what, file, forest) {
  const values = acRows(ROWS, 5);
  const rows = Array.from({ length: ROWS }, (_, row) => ({ x: values.slice(row * FEATURES, (row + 1) * FEATURES) }));
  const columns = columnsOf(values);
  const single = rows.map(({ x }) => columnsOf(x));
  const [native, fallback, rival] = [await openBrezel(), await openBrezel({ native: false }), await openRival('ac')];
  for (const engine of [native, fallback, rival]) await engine.load(file);
  const { default: ort } = await import('onnxruntime-node');
  const [feed, feeds] = [feedOfRows(ort, 'ac', rows), rows.map((row) => feedOfRows(ort, 'ac', [row]))];
  note(
    compareAnswers(what, {
      yggdrasil: Array.from(forest.predict(columns), Number),
      onnxruntime: await rival.many(0, rows),
      native: await native.many(0, rows),
      fallback: await fallback.many(0, rows),
    }),
  );
  const nth = (/** @type {number} */ index) => index % ROWS;
  await race(`${what}, one row`, [
    { name: 'native', calls: 100, call: (index) => native.one(0, rows[nth(index)]) },
    { name: 'fallback', calls: 100, call: (index) => fallback.one(0, rows[nth(index)]) },
    { name: 'onnxruntime', calls: 50, isAsync: true, call: (index) => rival.sessions[0].run(feeds[nth(index)]) },
    { name: 'yggdrasil', calls: 50, call: (index) => forest.predict(single[nth(index)]) },
  ]);
  await race(`${what}, 1000 rows`, [
    { name: 'native', calls: 3, isAsync: true, call: () => native.runtime.predictBatch(native.plans[0], rows) },
    { name: 'fallback', calls: 3, isAsync: true, call: () => fallback.runtime.predictBatch(fallback.plans[0], rows) },
    { name: 'onnxruntime', calls: 3, isAsync: true, call: () => rival.sessions[0].run(feed) },
    { name: 'yggdrasil', calls: 3, call: () => forest.predict(columns) },
  ]);
  forest.unload();
  for (const engine of [native, fallback, rival]) await engine.close();
}

/**
 * Compares the contestants and records their times.
 *
 * @param {string} what @param {import('../harness/interleave.mjs').Contestant[]} contestants
 */
async function race(what, contestants) {
  const times = await interleave(contestants, { rounds: isQuick ? 3 : 30 });
  for (const [name, one] of Object.entries(times)) measure(`${what}: ${name}`, 'µs', one);
  for (const ours of ['native', 'fallback'])
    comparison({
      goal: 'G22',
      what: `${what}, ${ours}`,
      rival: 'yggdrasil, WebAssembly',
      unit: 'µs',
      ours: times[ours].median,
      theirs: times.yggdrasil.median,
      ...timesFaster(times.yggdrasil, times[ours]),
    });
}
