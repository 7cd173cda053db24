// One trial: a fresh process loads a fleet of the paper's workload, and says how long that took and how much memory it holds. Started by
// lib/paper-fleet.mjs. Parameter: JSON of { engine, kind, files, packed, threads, prefault, wait }; engine none: an
// empty process.
import { parameters, send } from '../lib/child.mjs';
import { settled } from '../lib/rss.mjs';
import { openBrezel, openRival } from '../lib/servers.mjs';
import { rowsOf } from '../workload/rows.mjs';

const { engine, kind, files, packed, threads, prefault = true, wait } = JSON.parse(parameters[0]);
const [row] = rowsOf(kind, 1);
const nobody = { one: () => undefined, close: async () => {} };
const servers = {
  brezel: () => openBrezel(),
  onnxruntime: () => openRival(kind, { threads }),
  none: async () => nobody,
};
const server = /** @type {any} */ (await servers[/** @type {keyof typeof servers} */ (engine)]());
const before = await settled();

let loadMs = 0;
/** @type {number[]} */
const coldMs = [];
/** @param {() => Promise<void>} load @param {number} first @param {number} end models that this loads */
async function timed(load, first, end) {
  const start = performance.now();
  await load();
  loadMs += performance.now() - start;
  for (let model = first; model < end; model++) {
    const asked = performance.now();
    await server.one(model, row);
    coldMs.push(performance.now() - asked);
  }
}

let half = before;
/** @type {import('../lib/servers.mjs').OpenTimes | undefined} */
let parts;
if (packed === undefined) {
  const middle = Math.floor(files.length / 2);
  for (const [at, file] of files.entries()) {
    await timed(() => server.load(file), at, at + 1);
    if (at + 1 === middle) half = await settled();
  }
} else {
  const { plans, open } = /** @type {Awaited<ReturnType<typeof openBrezel>>} */ (server);
  await timed(
    async () => {
      parts = await open(packed, { verify: false, prefault });
    },
    0,
    0,
  );
  for (let model = 0; model < plans.length; model++) {
    const asked = performance.now();
    await server.one(model, row);
    coldMs.push(performance.now() - asked);
  }
}
if (wait) {
  const told = new Promise((resolve) => process.once('message', resolve));
  await send({ ready: true });
  await told;
}
const after = await settled();
const models = coldMs.length;
await send({ models, loadMs, coldMs, parts, before, half, after });
for (let model = 0; model < models; model++) await server.one(model, row); // every model is alive until here
await server.close();
if (process.connected) process.disconnect();
