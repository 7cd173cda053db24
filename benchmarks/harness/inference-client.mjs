import { connect } from 'node:net';
import { FEATURES } from '../models/attendee.mjs';
import { randomOf, zipf } from '../models/random.mjs';
import { rowsOf } from '../models/workload.mjs';
import { openLoop, poissonArrivals } from './loops.mjs';
import { serveParent, startPeer } from './processes.mjs';
import { expectedRange, summary } from './stats.mjs';

// The client of all experiments with HTTP servers. It runs in a separate process, and reads only
// the status and the length of an answer, so that it costs little CPU time.

/** @typedef {import('../models/workload.mjs').Kind} Kind */
/**
 * The server that determines the paths: a server of the server experiment, or the small server of
 * the paper's figures.
 *
 * @typedef {import('./inference-servers.mjs').Engine | 'figure'} Engine
 */
/**
 * @typedef {'row' | 'batch' | 'tensors'} Body
 *   One row as JSON, 1000 rows as JSON, or 1000 rows as binary tensors.
 */
/**
 * @typedef {{ port: number, engine: Engine, kind: Kind, body: Body, rate?: number, seconds: number,
 * inFlight?: number, models?: number, alpha?: number }} Load
 *   Without `rate`, the client keeps `inFlight` requests to model 0 in flight; the default is
 *   IN_FLIGHT. With `rate`, each request is to one of the first `models` models; the default is 1.
 *   `alpha` is the exponent of Zipf's law. Without it, all models are equally popular.
 */

export const BATCH = 1000;
const BODIES = 200;
const BATCH_BODIES = 4;
const CONNECTIONS = 64;
/** The number of batches in flight. With two, the server always has work. */
const IN_FLIGHT = 2;

/** Starts the client in a separate process. */
export async function startClient() {
  const { request, close } = await startPeer(import.meta.url, 'client', {});
  return {
    /**
     * @param {{ engine: Engine, port: number }} server
     * @param {Omit<Load, 'port' | 'engine'>} load
     * @returns {ReturnType<typeof sendLoad>}
     */
    load: ({ engine, port }, load) => request({ load: { ...load, engine, port } }),
    /**
     * Returns the bodies of the answers of a model to the first rows.
     *
     * @param {{ server: { engine: Engine, port: number }, kind: Kind, count: number, model?: number
     * }} wanted
     * @returns {Promise<string[]>}
     */
    answers: ({ server: { engine, port }, ...rows }) => request({ answers: { engine, port, ...rows } }),
    close,
  };
}

export const trials = {
  /** Runs the client in this process until the message `close`. */
  client: () => serveParent({}, ({ load, answers }) => (load === undefined ? firstAnswers(answers) : sendLoad(load))),
};

/**
 * The paths of each server. `*` is replaced by the name of the model.
 *
 * @type {Record<Engine, Record<Body, string>>}
 */
const PATHS = {
  brezel: { row: '/predict/*', batch: '/predict/*', tensors: '/v2/models/*/infer' },
  rival: { row: '/predict/*', batch: '/predict/*/rows', tensors: '/tensors/*' },
  bare: { row: '/predict/*', batch: '/predict/*', tensors: '' },
  figure: { row: '/predict/*', batch: '', tensors: '' },
};

/** @type {Map<string, Buffer[]>} */
const cachedRequests = new Map();

/**
 * Returns whole HTTP requests to a model as bytes.
 *
 * @param {Pick<Load, 'engine' | 'kind' | 'body'>} load
 */
function requestsOf({ engine, kind, body }, model = 0) {
  const key = `${engine} ${kind} ${body} ${model}`;
  const path = PATHS[engine][body].replace('*', `model-${model}`);
  const requests = cachedRequests.get(key) ?? bodiesOf(engine, kind, body).map((one) => requestOf(path, one));
  cachedRequests.set(key, requests);
  return requests;
}

/**
 * Returns the bodies of the requests to a server, each with its headers.
 *
 * @param {Engine} engine
 * @param {Kind} kind
 * @param {Body} body
 * @returns {{ bytes: Buffer, headers: string }[]}
 */
function bodiesOf(engine, kind, body) {
  const rows = rowsOf(kind, body === 'row' ? BODIES : BATCH + BATCH_BODIES, 11);
  const plain = rows.map((row) => (typeof row === 'string' ? { text: row } : { x: Array.from(row.x) }));
  const json = (/** @type {unknown} */ value) => ({
    bytes: Buffer.from(JSON.stringify(value)),
    headers: 'content-type: application/json\r\n',
  });
  if (body === 'row') return plain.map(json);
  return Array.from({ length: BATCH_BODIES }, (_, first) => {
    if (body === 'batch') return json(plain.slice(first, first + BATCH));
    const values = Float32Array.from(plain.slice(first, first + BATCH).flatMap(({ x = [] }) => x));
    const bytes = Buffer.from(values.buffer);
    if (engine === 'rival') return { bytes, headers: 'content-type: application/octet-stream\r\n' };
    return protocolBody(bytes);
  });
}

/**
 * Returns a request of the Open Inference Protocol with a binary tensor.
 *
 * @param {Buffer} bytes
 */
function protocolBody(bytes) {
  const parameters = { binary_data_size: bytes.length };
  const input = { name: 'x', datatype: 'FP32', shape: [BATCH, FEATURES], parameters };
  const head = Buffer.from(JSON.stringify({ inputs: [input], parameters: { binary_data_output: true } }));
  return {
    bytes: Buffer.concat([head, bytes]),
    headers: `content-type: application/octet-stream\r\ninference-header-content-length: ${head.length}\r\n`,
  };
}

/**
 * @param {string} path
 * @param {{ bytes: Buffer, headers: string }} body
 */
const requestOf = (path, { bytes, headers }) =>
  Buffer.concat([
    Buffer.from(`POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers}content-length: ${bytes.length}\r\n\r\n`),
    bytes,
  ]);

/**
 * Opens a connection that sends one request after another. It reads only the status and the length
 * of an answer, so that the client costs little CPU time.
 *
 * @param {number} port
 * @returns {Promise<{ send: (request: Buffer) => Promise<string>, close: () => void }>}
 */
async function openConnection(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  /** @type {{ resolve: (body: string) => void, reject: (error: Error) => void } | undefined} */
  let waiting;
  let received = '';
  socket.setEncoding('latin1').on('data', (/** @type {string} */ chunk) => {
    received += chunk;
    const end = received.indexOf('\r\n\r\n') + 4;
    const length = Number(/content-length: (\d+)/i.exec(received)?.[1]);
    if (end < 4 || !(received.length >= end + length)) return;
    const [isGood, body] = [received.startsWith('HTTP/1.1 200'), received.slice(end)];
    received = '';
    if (isGood) waiting?.resolve(body);
    else waiting?.reject(new Error(`expected status 200, received ${body.slice(0, 500)}`));
  });
  socket.on('close', () => waiting?.reject(new Error('the server closed the connection')));
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}

/**
 * Opens connections. A request waits for an idle connection.
 *
 * @param {number} port
 * @param {number} count
 */
async function openPool(port, count) {
  const idle = await Promise.all(Array.from({ length: count }, () => openConnection(port)));
  const all = [...idle];
  /** @type {((connection: (typeof all)[number]) => void)[]} */
  const waiting = [];
  /** @returns {Promise<(typeof all)[number]>} */
  const nextIdle = () => new Promise((resolve) => waiting.push(resolve));
  const free = (/** @type {(typeof all)[number]} */ connection) => {
    const next = waiting.shift();
    if (next === undefined) idle.push(connection);
    else next(connection);
  };
  return {
    async send(/** @type {Buffer} */ request) {
      const connection = idle.pop() ?? (await nextIdle());
      return connection.send(request).finally(() => free(connection));
    },
    close: () => all.forEach((connection) => connection.close()),
  };
}

/**
 * Sends requests for some seconds: at random times (a Poisson process) with a `rate`, otherwise
 * with a fixed number in flight.
 *
 * @param {Load} load
 */
async function sendLoad(load) {
  const { port, rate, seconds, inFlight = IN_FLIGHT } = load;
  const pool = await openPool(port, rate === undefined ? inFlight : CONNECTIONS);
  try {
    if (rate === undefined) return { ...NO_LATENCIES, ...(await flood(pool, requestsOf(load), seconds, inFlight)) };
    return await sendAtTimes(pool, { ...load, rate });
  } finally {
    pool.close();
  }
}

/**
 * Sends requests at the times of a Poisson process.
 *
 * @param {Awaited<ReturnType<typeof openPool>>} pool
 * @param {Load & { rate: number }} load
 */
async function sendAtTimes(pool, { rate, seconds, models = 1, alpha, ...load }) {
  const random = randomOf(rate * 97 + models);
  const pick =
    alpha === undefined ? () => Math.floor(random() * models) : zipf(random, models, { exponent: alpha, shift: 1 });
  const arrivals = poissonArrivals(random, rate, seconds);
  const targets = Array.from(arrivals, pick);
  const requests = new Map([...new Set(targets)].map((model) => [model, requestsOf(load, model)]));
  /** The number of answered requests in each second. */
  const bySecond = new Array(Math.floor(seconds)).fill(0);
  const start = performance.now();
  const { latencies, lateness, failed, unanswered, elapsedMs } = await openLoop(arrivals, async (index) => {
    const list = /** @type {Buffer[]} */ (requests.get(targets[index]));
    await pool.send(list[index % list.length]);
    const second = Math.floor((performance.now() - start) / 1000);
    if (second < bySecond.length) bySecond[second]++;
  });
  return {
    latency: summary(latencies),
    lateness: summary(lateness),
    failed,
    unanswered,
    count: arrivals.length,
    throughput: ((arrivals.length - failed - unanswered) * 1000) / elapsedMs,
    throughputs: expectedRange(bySecond),
  };
}

const NO_LATENCIES = { latency: summary([0]), lateness: summary([0]), throughput: 0, throughputs: undefined };

/**
 * Keeps a number of requests in flight for some seconds.
 *
 * @param {Awaited<ReturnType<typeof openPool>>} pool
 * @param {Buffer[]} requests
 * @param {number} seconds
 * @param {number} inFlight
 */
async function flood(pool, requests, seconds, inFlight) {
  const end = performance.now() + seconds * 1000;
  let count = 0;
  const caller = async () => {
    while (performance.now() < end) await pool.send(requests[count++ % requests.length]);
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  return { count, failed: 0, unanswered: 0 };
}

/**
 * Requests the answers of a model to the first `count` rows, one after another.
 *
 * @param {{ port: number, engine: Engine, kind: Kind, count: number, model?: number }} wanted
 */
async function firstAnswers({ port, engine, kind, count, model }) {
  const pool = await openPool(port, 1);
  const answers = [];
  for (const request of requestsOf({ engine, kind, body: 'row' }, model).slice(0, count))
    answers.push(await pool.send(request));
  pool.close();
  return answers;
}
