// A small HTTP server of the benchmark's own: POST /models/N { rows } → { numbers }. The same code before both engines. Started by lib/http.mjs.
// Parameter: JSON of { engine, kind, packed, files, threads, models }.
import fastify from 'fastify';
import { parameters, send } from '../lib/child.mjs';
import { openBrezel, openRival } from '../lib/servers.mjs';
import { summary } from '../lib/stats.mjs';
import { numberOf } from '../workload/rows.mjs';

const { engine, kind, packed, files, threads, models } = JSON.parse(parameters[0]);
const server = engine === 'brezel' ? await openBrezel() : await openRival(kind, { threads });
if (packed === undefined) for (const file of files) await server.load(file);
else
  await /** @type {Awaited<ReturnType<typeof openBrezel>>} */ (server).open(packed, {
    verify: false,
    prefault: true,
    models,
  });

/** µs of predictions alone, without HTTP. @type {number[]} */
let predictions = [];

/** A body's rows as an engine takes them. @param {any[]} rows */
const rowsOfBody = (rows) => (kind === 'sa' ? rows : rows.map((x) => ({ x: Float32Array.from(x) })));

/** @param {number} model @param {any[]} rows @returns {Promise<number[]>} */
async function answer(model, rows) {
  if (rows.length > 1 || engine !== 'brezel') return server.many(model, rows);
  return [numberOf(/** @type {any} */ (server.one(model, rows[0])))];
}

const app = fastify();
app.post('/models/:model', async (request) => {
  const rows = rowsOfBody(/** @type {any} */ (request.body).rows);
  const start = performance.now();
  const numbers = await answer(Number(/** @type {any} */ (request.params).model), rows);
  predictions.push((performance.now() - start) * 1000);
  return { numbers };
});
await app.listen({ host: '127.0.0.1', port: 0 });
const address = /** @type {import('node:net').AddressInfo} */ (app.server.address());
process.on('message', async (message) => {
  if (message === 'times') {
    const times = predictions;
    predictions = [];
    send({ predictions: times.length === 0 ? undefined : summary(times) });
  } else if (message === 'close') {
    app.server.closeAllConnections();
    await app.close();
    await server.close();
    process.disconnect();
  }
});
await send({ port: address.port });
