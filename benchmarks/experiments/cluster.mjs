// A cluster of three servers on one machine: what a request costs through NATS and through HTTP
// with HAProxy, compared with a call in the process; what a server fetches for a further model of a
// family; and the memory of the servers with two placements. Needs `nats-server` and `haproxy`.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { startServer } from '@brezel/http';
import { connectFleet, followCatalog, joinCluster, openArtifacts, openCatalog } from '@brezel/nats';
import { createFlour, createRegistry, createRuntime, importOnnx, openStore, packFleet } from 'brezel';
import { settled } from '../harness/machine.mjs';
import { startHaproxy, startNats } from '../harness/nats-and-haproxy.mjs';
import { serveParent, startPeer } from '../harness/processes.mjs';
import { isQuick, missing, point, say, short } from '../harness/records.mjs';
import { summary } from '../harness/stats.mjs';
import { saFleet } from '../models/sentiment-fleet.mjs';
import { rowsOf } from '../models/workload.mjs';

/**
 * Each server loads all models, or the models that are placed on it.
 *
 * @typedef {'all' | 'shared'} Placement
 */

const SERVERS = ['r1', 'r2', 'r3'];
const MODELS = isQuick ? 6 : 40;
const ENTRIES = isQuick ? 2000 : 100_000;
const ROUNDS = isQuick ? 2 : 7;
const SINGLE_ROWS = isQuick ? 50 : 2000;
const BATCH = 1000;
const BATCHES = isQuick ? 2 : 20;
const MiB = 2 ** 20;
const names = Array.from({ length: MODELS }, (_, index) => `m${index}`);

/**
 * The parts that all steps use.
 *
 * @typedef {{ url: string, folder: string, files: Map<string, string>, rows: string[] }} Setting
 *   `files` are the fleet files of the models, by name.
 */

export const experiments = {
  async cluster() {
    for (const program of ['nats-server', 'haproxy'])
      if (spawnSync(program, ['-v']).status !== 0) return missing('cluster', `${program} is not installed`);
    say(`load average of the machine at the start: ${loadavg().map(short).join(', ')}`);
    const folder = mkdtempSync(join(tmpdir(), 'brezel-bench-cluster-'));
    const nats = await startNats(join(folder, 'jetstream'));
    try {
      const setting = {
        url: nats.url,
        folder,
        files: await packed(folder),
        rows: /** @type {string[]} */ (rowsOf('sa', BATCH, 11)),
      };
      await hops(setting);
      await memory(setting);
    } finally {
      await nats.stop();
      rmSync(folder, { recursive: true });
    }
  },
};

/**
 * Packs each model of a family into a fleet file.
 *
 * @param {string} folder
 */
async function packed(folder) {
  const family = saFleet({ pipelines: MODELS, entries: ENTRIES });
  /** @type {Map<string, string>} */
  const files = new Map();
  const flour = await createFlour();
  for (const [index, name] of names.entries()) {
    const plan = importOnnx(family.model(family.members[index], 'natural'), flour).program.plan();
    files.set(name, join(folder, `${name}.brezel`));
    await packFleet([{ name, plan }], join(folder, `${name}.brezel`), { store: flour.store });
    plan.release();
  }
  flour[Symbol.dispose]();
  return files;
}

/**
 * Measures a row and a batch in the process, through NATS, and through HTTP with HAProxy. Each
 * server has all models.
 *
 * @param {Setting} setting
 */
async function hops({ url, folder, files, rows }) {
  const buckets = bucketsOf('all');
  const servers = await startServers({ url, folder, ...buckets, placement: 'all' });
  const catalog = await openCatalog({ servers: url, ...buckets, cacheFolder: join(folder, 'client') });
  const fleet = await connectFleet({ servers: url, waitForServerMs: 60_000 });
  const registry = await createRegistry();
  const balancer = await startHaproxy(
    folder,
    servers.map(({ hello }) => hello.port),
  );
  try {
    /** @type {number[]} */
    const fetched = [];
    for (const [name, file] of files) {
      const start = performance.now();
      const [pushed] = await catalog.push(file);
      await fleet.predict(name, rows[0]);
      if (name === names[0])
        series('cluster-start', 'from push to the first answer', 'first model', 'ms', [performance.now() - start]);
      else fetched.push(pushed.sentBytes);
      if (name === names.at(-1)) {
        series(
          'cluster-bytes',
          'bytes sent',
          'further model of the family',
          'KiB',
          fetched.map((bytes) => bytes / 1024),
        );
        series('cluster-bytes', 'fleet file', 'further model of the family', 'KiB', [pushed.bytes / 1024]);
      }
    }
    await registry.addFleet(/** @type {string} */ (files.get(names[0])));
    await Promise.all(servers.map((server) => server.request('synchronized')));
    await measureHops({ fleet, registry, balancer, rows });
  } finally {
    balancer.stop();
    await registry.close();
    await fleet.close();
    await catalog.close();
    for (const server of servers) await server.close();
  }
}

/**
 * @param {{ fleet: import('@brezel/nats').Fleet, registry: import('brezel').ModelRegistry,
 * balancer: { url: string }, rows: string[] }} peers
 */
async function measureHops({ fleet, registry, balancer, rows }) {
  const agent = new Agent({ keepAlive: true });
  const [model] = names;
  const post = async (/** @type {unknown} */ body) => {
    const sent = request(`${balancer.url}/predict/${model}`, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json' },
    });
    sent.end(JSON.stringify(body));
    const [response] = await once(sent, 'response');
    const answer = await text(response);
    if (response.statusCode !== 200) throw new Error(`HAProxy answered ${response.statusCode}: ${answer}`);
    return JSON.parse(answer);
  };
  const ways = {
    'in the process': {
      row: (/** @type {string} */ row) => registry.predict(model, row),
      batch: () => registry.predictBatch(model, rows),
    },
    NATS: {
      row: (/** @type {string} */ row) => fleet.predict(model, row),
      batch: () => fleet.predictBatch(model, rows),
    },
    'HTTP and HAProxy': { row: (/** @type {string} */ row) => post(row), batch: () => post(rows) },
  };
  const expected = JSON.stringify((await registry.predictBatch(model, rows)).map(rounded));
  /** @type {Record<string, { row: number[], batch: number[] }>} */
  const times = {};
  for (let round = 0; round <= ROUNDS; round++)
    for (const [way, { row, batch }] of Object.entries(ways)) {
      times[way] ??= { row: [], batch: [] };
      if (JSON.stringify(/** @type {any[]} */ (await batch()).map(rounded)) !== expected)
        throw new Error(`${way}: other answers`);
      const one = await timed(SINGLE_ROWS, (index) => row(rows[index % rows.length]));
      const many = await timed(BATCHES, batch);
      if (round === 0) continue; // warms up
      times[way].row.push(one);
      times[way].batch.push(many / BATCH);
    }
  agent.destroy();
  for (const [way, { row, batch }] of Object.entries(times)) {
    series('cluster-calls', way, 'one row, one request at a time', 'µs for a row', row);
    series('cluster-calls', way, 'batches of 1000 rows, one at a time', 'µs for a row', batch);
  }
}

/**
 * Answers over HTTP have the shortest decimals of float32 numbers, so all numbers are compared as
 * float32.
 *
 * @param {any} answer
 */
const rounded = (answer) =>
  JSON.stringify(answer, (_, value) => (typeof value === 'number' ? Math.fround(value) : value));

/**
 * Returns the mean time of a call in µs.
 *
 * @param {number} calls
 * @param {(index: number) => Promise<unknown>} call
 */
async function timed(calls, call) {
  const start = performance.now();
  for (let index = 0; index < calls; index++) await call(index);
  return (1000 * (performance.now() - start)) / calls;
}

/**
 * Compares the memory of three servers: placed by the dominant shared parameter, and by a hash of
 * the name. The family here has several dictionaries, which some of its models share.
 *
 * @param {Setting} setting
 */
async function memory(setting) {
  const placements = { 'by the dominant shared parameter': placedMemory, 'by a hash of the name': hashedMemory };
  for (const [label, measured] of Object.entries(placements)) {
    const bytes = await measured(setting);
    series('cluster-memory', label, `${SERVERS.length} servers, ${MODELS} models`, 'MiB', [bytes / MiB]);
  }
}

/**
 * Returns the memory that the models take on servers that place them, in bytes.
 *
 * @param {Setting} setting
 */
async function placedMemory({ url, folder, files, rows }) {
  const buckets = bucketsOf('shared');
  const servers = await startServers({ url, folder, ...buckets, placement: 'shared' });
  const catalog = await openCatalog({ servers: url, ...buckets, cacheFolder: join(folder, 'client') });
  try {
    for (const file of files.values()) await catalog.push(file);
    for (;;) {
      const { models } = await catalog.placement();
      const isPlaced = models.every(
        ({ servers, answeredBy }) => servers.length > 0 && servers.join() === answeredBy.join(),
      );
      if (models.length === MODELS && isPlaced) break;
      await pause(200);
    }
    return await heldBytes(servers, rows);
  } finally {
    await catalog.close();
    for (const server of servers) await server.close();
  }
}

/**
 * Returns the memory that the models take if a hash of the name chooses the server, in bytes.
 *
 * @param {Setting} setting
 */
async function hashedMemory({ url, folder, files, rows }) {
  const bucket = 'artifacts-name';
  const artifacts = await openArtifacts({ servers: url, bucket, cacheFolder: join(folder, 'client') });
  /** @type {Record<string, string>[]} */
  const shares = SERVERS.map(() => ({}));
  for (const [name, file] of files) {
    const digest = createHash('sha256').update(name).digest();
    shares[digest.readUInt32LE() % SERVERS.length][name] = (await artifacts.push(file)).artifact;
  }
  await artifacts.close();
  const servers = await Promise.all(
    shares.map((models, index) =>
      startPeer(import.meta.url, 'hashed', { url, bucket, cacheFolder: join(folder, `name-${index}`), models }),
    ),
  );
  try {
    return await heldBytes(servers, rows);
  } finally {
    for (const server of servers) await server.close();
  }
}

/**
 * Predicts rows with all models of all servers, and returns the sum of the memory that the servers
 * have gained since their start, in bytes.
 *
 * @param {Awaited<ReturnType<typeof startServers>>} servers
 * @param {readonly string[]} rows
 */
async function heldBytes(servers, rows) {
  /** @type {{ models: number, bytes: number }[]} */
  const states = [];
  for (const server of servers) states.push(await server.request({ rows: rows.slice(0, 100) }));
  const models = states.reduce((sum, state) => sum + state.models, 0);
  if (models !== MODELS) throw new Error(`${models} of ${MODELS} models are loaded`);
  return states.reduce((sum, { bytes }) => sum + bytes, 0);
}

/**
 * Records a point of a figure.
 *
 * @param {string} figure
 * @param {string} series
 * @param {string} x
 * @param {string} unit
 * @param {readonly number[]} values
 */
const series = (figure, series, x, unit, values) => point({ figure, series, x, unit }, summary(values));

/** @param {Placement} placement */
const bucketsOf = (placement) => ({ catalog: `catalog-${placement}`, bucket: `artifacts-${placement}` });

/**
 * @param {{ url: string, folder: string, catalog: string, bucket: string, placement: Placement }}
 * options
 */
async function startServers(options) {
  const start = (/** @type {string} */ name) => startPeer(import.meta.url, 'server', { ...options, name });
  return Promise.all(SERVERS.map(start));
}

export const trials = {
  /**
   * A server that follows the catalog, with an HTTP server.
   *
   * @param {{ url: string, folder: string, catalog: string, bucket: string, placement: Placement,
   * name: string }} options
   */
  async server({ url, folder, catalog, bucket, placement, name }) {
    const runtime = createRuntime({ store: await openStore() });
    const registry = await createRegistry({ runtime });
    const placing = placement === 'shared' && { memoryBytes: 2 ** 30, heartbeatMs: 500 };
    const cacheFolder = join(folder, `${placement}-${name}`);
    const follower = await followCatalog({ registry, servers: url, catalog, bucket, name, cacheFolder, ...placing });
    await follower.synchronized();
    const server = await joinCluster({ registry, servers: url, name });
    const http = await startServer({ registry, runtime, port: 0 });
    const before = (await settled()).rss;
    await serveParent({ port: Number(new URL(http.url).port) }, async (message) => {
      if (message !== 'synchronized') return heldBy(registry, message.rows, before);
      await follower.synchronized();
      return true;
    });
    for (const part of [http, server, follower, registry, runtime]) await part.close();
  },

  /**
   * A server with some artifacts.
   *
   * @param {{ url: string, bucket: string, cacheFolder: string, models: Record<string, string> }}
   * options
   */
  async hashed({ url, bucket, cacheFolder, models }) {
    const runtime = createRuntime({ store: await openStore() });
    const registry = await createRegistry({ runtime });
    const artifacts = await openArtifacts({ servers: url, bucket, cacheFolder, store: registry.store });
    const server = await joinCluster({ registry, servers: url, name: cacheFolder.slice(-6) });
    const http = await startServer({ registry, runtime, port: 0 });
    const before = (await settled()).rss;
    for (const [name, artifact] of Object.entries(models)) registry.add(name, artifacts.source(artifact, name));
    await serveParent({}, ({ rows }) => heldBy(registry, rows, before));
    for (const part of [http, server, registry, artifacts, runtime]) await part.close();
  },
};

/**
 * Predicts rows with all models, and returns the number of models and the memory that this process
 * has gained.
 *
 * @param {import('brezel').ModelRegistry} registry
 * @param {readonly string[]} rows
 * @param {number} before the memory at the start, in bytes
 */
async function heldBy(registry, rows, before) {
  for (const name of registry.names()) for (const row of rows) await registry.predict(name, row);
  return { models: registry.names().length, bytes: (await settled()).rss - before };
}
