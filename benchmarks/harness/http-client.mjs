import { Agent, request } from 'node:http';
import { randomOf } from '../models/random.mjs';
import { rowsOf } from '../models/rows.mjs';
import { compareAnswers, toleranceOf } from './agreement.mjs';
import { openLoop, poissonArrivals, zipfPicker } from './open-loop.mjs';
import { nextMessage, send, startTrial } from './processes.mjs';
import { expectedRange, summary } from './stats.mjs';

// The load generator of the HTTP experiments. It runs in a separate process and sends requests at
// fixed times (open loop).

/** @typedef {import('../models/fleets.mjs').Kind} Kind */
/**
 * @typedef {{ port: number, kind: Kind, models: number, rate: number, seconds: number, alpha?:
 * number, batch: number }} Load
 *   `alpha` is the exponent of Zipf's law. Without it, all models are equally popular.
 */

const CONNECTIONS = 64;
const BODIES = 500;

/**
 * Starts a process of the HTTP experiments and returns its first message.
 *
 * @param {string} module
 * @param {string} name
 * @param {unknown} parameters
 */
export async function startPeer(module, name, parameters) {
  const child = startTrial(module, name, parameters);
  const hello = await nextMessage(child);
  return {
    hello,
    /** @param {any} message */
    ask: (message) => {
      const answer = nextMessage(child);
      child.send(message);
      return answer;
    },
    close: () =>
      new Promise((resolve) => {
        child.once('exit', resolve);
        child.send('close');
      }),
  };
}

/** Starts the load generator. */
export async function startClient() {
  const { ask, close } = await startPeer(import.meta.url, 'client', {});
  return {
    load: (/** @type {Load} */ load) => ask({ load }),
    /**
     * Requests the answers of a model to the first rows.
     *
     * @param {number} port
     * @param {string} kind
     * @param {number} model
     * @param {number} count
     * @returns {Promise<number[]>}
     */
    answers: async (port, kind, model, count) => (await ask({ answers: { port, kind, model, count } })).numbers,
    close,
  };
}

/**
 * Compares the answers of several servers over HTTP.
 *
 * @param {Awaited<ReturnType<typeof startClient>>} client @param {Kind} kind
 * @param {Record<string, { port: number }>} servers @param {number} models
 */
export async function compareServers(client, kind, servers, models) {
  const lines = [];
  for (const model of new Set([0, models - 1])) {
    /** @type {Record<string, number[]>} */
    const answers = {};
    for (const [name, { port }] of Object.entries(servers))
      answers[name] = await client.answers(port, kind, model, 100);
    lines.push(compareAnswers(`${kind} model ${model} over HTTP`, answers, toleranceOf(kind)));
  }
  return lines.join('; ');
}

export const trials = {
  /** Runs the load generator in this process. It answers messages until the message `close`. */
  async client() {
    const closed = new Promise((resolve) =>
      process.on('message', async (/** @type {any} */ message) => {
        if (message === 'close') resolve(undefined);
        else if (message.load !== undefined) await send(await run(message.load));
        else await send(await firstAnswers(message.answers));
      }),
    );
    await send({ ready: true });
    await closed;
  },
};

/** @type {Map<string, Buffer[]>} */
const cachedBodies = new Map();

/** Creates request bodies before the clock starts. @param {Kind} kind @param {number} batch */
function bodies(kind, batch) {
  const name = `${kind} ${batch}`;
  const rows = rowsOf(kind, BODIES, 11).map((row) => (typeof row === 'string' ? row : [...row.x]));
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
 * @param {Agent} agent
 * @param {number} port
 * @param {number} model
 * @param {Buffer} body
 * @returns {Promise<any>}
 */
function post(agent, port, model, body) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const options = { host: '127.0.0.1', port, agent, method: 'POST', path: `/models/${model}`, headers };
    const sent = request(options, (response) => {
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

/** @param {Load} load */
async function run({ port, kind, models, rate, seconds, alpha, batch }) {
  const random = randomOf(rate * 97 + models);
  const list = bodies(kind, batch);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
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

/** @param {{ port: number, kind: Kind, model: number, count: number }} request */
async function firstAnswers({ port, kind, model, count }) {
  const agent = new Agent({ keepAlive: true });
  const numbers = [];
  for (const body of bodies(kind, 1).slice(0, count)) numbers.push((await post(agent, port, model, body)).numbers[0]);
  agent.destroy();
  return { numbers };
}
