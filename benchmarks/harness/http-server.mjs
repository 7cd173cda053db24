import fastify from 'fastify';
import { numberOf } from '../models/rows.mjs';
import { openBrezel, openRival } from './engines.mjs';
import { startPeer } from './http-client.mjs';
import { send } from './processes.mjs';
import { summary } from './stats.mjs';

// The server of the HTTP experiments. It answers `POST /models/N { rows }` with `{ numbers }`, with
// the same code for both engines.

/** Starts a server process. @param {import('./fleet-loading.mjs').Load} load */
export async function startServer(load) {
  const { hello, ask, close } = await startPeer(import.meta.url, 'server', load);
  return { port: hello.port, times: async () => (await ask('times')).predictions, close };
}

export const trials = {
  /**
   * Runs the server in this process. It answers requests until the message `close`.
   *
   * @param {import('./fleet-loading.mjs').Load} load
   */
  async server({ engine, kind, packed, files, threads, models }) {
    const brezel = engine === 'brezel' ? await openBrezel() : undefined;
    const server = brezel ?? (await openRival(kind, { threads }));
    if (brezel !== undefined && packed !== undefined)
      await brezel.open(packed, { verify: false, prefault: true, models });
    else for (const file of files ?? []) await server.load(file);

    /** The time of each prediction without HTTP, in µs. @type {number[]} */
    let predictions = [];
    const app = fastify();
    app.post('/models/:model', async (request) => {
      const { rows } = /** @type {any} */ (request.body);
      const model = Number(/** @type {any} */ (request.params).model);
      const inputs = kind === 'sa' ? rows : rows.map((/** @type {number[]} */ x) => ({ x: Float32Array.from(x) }));
      const start = performance.now();
      const numbers =
        brezel !== undefined && inputs.length === 1
          ? [numberOf(/** @type {any} */ (brezel.one(model, inputs[0])))]
          : await server.many(model, inputs);
      predictions.push((performance.now() - start) * 1000);
      return { numbers };
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const address = /** @type {import('node:net').AddressInfo} */ (app.server.address());
    const closed = new Promise((resolve) =>
      process.on('message', async (message) => {
        if (message === 'close') return resolve(undefined);
        const times = predictions;
        predictions = [];
        await send({ predictions: times.length === 0 ? undefined : summary(times) });
      }),
    );
    await send({ port: address.port });
    await closed;
    app.server.closeAllConnections();
    await app.close();
    await server.close();
  },
};
