import http from 'node:http';
import fastify from 'fastify';
import { randomOf } from '../models/random.mjs';
import { rowsOf } from '../models/workload.mjs';
import { numberOf, openBrezel, openRival } from './engines.mjs';
import { openLoop, poissonArrivals, zipfPicker } from './open-loop.mjs';
import { serveParent, startPeer } from './processes.mjs';
import { expectedRange, summary } from './stats.mjs';

// The two processes of the HTTP experiments of the paper: a load generator that sends requests at
// fixed times (open loop), and a server. The server answers `POST /models/N { rows }` with
// `{ numbers }`, with the same code for both engines.

/** @typedef {import('../models/workload.mjs').Kind} Kind */
/**
 * @typedef {{ port: number, kind: Kind, models: number, rate: number, seconds: number, alpha?:
 * number, batch: number }} Load
 *   `alpha` is the exponent of Zipf's law. Without it, all models are equally popular.
 */

const CONNECTIONS = 64;
const BODIES = 500;

/** Starts the load generator in a separate process. */
export async function startClient() {
  const { request, close } = await startPeer(import.meta.url, 'client', {});
  return {
    load: (/** @type {Load} */ load) => request({ load }),
    /**
     * Requests the answers of a model to the first rows.
     *
     * @param {number} port
     * @param {string} kind
     * @param {number} model
     * @param {number} count
     * @returns {Promise<number[]>}
     */
    answers: async (port, kind, model, count) => (await request({ answers: { port, kind, model, count } })).numbers,
    close,
  };
}

/**
 * Starts an HTTP server in a separate process.
 *
 * @param {import('./fleet-loading.mjs').Load} load
 */
export async function startServer(load) {
  const { hello, request, close } = await startPeer(import.meta.url, 'server', load);
  return { port: hello.port, times: async () => (await request('times')).predictions, close };
}

export const trials = {
  /** Runs the load generator in this process. It answers messages until the message `close`. */
  client: () =>
    serveParent({ ready: true }, (message) =>
      message.load === undefined ? firstAnswers(message.answers) : run(message.load),
    ),

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

    /**
     * The time of each prediction without HTTP, in µs.
     *
     * @type {number[]}
     */
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
    await serveParent({ port: address.port }, () => {
      const times = predictions;
      predictions = [];
      return { predictions: times.length === 0 ? undefined : summary(times) };
    });
    app.server.closeAllConnections();
    await app.close();
    await server.close();
  },
};

/** @type {Map<string, Buffer[]>} */
const cachedBodies = new Map();

/**
 * Creates request bodies before the clock starts.
 *
 * @param {Kind} kind
 * @param {number} batch
 */
function bodies(kind, batch) {
  const name = `${kind} ${batch}`;
  const rows = rowsOf(kind, BODIES, 11).map((row) => (typeof row === 'string' ? row : Array.from(row.x)));
  const list =
    cachedBodies.get(name) ??
    Array.from({ length: BODIES }, (_, first) =>
      Buffer.from(JSON.stringify({ rows: Array.from({ length: batch }, (_, row) => rows[(first + row) % BODIES]) })),
    );
  cachedBodies.set(name, list);
  return list;
}

/**
 * Sends a request and returns the parsed answer.
 *
 * @param {http.Agent} agent
 * @param {number} port
 * @param {number} model
 * @param {Buffer} body
 * @returns {Promise<any>}
 */
function post(agent, port, model, body) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const options = { host: '127.0.0.1', port, agent, method: 'POST', path: `/models/${model}`, headers };
    const sent = http.request(options, (response) => {
      /** @type {Buffer[]} */
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        if (response.statusCode === 200) resolve(JSON.parse(Buffer.concat(chunks).toString()));
        else reject(new Error(`expected status 200, received ${response.statusCode}`));
      });
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/**
 * Sends requests at random times (a Poisson process) for some seconds, and returns the latencies.
 *
 * @param {Load} load
 */
async function run({ port, kind, models, rate, seconds, alpha, batch }) {
  const random = randomOf(rate * 97 + models);
  const list = bodies(kind, batch);
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const pick = alpha === undefined ? () => Math.floor(random() * models) : zipfPicker(random, models, alpha);
  const arrivals = poissonArrivals(random, rate, seconds);
  const targets = Int32Array.from(arrivals, pick);
  const start = performance.now();
  /** The number of answered requests in each second. */
  const bySecond = new Array(Math.floor(seconds)).fill(0);
  const result = await openLoop(arrivals, async (index) => {
    await post(agent, port, targets[index], list[index % list.length]);
    const second = Math.floor((performance.now() - start) / 1000);
    if (second < bySecond.length) bySecond[second]++;
  });
  agent.destroy();
  const { latencies, lateness, failed, unanswered, elapsedMs } = result;
  const answered = arrivals.length - failed - unanswered;
  return {
    latency: summary(latencies),
    lateness: summary(lateness),
    failed,
    unanswered,
    offered: arrivals.length / seconds,
    throughput: (answered * 1000) / elapsedMs,
    throughputs: expectedRange(bySecond),
  };
}

/**
 * Requests the answers to the first `count` rows, one after another.
 *
 * @param {{ port: number, kind: Kind, model: number, count: number }} request
 */
async function firstAnswers({ port, kind, model, count }) {
  const agent = new http.Agent({ keepAlive: true });
  const numbers = [];
  for (const body of bodies(kind, 1).slice(0, count)) numbers.push((await post(agent, port, model, body)).numbers[0]);
  agent.destroy();
  return { numbers };
}
