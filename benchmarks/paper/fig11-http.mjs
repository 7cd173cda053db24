// Figure 11: latency as a remote client sees it, through the same small HTTP server before both engines, which take turns on an idle machine.
import { statSync } from 'node:fs';
import { compareServers, startClient, startServer } from '../lib/http.mjs';
import { loadable } from '../lib/paper-fleet.mjs';
import { RIVALS } from '../lib/paper-sizes.mjs';
import { kinds } from '../lib/parts.mjs';
import { comparison, isQuick, note, point } from '../lib/report.mjs';
import { spread, summary } from '../lib/stats.mjs';
import { openWorkload } from '../workload/fleets.mjs';

/** @typedef {import('../workload/fleets.mjs').Kind} Kind */

const RATE = 100;
const SECONDS = isQuick ? 1 : 5;
/** Engines take turns; percentiles are medians over the rounds. */
const ROUNDS = isQuick ? 2 : 5;

/** @typedef {import('../lib/stats.mjs').Summary} Summary */
/** @typedef {{ latency: Summary, lateness: Summary, alone: Summary }} Round latencies in ms; those of predictions alone in µs */

/** Some seconds of load on one server. @param {Awaited<ReturnType<typeof startClient>>} client @param {Awaited<ReturnType<typeof startServer>>} server @param {{ kind: Kind, models: number, seconds: number }} load @returns {Promise<Round>} */
async function ask(client, { port, times }, load) {
  const { latency, lateness, failed, unanswered } = await client.load({ ...load, port, rate: RATE, batch: 1 });
  if (failed + unanswered > 0) throw new Error(`${failed} requests failed, ${unanswered} had no answer`);
  return { latency, lateness, alone: await times() };
}

/** Medians of percentiles over rounds. @param {readonly Summary[]} list @param {number} [units] that make one */
function middle(list, units = 1) {
  const over = (/** @type {'median' | 'p99'} */ field) => summary(list.map((one) => one[field] / units)).median;
  return {
    median: over('median'),
    p99: over('p99'),
    min: Math.min(...list.map((one) => one.min / units)),
    max: Math.max(...list.map((one) => one.max / units)),
    samples: list.reduce((sum, one) => sum + one.samples, 0),
  };
}

/** @param {Kind} kind */
async function endToEnd(kind) {
  const fleet = openWorkload(kind);
  const wanted = Math.min(RIVALS.http[kind], fleet.members.length);
  const models = loadable(statSync(fleet.file(0, 'natural')).size, wanted);
  const files = (/** @type {'natural' | 'expert'} */ form) =>
    Array.from({ length: models }, (_, at) => fleet.file(at, form));
  const packed = await fleet.packed();
  const client = await startClient();
  const servers = {
    brezel: await startServer({ engine: 'brezel', kind, packed, models }),
    'onnxruntime natural': await startServer({ engine: 'onnxruntime', kind, files: files('natural'), threads: 'one' }),
    'onnxruntime expert': await startServer({ engine: 'onnxruntime', kind, files: files('expert'), threads: 'one' }),
  };
  try {
    note(await compareServers(client, kind, servers, models));
    /** @type {Record<string, Round[]>} */
    const rounds = Object.fromEntries(Object.keys(servers).map((series) => [series, []]));
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [series, server] of Object.entries(servers)) {
        const one = await ask(client, server, { kind, models, seconds: round === 0 ? 0.5 : SECONDS });
        if (round > 0) rounds[series].push(one); // the first one is for warming up
      }
    }
    /** @type {Record<string, ReturnType<typeof middle>>} */
    const seen = {};
    for (const [series, list] of Object.entries(rounds)) {
      const x = kind.toUpperCase();
      seen[series] = middle(list.map(({ latency }) => latency));
      point({ figure: 'fig11', series, x: `${x} end to end`, unit: 'ms' }, seen[series]);
      point(
        { figure: 'fig11', series, x: `${x} prediction`, unit: 'ms' },
        middle(
          list.map(({ alone }) => alone),
          1000,
        ),
      );
      const late = middle(list.map(({ lateness }) => lateness));
      note(`${series}, ${x}: the load generator itself was late by ${late.p99.toFixed(2)} ms (p99)`);
    }
    for (const form of ['natural', 'expert'])
      comparison({
        goal: 'G7',
        part: `http ${kind} ${form}`,
        figure: 'fig11',
        what: `p99 end to end through HTTP, ${models} ${kind.toUpperCase()}, ${RATE} requests a second`,
        rival: `${form} graph`,
        unit: 'ms',
        ours: seen.brezel.p99,
        theirs: seen[`onnxruntime ${form}`].p99,
        ...spread(rounds[`onnxruntime ${form}`].map(({ latency }, at) => latency.p99 / rounds.brezel[at].latency.p99)),
        ratio: seen[`onnxruntime ${form}`].p99 / seen.brezel.p99,
        brief: form === 'natural',
      });
  } finally {
    await client.close();
    for (const server of Object.values(servers)) await server.close();
  }
}

for (const kind of kinds) await endToEnd(kind);
