// Goal G25: measures the HTTP server of @brezel/http. The rival is a Fastify server with schemas
// over onnxruntime-node. The bare route is a Fastify route that parses the same body and answers a
// constant of the same length. Each server and the client run in a separate process. Costs are CPU
// times of the server, because other processes of the machine change CPU time less than elapsed
// time.
import { statSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { compareAnswers, toleranceOf } from '../harness/agreement.mjs';
import { numberOf } from '../harness/engines.mjs';
import { loadable } from '../harness/fleet-loading.mjs';
import { BATCH, startClient } from '../harness/inference-client.mjs';
import { startCommand, startServer } from '../harness/inference-servers.mjs';
import { binds, comparison, goal, isQuick, measure, missing, say, short } from '../harness/records.mjs';
import { spread, summary } from '../harness/stats.mjs';
import { naturalFile } from '../models/files.mjs';
import { openWorkload, SESSIONS } from '../models/workload.mjs';

/** @typedef {import('../models/workload.mjs').Kind} Kind */
/** @typedef {import('../harness/inference-client.mjs').Load} Load */
/** @typedef {Awaited<ReturnType<typeof startServer>>} Server */
/** @typedef {Awaited<ReturnType<typeof startClient>>} Client */

const ROUNDS = isQuick ? 2 : 9;
const SECONDS = isQuick ? 0.5 : 2;
/** Requests per second while the CPU time of one row is measured. */
const RATE = isQuick ? 200 : 1000;
const MiB = 2 ** 20;
const share = isQuick ? 0.01 : 1;

export const experiments = {
  async server() {
    say(`load average of the machine at the start: ${loadavg().map(short).join(', ')}`);
    await singleRows('ac', openWorkload('ac', { share }).file(0, 'natural'));
    await singleRows('sa', naturalFile(isQuick ? '10k' : '100k'));
    await batches();
    await memory();
    await twoProcesses();
    say(`load average of the machine at the end: ${loadavg().map(short).join(', ')}`);
  },
};

/**
 * Starts a client and three servers of one model, passes them to `run`, and closes them.
 *
 * @param {Kind} kind
 * @param {string} file
 * @param {(peers: { client: Client, brezel: Server, rival: Server, bare: Server }) =>
 * Promise<void>} run
 */
async function withServers(kind, file, run) {
  const client = await startClient();
  const brezel = await startServer({ engine: 'brezel', kind, models: [file] });
  const rival = await startServer({ engine: 'rival', kind, models: [file] });
  const [answer] = await client.answers({ server: brezel, kind, count: 1 });
  const bare = await startServer({ engine: 'bare', kind, models: [], answer });
  try {
    say(await compareServers(client, kind, { brezel, rival }));
    await run({ client, brezel, rival, bare });
  } finally {
    for (const peer of [client, brezel, rival, bare]) await peer.close();
  }
}

/**
 * Checks that the servers return equal answers.
 *
 * @param {Client} client
 * @param {Kind} kind
 * @param {Record<string, Server>} servers
 */
async function compareServers(client, kind, servers) {
  /** @type {Record<string, number[]>} */
  const answers = {};
  for (const [name, server] of Object.entries(servers))
    answers[name] = (await client.answers({ server, kind, count: 100 })).map((text) => numberOf(JSON.parse(text)));
  return compareAnswers(`${kind} over HTTP`, answers, toleranceOf(kind));
}

/**
 * Sends load to a server. Returns the mean CPU time of the server for a request in µs (`each`), and
 * the latencies of the requests.
 *
 * @param {Client} client
 * @param {Server} server
 * @param {Omit<Load, 'port' | 'engine'>} load
 */
async function costOf(client, server, load) {
  const before = await server.cpuMicros();
  const answer = await client.load(server, load);
  const micros = (await server.cpuMicros()) - before;
  const failed = answer.failed + answer.unanswered;
  if (failed > 0) throw new Error(`${failed} of ${answer.count} requests failed`);
  return { ...answer, each: micros / answer.count };
}

/**
 * Measures the CPU time of requests with one row. The servers alternate.
 *
 * @param {Kind} kind
 * @param {string} file
 */
const singleRows = (kind, file) =>
  withServers(kind, file, async ({ client, brezel, rival, bare }) => {
    const upper = kind.toUpperCase();
    const servers = { brezel, rival, bare };
    /** @type {Record<keyof typeof servers | 'predictSync', number[]>} */
    const costs = { brezel: [], rival: [], bare: [], predictSync: [] };
    for (let round = 0; round <= ROUNDS; round++) {
      const load = { kind, body: /** @type {const} */ ('row'), rate: RATE, seconds: SECONDS };
      for (const [name, server] of Object.entries(servers)) {
        const { each } = await costOf(client, server, load);
        if (round > 0) costs[/** @type {'bare'} */ (name)].push(each); // round 0 warms up
      }
      const predictSync = await brezel.predictSync();
      if (round > 0) costs.predictSync.push(predictSync);
    }
    for (const [name, list] of Object.entries(costs)) measure(`one ${upper} row: ${name}`, 'µs of CPU', summary(list));
    reportRow(kind, costs);
    await tails(kind, client, { brezel, bare }, summary(costs.brezel).median);
  });

/**
 * Records the CPU time of a request with one row, compared with the bare route and `predictSync`.
 *
 * @param {Kind} kind
 * @param {Record<'brezel' | 'rival' | 'bare' | 'predictSync', number[]>} costs µs
 */
function reportRow(kind, { brezel, rival, bare, predictSync }) {
  const upper = kind.toUpperCase();
  const us = (/** @type {number[]} */ list) => `${short(summary(list).median)} µs`;
  const { ratio, low, high, ...range } = spread(brezel.map((time, round) => time / (bare[round] + predictSync[round])));
  goal({
    goal: 'G25',
    part: `row ${kind}`,
    measured: ratio,
    unit: 'times',
    ...range,
    note: `CPU time of one ${upper} row, ${us(brezel)}, to the bare route, ${us(bare)}, and predictSync, ${us(predictSync)} (${low.toFixed(2)}-${high.toFixed(2)}); the rival takes ${us(rival)}`,
  });
  binds(
    'G25',
    `a row over HTTP, CPU / (bare route + predictSync), ${upper}`,
    `a request takes ${us(brezel)} of CPU. A bare Fastify route, which parses the same body and answers a constant, takes ` +
      `${us(bare)}, and \`predictSync\` takes ${us(predictSync)}. The difference is ` +
      'the check of host, token and concurrency, the choice of the version, the deadline and signal, and metrics',
  );
}

/**
 * Compares the p99 of Brezel's server with the p99 of the bare route, at half of the capacity of
 * one core. The bare route answers a constant.
 *
 * @param {Kind} kind
 * @param {Client} client
 * @param {{ brezel: Server, bare: Server }} servers
 * @param {number} micros CPU time of a request
 */
async function tails(kind, client, servers, micros) {
  const rate = Math.min(RATE * 10, Math.round(0.5e6 / micros));
  /** @type {Record<string, { p99: number, late: number }[]>} */
  const seen = { brezel: [], bare: [] };
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, server] of Object.entries(servers)) {
      const load = { kind, body: /** @type {const} */ ('row'), rate, seconds: SECONDS };
      const { latency, lateness } = await costOf(client, server, load);
      seen[name].push({ p99: latency.p99, late: lateness.p99 });
    }
  const over = (/** @type {string} */ name, /** @type {'p99' | 'late'} */ field) =>
    short(summary(seen[name].map((one) => one[field])).median);
  const { ratio, low, high, ...range } = spread(seen.brezel.map(({ p99 }, round) => p99 / seen.bare[round].p99));
  const upper = kind.toUpperCase();
  goal({
    goal: 'G25',
    part: `p99 ${kind}`,
    measured: ratio,
    unit: 'times',
    ...range,
    note: `p99 at ${rate} requests per second, ${over('brezel', 'p99')} ms, to the bare route, ${over('bare', 'p99')} ms (${low.toFixed(2)}-${high.toFixed(2)})`,
  });
  binds(
    'G25',
    `a row over HTTP, p99 at half of capacity / bare route, ${upper}`,
    `at ${rate} requests per second the p99 is ${over('brezel', 'p99')} ms. The p99 of a bare Fastify route, which answers a ` +
      `constant, is ${over('bare', 'p99')} ms. The client sent 99 % of the requests at most ${over('brezel', 'late')} ms late`,
  );
}

/**
 * Measures how many AC rows each server answers per second of its CPU time, in batches of 1000
 * rows.
 */
const batches = () =>
  withServers('ac', openWorkload('ac', { share }).file(0, 'natural'), async ({ client, brezel, rival, bare }) => {
    const contestants = /** @type {const} */ ([
      ['brezel', brezel, 'batch'],
      ['brezel', brezel, 'tensors'],
      ['rival', rival, 'batch'],
      ['rival', rival, 'tensors'],
      ['bare', bare, 'batch'],
    ]);
    /** @type {Record<string, number[]>} */
    const rates = Object.fromEntries(contestants.map(([name, , body]) => [`${name} ${body}`, []]));
    for (let round = 0; round <= ROUNDS; round++)
      for (const [name, server, body] of contestants) {
        const { each } = await costOf(client, server, { kind: 'ac', body, seconds: SECONDS });
        if (round > 0) rates[`${name} ${body}`].push((BATCH * 1e6) / each);
      }
    for (const [name, list] of Object.entries(rates)) measure(`1000 AC rows: ${name}`, 'rows per CPU s', summary(list));
    reportBatches(rates);
  });

/**
 * Records how many rows each server answers per CPU second, in batches of 1000 rows.
 *
 * @param {Record<string, number[]>} rates rows per CPU second
 */
function reportBatches(rates) {
  const theirs = rates['rival batch'];
  const us = (/** @type {string} */ name) => `${short(1e6 / summary(rates[name]).median)} µs`;
  for (const [body, part, target] of /** @type {const} */ ([
    ['batch', 'batch of 1000 AC rows over HTTP, JSON', 3],
    ['tensors', 'batch of 1000 AC rows over HTTP, binary tensors', 8],
  ])) {
    const ours = rates[`brezel ${body}`];
    comparison({
      goal: 'G25',
      part: body,
      what: part,
      rival: 'Fastify over onnxruntime-node, JSON',
      unit: 'rows per CPU s',
      ours: summary(ours).median,
      theirs: summary(theirs).median,
      ...spread(ours.map((rate, round) => rate / theirs[round])),
      target: isQuick ? undefined : target,
    });
    binds(
      'G25',
      part,
      `a row takes ${us(`brezel ${body}`)} of CPU. A bare Fastify route, which parses the same JSON and answers one row, takes ` +
        `${us('bare batch')} per row. The rival, Fastify over onnxruntime-node, takes ${us('rival batch')} per row as JSON, and ${us('rival tensors')} with the same binary body`,
    );
  }
}

/**
 * Measures the memory of each server with all AC models, after one prediction with each model. The
 * rival loads only as many models as fit in memory, and its memory is extrapolated.
 */
async function memory() {
  const fleet = openWorkload('ac', { share });
  const wanted = fleet.members.length;
  const models = loadable(statSync(fleet.file(0, 'natural')).size, Math.min(SESSIONS.memory.ac, wanted));
  const files = Array.from({ length: models }, (_, member) => fleet.file(member, 'natural'));
  const ours = await startServer({ engine: 'brezel', kind: 'ac', models: [], fleet: await fleet.packed() });
  const held = await ours.memory();
  await ours.close();
  const rival = await startServer({ engine: 'rival', kind: 'ac', models: files });
  const theirs = await rival.memory();
  await rival.close();
  const extrapolated = theirs.before + ((theirs.after - theirs.before) * wanted) / models;
  comparison({
    goal: 'G25',
    part: 'memory',
    what: `RSS of a server with ${wanted} AC models${models < wanted ? ` (rival: extrapolated from ${models})` : ''}`,
    rival: 'Fastify over onnxruntime-node',
    unit: 'MiB',
    ours: held.after / MiB,
    theirs: extrapolated / MiB,
    ratio: extrapolated / held.after,
  });
}

/** The number of clients of `twoProcesses`. One client alone could limit the throughput. */
const CLIENTS = 2;
const IN_FLIGHT = 16;
/** Two processes of the server and two clients each need a core. */
const CORES = 4;

/**
 * Compares the throughput of `brezel serve` with two processes and with one, in requests with one
 * SA row. Also measures the CPU time of a request, which shows the cost of the second process on a
 * machine with few cores.
 */
async function twoProcesses() {
  const what = 'requests per second of --processes 2';
  if (process.platform !== 'linux') return missing(what, 'the CPU time of processes needs /proc');
  const file = naturalFile(isQuick ? '10k' : '100k');
  const clients = await Promise.all(Array.from({ length: CLIENTS }, startClient));
  const servers = [await startCommand(file, 1), await startCommand(file, 2)];
  /** @type {Throughput[][]} */
  const seen = [[], []];
  try {
    for (let round = 0; round <= ROUNDS; round++)
      for (const [index, server] of servers.entries()) {
        const result = await throughputOf(clients, server);
        if (round > 0) seen[index].push(result); // round 0 warms up
      }
  } finally {
    for (const peer of [...clients, ...servers]) await peer.close();
  }
  reportProcesses(seen);
}

/**
 * @typedef {{ rate: number, micros: number, primary: number }} Throughput
 *   Requests per second, and CPU time of the server and of its primary for each request in µs.
 */

/**
 * Sends as many requests as the server answers.
 *
 * @param {Client[]} clients
 * @param {Awaited<ReturnType<typeof startCommand>>} server
 * @returns {Promise<Throughput>}
 */
async function throughputOf(clients, server) {
  const [cpu, primary] = [server.cpuMicros(), server.primaryMicros()];
  const load = { kind: /** @type {const} */ ('sa'), body: /** @type {const} */ ('row'), seconds: SECONDS };
  const answers = await Promise.all(clients.map((client) => client.load(server, { ...load, inFlight: IN_FLIGHT })));
  const count = answers.reduce((sum, answer) => sum + answer.count, 0);
  return {
    rate: count / SECONDS,
    micros: (server.cpuMicros() - cpu) / count,
    primary: (server.primaryMicros() - primary) / count,
  };
}

/**
 * Records the ratio of the throughputs, if the machine has a core for each process.
 *
 * @param {Throughput[][]} seen of one process, and of two
 */
function reportProcesses([one, two]) {
  const over = (/** @type {Throughput[]} */ list, /** @type {keyof Throughput} */ field) =>
    summary(list.map((result) => result[field]));
  for (const [name, list] of /** @type {const} */ ([
    ['1', one],
    ['2', two],
  ])) {
    measure(`one SA row: --processes ${name}`, 'requests per second', over(list, 'rate'));
    measure(`one SA row: --processes ${name}, all processes of the server`, 'µs of CPU', over(list, 'micros'));
  }
  const text = (/** @type {Throughput[]} */ list) =>
    `${short(over(list, 'rate').median)} requests per second with ${short(over(list, 'micros').median)} µs of CPU each`;
  const cores = availableParallelism();
  const limit =
    `one process answers ${text(one)}, two answer ${text(two)}, of which the primary takes ` +
    `${short(over(two, 'primary').median)} µs; ${CLIENTS} clients and the server share ${cores} cores`;
  const { ratio, low, high, ...range } = spread(two.map(({ rate }, round) => rate / one[round].rate));
  if (cores < CORES) return missing('requests per second of --processes 2', `ratio ${short(ratio)}: ${limit}`);
  const note = `requests per second of two processes to one (${low.toFixed(2)}-${high.toFixed(2)}); ${limit}`;
  goal({ goal: 'G25', part: 'processes', measured: ratio, unit: 'times', ...range, note });
  binds('G25', 'requests per second of --processes 2 / one process', limit);
}
