// Figure 14: end to end under load that rises: AC pipelines, popular by Zipf's law, one row a request.
import { statSync } from 'node:fs';
import { compareServers, startClient, startServer } from '../lib/http.mjs';
import { loadable } from '../lib/paper-fleet.mjs';
import { RIVALS } from '../lib/paper-sizes.mjs';
import { comparison, isQuick, note, point } from '../lib/report.mjs';
import { openWorkload } from '../workload/fleets.mjs';

const ALPHA = 2;
const RATES = isQuick ? [100, 400] : [100, 200, 400, 800, 1600, 3200, 6400, 9600, 12_800];
const SECONDS = isQuick ? 1.5 : 5;
/** Of what was asked for so much must be answered, or the server is full. */
const KEPT_UP = 0.95;

const fleet = openWorkload('ac');
const models = loadable(statSync(fleet.file(0, 'natural')).size, Math.min(RIVALS.load.ac, fleet.members.length));
const files = (/** @type {'natural' | 'expert'} */ form) =>
  Array.from({ length: models }, (_, at) => fleet.file(at, form));
const kind = 'ac';
/** @type {Record<string, import('../lib/paper-fleet.mjs').Load>} */
const loads = {
  brezel: { engine: 'brezel', kind, packed: await fleet.packed(), models },
  'onnxruntime natural': { engine: 'onnxruntime', kind, files: files('natural'), threads: 'one' },
  'onnxruntime natural, threads as it likes': {
    engine: 'onnxruntime',
    kind,
    files: files('natural'),
    threads: 'default',
  },
  'onnxruntime expert': { engine: 'onnxruntime', kind, files: files('expert'), threads: 'one' },
};

/** @typedef {{ throughput: number, min?: number, max?: number }} Best requests a second; what its seconds spread, where there are some */

/** @param {string} series @param {Awaited<ReturnType<typeof startClient>>} client @param {number} port @returns {Promise<Best>} the greatest throughput, and its spread */
async function rising(series, client, port) {
  /** @type {Best} */
  let best = { throughput: 0 };
  await client.load({ port, kind, models, rate: RATES[0], seconds: 1, alpha: ALPHA, batch: 1 });
  for (const rate of RATES) {
    const load = { port, kind, models, rate, seconds: SECONDS, alpha: ALPHA, batch: 1 };
    const { latency, lateness, offered, throughput, throughputs, failed, unanswered } = await client.load(load);
    point({ figure: 'fig14-latency', series, x: rate, xUnit: 'requests/s', unit: 'ms' }, latency);
    point(
      { figure: 'fig14-throughput', series, x: rate, xUnit: 'requests/s', unit: 'requests/s' },
      { ...throughputs, median: throughput },
    );
    note(
      `${series}, ${rate}/s: ${failed} failed, ${unanswered} unanswered, load generator late by ${lateness.p99.toFixed(1)} ms (p99)`,
    );
    if (throughput > best.throughput) best = { throughput, ...throughputs };
    if (throughput < KEPT_UP * offered) break;
  }
  return best;
}

/** Answers first. */
async function compare() {
  const client = await startClient();
  const [ours, theirs] = [await startServer(loads.brezel), await startServer(loads['onnxruntime natural'])];
  note(await compareServers(client, kind, { brezel: ours, 'onnxruntime natural': theirs }, models));
  await Promise.all([client.close(), ours.close(), theirs.close()]);
}

/** @param {Best} ours @param {Best} theirs */
function rangeOf(ours, theirs) {
  if (!ours.min || !ours.max || !theirs.min || !theirs.max) return {};
  return { min: ours.min / theirs.max, max: ours.max / theirs.min };
}

await compare();
/** @type {Record<string, Best>} */
const best = {};
for (const [series, load] of Object.entries(loads)) {
  const client = await startClient();
  const server = await startServer(load);
  best[series] = await rising(series, client, server.port);
  await client.close();
  await server.close();
}
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
