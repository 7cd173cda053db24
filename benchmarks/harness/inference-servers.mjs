import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import * as http from '@brezel/http';
import { createRegistry, createRuntime, openStore } from 'brezel';
import fastify from 'fastify';
import { FEATURES } from '../models/attendee.mjs';
import { rowsOf } from '../models/workload.mjs';
import { numbersOfOutputs, openRival } from './engines.mjs';
import { settled } from './machine.mjs';
import { serveParent, startPeer } from './processes.mjs';

// The servers of the server experiment, each in a separate process: a server of @brezel/http, a
// Fastify server over onnxruntime-node, a bare Fastify route, and the command `brezel serve`.

/** @typedef {import('../models/workload.mjs').Kind} Kind */
/**
 * The server: @brezel/http, Fastify with onnxruntime-node, or a Fastify route without a model.
 *
 * @typedef {'brezel' | 'rival' | 'bare'} Engine
 */
/**
 * @typedef {{ engine: Engine, kind: Kind, models: string[], fleet?: string, answer?: string }}
 * Options
 *   `models` are ONNX files. `fleet` is a fleet file. `answer` is the constant of the bare route.
 */

const BODY_LIMIT = 16 * 2 ** 20;
/** Each measurement of `predictSync` predicts this many rows, each of them several times. */
const ROWS = 200;
const REPEATS = 20;

/**
 * Starts a server in a separate process.
 *
 * @param {Options} options
 */
export async function startServer(options) {
  const { hello, request, close } = await startPeer(import.meta.url, 'server', options);
  return {
    engine: options.engine,
    port: /** @type {number} */ (hello.port),
    /**
     * Returns the CPU time of the server's process since its start, in µs over all its threads.
     * @returns {Promise<number>}
     */
    cpuMicros: () => request('cpu'),
    /**
     * Returns the mean CPU time of `predictSync` for one row, in µs, over all threads of the
     * server's process. Returns 0 for other engines than Brezel.
     *
     * @returns {Promise<number>}
     */
    predictSync: () => request('predictSync'),
    /**
     * Predicts once with each model. Returns the resident memory before the models were loaded, and
     * after these predictions.
     * @returns {Promise<{ before: number, after: number }>}
     */
    memory: () => request('memory'),
    close,
  };
}

export const trials = {
  /**
   * Runs a server in this process until the message `close`.
   *
   * @param {Options} options
   */
  async server(options) {
    const before = (await settled()).rss;
    const { port, predictSync, predictAll, close } = await open[options.engine](options);
    await serveParent({ port }, async (message) => {
      if (message === 'cpu') return cpuMicros();
      if (message === 'predictSync') return predictSync();
      await predictAll();
      return { before, after: (await settled()).rss };
    });
    await close();
  },
};

function cpuMicros() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

const open = { brezel: openBrezelServer, rival: openRivalServer, bare: openBareServer };

/**
 * Opens the server of @brezel/http as `brezel serve` does.
 *
 * @param {Options} options
 */
async function openBrezelServer({ kind, models, fleet }) {
  const runtime = createRuntime({ store: await openStore(), executors: 0 });
  const registry = await createRegistry({ runtime });
  if (fleet !== undefined) await registry.addFleet(fleet);
  for (const [index, path] of models.entries()) registry.add(`model-${index}`, { path });
  for (const name of registry.names()) await registry.load(name);
  const rows = rowsOf(kind, ROWS, 11);
  const server = await http.startServer({ registry, runtime, port: 0 });
  return {
    port: Number(new URL(server.url).port),
    predictSync() {
      const before = cpuMicros();
      const calls = REPEATS * ROWS;
      for (let call = 0; call < calls; call++) registry.predictSync('model-0', rows[call % ROWS]);
      return (cpuMicros() - before) / calls;
    },
    async predictAll() {
      for (const name of registry.names()) await registry.predict(name, rows[0]);
    },
    async close() {
      await server.close();
      await registry.close();
      await runtime.close();
    },
  };
}

const numbers = { type: 'array', items: { type: 'number' } };
/** The JSON Schemas of a row and of an answer, which Fastify compiles to a check and a writer. */
const SCHEMAS = {
  ac: {
    row: { type: 'object', required: ['x'], properties: { x: { ...numbers, minItems: 40, maxItems: 40 } } },
    answer: { type: 'object', properties: { y: numbers } },
  },
  sa: {
    row: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
    answer: { type: 'object', properties: { label: { type: 'integer' }, probabilities: numbers } },
  },
};

/**
 * Opens a Fastify server that answers with onnxruntime-node.
 *
 * @param {Options} options
 */
async function openRivalServer({ kind, models }) {
  const rival = await openRival(kind);
  for (const file of models) await rival.load(file);
  const { row, answer } = SCHEMAS[kind];
  const rowOf = (/** @type {any} */ body) => (kind === 'sa' ? body.text : body);
  /** @type {(outputs: Record<string, any>, row: number) => object} */
  const answerOf = ({ label, probabilities, y }, index) =>
    kind === 'ac'
      ? { y: [y.data[index]] }
      : {
          label: Number(label.data[index]),
          probabilities: Array.from(probabilities.data.subarray(2 * index, 2 * index + 2)),
        };
  const app = fastify({ bodyLimit: BODY_LIMIT });
  app.post('/predict/model-0', { schema: { body: row, response: { 200: answer } } }, async ({ body }) =>
    answerOf(await rival.one(0, rowOf(body)), 0),
  );
  const list = { body: { type: 'array', items: row }, response: { 200: { type: 'array', items: answer } } };
  app.post('/predict/model-0/rows', { schema: list }, async ({ body }) => {
    const rows = /** @type {any[]} */ (body).map(rowOf);
    const outputs = await rival.run(0, rival.feed(rows));
    return rows.map((_, index) => answerOf(outputs, index));
  });
  app.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
  app.post('/tensors/model-0', async ({ body }) => {
    const bytes = /** @type {Buffer} */ (body);
    const values = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    const rows = Array.from({ length: values.length / FEATURES }, (_, row) => ({
      x: values.subarray(row * FEATURES, (row + 1) * FEATURES),
    }));
    const outputs = await rival.run(0, rival.feed(rows));
    return Buffer.from(Float32Array.from(numbersOfOutputs(outputs)).buffer);
  });
  const [first] = rowsOf(kind, 1, 11);
  return {
    ...(await listening(app)),
    async predictAll() {
      for (const model of models.keys()) await rival.one(model, first);
    },
    predictSync: () => 0,
  };
}

/**
 * Opens a Fastify server that parses a body and answers a constant.
 *
 * @param {Options} options
 */
async function openBareServer({ answer }) {
  const app = fastify({ bodyLimit: BODY_LIMIT });
  app.post('/predict/*', async (_, reply) => reply.type('application/json').send(answer));
  return { ...(await listening(app)), predictSync: () => 0, predictAll: async () => {} };
}

/**
 * Starts a Fastify server on an unused port. Returns the port and a function that closes the
 * server.
 *
 * @param {import('fastify').FastifyInstance} app
 */
export async function listening(app) {
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = /** @type {import('node:net').AddressInfo} */ (app.server.address());
  const close = async () => {
    app.server.closeAllConnections();
    await app.close();
  };
  return { port, close };
}

const BREZEL = fileURLToPath(new URL('../../packages/brezel/bin/brezel.js', import.meta.url));
/** The kernel counts CPU time in units of this many µs. */
const TICK_MICROS = 10_000;

/**
 * Starts `brezel serve` with one model, named `model-0`, and waits until it listens.
 *
 * @param {string} file
 * @param {number} processes
 */
export async function startCommand(file, processes) {
  const cache = mkdtempSync(join(tmpdir(), 'brezel-bench-'));
  const args = [BREZEL, 'serve', `model-0=${file}`, '--port', '0', '--processes', `${processes}`];
  const env = { ...process.env, XDG_CACHE_HOME: cache };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exited]);
  const url = /^listening on (.+)$/.exec(`${line}`)?.[1];
  if (url === undefined) throw new Error(`brezel serve ended with ${line}`);
  const statistics = await (await fetch(`${url}/statistics`)).json();
  /** @type {{ pid: number, role?: string }[]} */
  const all = statistics.processes;
  return {
    engine: /** @type {const} */ ('brezel'),
    port: Number(new URL(url).port),
    /** Returns the CPU time of all processes of the server since their start, in µs. */
    cpuMicros: () => all.reduce((sum, { pid }) => sum + cpuMicrosOf(pid), 0),
    /** Returns the CPU time of the primary, in µs. It is 0 if the server has one process. */
    primaryMicros: () => all.reduce((sum, { pid, role }) => sum + (role === 'primary' ? cpuMicrosOf(pid) : 0), 0),
    async close() {
      child.kill();
      await exited;
      rmSync(cache, { recursive: true, force: true });
    },
  };
}

/**
 * Returns the CPU time of a process on Linux, in µs over all its threads.
 *
 * @param {number} pid
 */
function cpuMicrosOf(pid) {
  // The second field is a name in parentheses, which may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return (user + system) * TICK_MICROS;
}
