// Measures latency as a remote client sees it. The same small HTTP server runs in front of both
// engines: on an idle machine (Figure 11), and under increasing load (Figure 14) with AC pipelines
// of Zipf-distributed popularity.
import { statSync } from 'node:fs';
import fastify from 'fastify';
import { compareAnswers, toleranceOf } from '../harness/agreement.mjs';
import { numberOf, openBrezel, openRival } from '../harness/engines.mjs';
import { loadable } from '../harness/fleet-loading.mjs';
import { startClient } from '../harness/inference-client.mjs';
import { listening } from '../harness/inference-servers.mjs';
import { kinds } from '../harness/plan.mjs';
import { serveParent, startPeer } from '../harness/processes.mjs';
import { comparison, isQuick, point, say } from '../harness/records.mjs';
import { spread, summary } from '../harness/stats.mjs';
import { openWorkload, SESSIONS } from '../models/workload.mjs';

/** @typedef {import('../models/workload.mjs').Kind} Kind */
/** @typedef {import('../models/workload.mjs').Fleet} Fleet */
/** @typedef {import('../harness/stats.mjs').Summary} Summary */
/** @typedef {Awaited<ReturnType<typeof startClient>>} Client */
/** @typedef {Awaited<ReturnType<typeof startServer>>} Server */
/** @typedef {import('../harness/fleet-loading.mjs').Load} Models */
/**
 * @typedef {{ latency: Summary, lateness: Summary, alone: Summary }} Round
 *   `latency` and `lateness` are in ms. `alone` is the time of predictions without HTTP, in µs.
 */
/**
 * @typedef {{ throughput: number, min?: number, max?: number }} Best
 *   All numbers are requests per second. `min` to `max` is the range over the seconds of a round.
 */

const IDLE = { rate: 100, seconds: isQuick ? 1 : 5, rounds: isQuick ? 2 : 5 };
const HEAVY = {
  alpha: 2,
  rates: isQuick ? [100, 400] : [100, 200, 400, 800, 1600, 3200, 6400, 9600, 12_800],
  seconds: isQuick ? 1.5 : 5,
};
const ROW = { body: /** @type {const} */ ('row') };
/** The load stops increasing when a server answers less than this fraction of the requests. */
const KEPT_UP = 0.95;

export const experiments = {
  async 'fig11-http'() {
    for (const kind of kinds) await idle(kind);
  },
  'fig14-http-heavy': heavy,
};

/**
 * Starts the HTTP server in a separate process.
 *
 * @param {Models} load
 */
async function startServer(load) {
  const { hello, request, close } = await startPeer(import.meta.url, 'server', load);
  return {
    engine: /** @type {const} */ ('figure'),
    port: /** @type {number} */ (hello.port),
    /**
     * Returns the time of the predictions since the last call, without HTTP, in µs.
     * @returns {Promise<Summary>}
     */
    times: () => request('times'),
    close,
  };
}

export const trials = {
  /**
   * Runs the server in this process until the message `close`. It answers `POST /predict/model-N`
   * with `{ number }`, with the same code for both engines.
   *
   * @param {Models} load
   */
  async server({ engine, kind, packed, files, threads, models }) {
    const brezel = engine === 'brezel' ? await openBrezel() : undefined;
    const library = brezel ?? (await openRival(kind, { threads }));
    if (brezel !== undefined && packed !== undefined)
      await brezel.open(packed, { verify: false, prefault: true, models });
    else for (const file of files ?? []) await library.load(file);

    /** @type {number[]} */
    let times = [];
    const app = fastify();
    app.post('/predict/:model', async (request) => {
      const { text, x } = /** @type {any} */ (request.body);
      const model = Number(/** @type {any} */ (request.params).model.slice('model-'.length));
      const row = kind === 'sa' ? text : { x: Float32Array.from(x) };
      const start = performance.now();
      const number = brezel
        ? numberOf(/** @type {any} */ (brezel.one(model, row)))
        : (await library.many(model, [row]))[0];
      times.push((performance.now() - start) * 1000);
      return { number };
    });
    const { port, close } = await listening(app);
    await serveParent({ port }, () => {
      const seen = times;
      times = [];
      return summary(seen);
    });
    await close();
    await library.close();
  },
};

/**
 * Returns how many models of the fleet onnxruntime can load (at most `most`), and a function that
 * lists their files.
 *
 * @param {Fleet} fleet
 * @param {number} most
 */
function modelsOf(fleet, most) {
  const models = loadable(statSync(fleet.file(0, 'natural')).size, Math.min(most, fleet.members.length));
  const files = (/** @type {'natural' | 'expert'} */ form) =>
    Array.from({ length: models }, (_, member) => fleet.file(member, form));
  return { models, files };
}

/**
 * Checks that several servers return equal answers over HTTP.
 *
 * @param {Client} client
 * @param {Kind} kind
 * @param {Record<string, Server>} servers
 * @param {number} models
 */
async function compareServers(client, kind, servers, models) {
  const lines = [];
  for (const model of new Set([0, models - 1])) {
    /** @type {Record<string, number[]>} */
    const answers = {};
    for (const [name, server] of Object.entries(servers))
      answers[name] = (await client.answers({ server, kind, model, count: 100 })).map(
        (text) => JSON.parse(text).number,
      );
    lines.push(compareAnswers(`${kind} model ${model} over HTTP`, answers, toleranceOf(kind)));
  }
  return lines.join('; ');
}

/**
 * Measures the latency of all servers at a low rate, for Figure 11. The servers alternate.
 *
 * @param {Kind} kind
 */
async function idle(kind) {
  const fleet = openWorkload(kind);
  const { models, files } = modelsOf(fleet, SESSIONS.http[kind]);
  const client = await startClient();
  const servers = {
    brezel: await startServer({ engine: 'brezel', kind, packed: await fleet.packed(), models }),
    'onnxruntime natural': await startServer({ engine: 'onnxruntime', kind, files: files('natural'), threads: 'one' }),
    'onnxruntime expert': await startServer({ engine: 'onnxruntime', kind, files: files('expert'), threads: 'one' }),
  };
  try {
    say(await compareServers(client, kind, servers, models));
    /** @type {Record<string, Round[]>} */
    const rounds = Object.fromEntries(Object.keys(servers).map((series) => [series, []]));
    for (let round = 0; round <= IDLE.rounds; round++) {
      for (const [series, server] of Object.entries(servers)) {
        const one = await measureRound(client, server, { kind, models, seconds: round === 0 ? 0.5 : IDLE.seconds });
        if (round > 0) rounds[series].push(one); // round 0 warms up
      }
    }
    reportIdle(kind, models, rounds);
  } finally {
    await client.close();
    for (const server of Object.values(servers)) await server.close();
  }
}

/**
 * Sends requests to one server for some seconds.
 *
 * @param {Client} client
 * @param {Server} server
 * @param {{ kind: Kind, models: number, seconds: number }} load
 * @returns {Promise<Round>}
 */
async function measureRound(client, server, load) {
  const { latency, lateness, failed, unanswered } = await client.load(server, { ...load, ...ROW, rate: IDLE.rate });
  if (failed + unanswered > 0) throw new Error(`${failed} requests failed, ${unanswered} had no answer`);
  return { latency, lateness, alone: await server.times() };
}

/**
 * Summarizes the latencies of several rounds: the median of each percentile, the extremes, and the
 * number of samples.
 *
 * @param {readonly Summary[]} list
 * @param {number} [divisor] converts the unit
 */
function middle(list, divisor = 1) {
  const over = (/** @type {'median' | 'p99'} */ field) => summary(list.map((one) => one[field] / divisor)).median;
  return {
    median: over('median'),
    p99: over('p99'),
    min: Math.min(...list.map(({ min }) => min / divisor)),
    max: Math.max(...list.map(({ max }) => max / divisor)),
    samples: list.reduce((sum, { samples }) => sum + samples, 0),
  };
}

/**
 * Records the latencies at a low rate for Figure 11, and compares the servers.
 *
 * @param {Kind} kind
 * @param {number} models
 * @param {Record<string, Round[]>} rounds
 */
function reportIdle(kind, models, rounds) {
  const upper = kind.toUpperCase();
  /** @type {Record<string, ReturnType<typeof middle>>} */
  const seen = {};
  for (const [series, list] of Object.entries(rounds)) {
    seen[series] = middle(list.map(({ latency }) => latency));
    const alone = list.map((round) => round.alone);
    point({ figure: 'fig11', series, x: `${upper} end to end`, unit: 'ms' }, seen[series]);
    point({ figure: 'fig11', series, x: `${upper} prediction`, unit: 'ms' }, middle(alone, 1000));
    const late = middle(list.map(({ lateness }) => lateness));
    say(`${series}, ${upper}: the load generator sent requests ${late.p99.toFixed(2)} ms late (p99)`);
  }
  for (const form of ['natural', 'expert']) {
    const theirs = `onnxruntime ${form}`;
    comparison({
      goal: 'G7',
      part: `http ${kind} ${form}`,
      figure: 'fig11',
      what: `p99 end to end through HTTP, ${models} ${upper}, ${IDLE.rate} requests a second`,
      rival: `${form} graph`,
      unit: 'ms',
      ours: seen.brezel.p99,
      theirs: seen[theirs].p99,
      ...spread(rounds[theirs].map(({ latency }, round) => latency.p99 / rounds.brezel[round].latency.p99)),
      ratio: seen[theirs].p99 / seen.brezel.p99,
      brief: form === 'natural',
    });
  }
}

/** Measures one server after another under increasing load, for Figure 14. */
async function heavy() {
  const kind = 'ac';
  const fleet = openWorkload(kind);
  const { models, files } = modelsOf(fleet, SESSIONS.load.ac);
  const [natural, expert] = [files('natural'), files('expert')];
  /** @type {Record<string, Models>} */
  const loads = {
    brezel: { engine: 'brezel', kind, packed: await fleet.packed(), models },
    'onnxruntime natural': { engine: 'onnxruntime', kind, files: natural, threads: 'one' },
    'onnxruntime natural, threads as it likes': { engine: 'onnxruntime', kind, files: natural, threads: 'default' },
    'onnxruntime expert': { engine: 'onnxruntime', kind, files: expert, threads: 'one' },
  };
  const client = await startClient();
  const [ours, theirs] = [await startServer(loads.brezel), await startServer(loads['onnxruntime natural'])];
  say(await compareServers(client, kind, { brezel: ours, 'onnxruntime natural': theirs }, models));
  await Promise.all([client.close(), ours.close(), theirs.close()]);
  /** @type {Record<string, Best>} */
  const best = {};
  for (const [series, load] of Object.entries(loads)) best[series] = await rising(series, load, models);
  for (const rival of Object.keys(loads).slice(1))
    comparison({
      goal: 'fig14',
      figure: 'fig14-throughput',
      what: `most requests a second through HTTP, ${models} AC, one row each`,
      rival,
      unit: 'requests/s',
      ours: best.brezel.throughput,
      theirs: best[rival].throughput,
      ratio: best.brezel.throughput / best[rival].throughput,
      ...rangeOf(best.brezel, best[rival]),
    });
}

/**
 * Increases the load until the server cannot answer all requests.
 *
 * @param {string} series
 * @param {Models} load
 * @param {number} models
 * @returns {Promise<Best>} the highest throughput
 */
async function rising(series, load, models) {
  const client = await startClient();
  const server = await startServer(load);
  const common = { ...ROW, kind: load.kind, models, alpha: HEAVY.alpha };
  /** @type {Best} */
  let best = { throughput: 0 };
  await client.load(server, { ...common, rate: HEAVY.rates[0], seconds: 1 });
  for (const rate of HEAVY.rates) {
    const { latency, lateness, count, throughput, throughputs, failed, unanswered } = await client.load(server, {
      ...common,
      rate,
      seconds: HEAVY.seconds,
    });
    const where = { series, x: rate, xUnit: 'requests/s' };
    point({ figure: 'fig14-latency', ...where, unit: 'ms' }, latency);
    point({ figure: 'fig14-throughput', ...where, unit: 'requests/s' }, { ...throughputs, median: throughput });
    say(
      `${series}, ${rate}/s: ${failed} failed, ${unanswered} unanswered, requests sent ${lateness.p99.toFixed(1)} ms late (p99)`,
    );
    if (throughput > best.throughput) best = { throughput, ...throughputs };
    if (throughput < (KEPT_UP * count) / HEAVY.seconds) break;
  }
  await client.close();
  await server.close();
  return best;
}

/**
 * Returns the range of the ratio of two throughputs, or an empty object if one of them has no
 * range.
 *
 * @param {Best} ours
 * @param {Best} theirs
 */
function rangeOf(ours, theirs) {
  if (!ours.min || !ours.max || !theirs.min || !theirs.max) return {};
  return { min: ours.min / theirs.max, max: ours.max / theirs.min };
}
