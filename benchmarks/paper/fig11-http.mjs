// Figure 11: latency as a remote client sees it, through the same small HTTP server before both engines, one after the other on an idle machine.
import { statSync } from 'node:fs';
import { compareServers, startClient, startServer } from '../lib/http.mjs';
import { loadable } from '../lib/paper-fleet.mjs';
import { comparison, isQuick, note, point } from '../lib/report.mjs';
import { openWorkload } from '../workload/fleets.mjs';

/** @typedef {import('../workload/fleets.mjs').Kind} Kind */

const RATE = 100;
const SECONDS = isQuick ? 2 : 20;
const MODELS = { sa: 12, ac: 60 };

/** @param {Kind} kind */
async function endToEnd(kind) {
  const fleet = openWorkload(kind);
  const wanted = Math.min(MODELS[kind], fleet.members.length);
  const models = loadable(statSync(fleet.file(0, 'natural')).size, wanted);
  const files = (/** @type {'natural' | 'expert'} */ form) =>
    Array.from({ length: models }, (_, at) => fleet.file(at, form));
  const packed = await fleet.packed(models);
  const client = await startClient();
  const servers = {
    brezel: await startServer({ engine: 'brezel', kind, packed }),
    'onnxruntime natural': await startServer({ engine: 'onnxruntime', kind, files: files('natural'), threads: 'one' }),
    'onnxruntime expert': await startServer({ engine: 'onnxruntime', kind, files: files('expert'), threads: 'one' }),
  };
  try {
    note(await compareServers(client, kind, servers, models));
    /** @type {Record<string, any>} */
    const seen = {};
    for (const [series, { port, times }] of Object.entries(servers)) {
      const load = { port, kind, models, rate: RATE, batch: 1 };
      await client.load({ ...load, seconds: isQuick ? 0.5 : 3 }); // warm-up
      await times();
      const { latency, lateness, failed, unanswered } = await client.load({ ...load, seconds: SECONDS });
      const alone = await times();
      if (failed + unanswered > 0) throw new Error(`${series}: ${failed} requests failed, ${unanswered} had no answer`);
      const x = kind.toUpperCase();
      point({ figure: 'fig11', series, x: `${x} end to end`, unit: 'ms' }, latency);
      const inMs = Object.fromEntries(['median', 'p99', 'min', 'max'].map((name) => [name, alone[name] / 1000]));
      point({ figure: 'fig11', series, x: `${x} prediction`, unit: 'ms' }, /** @type {any} */ ({ ...alone, ...inMs }));
      note(`${series}, ${x}: the load generator itself was late by ${lateness.p99.toFixed(2)} ms (p99)`);
      seen[series] = latency;
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
        ratio: seen[`onnxruntime ${form}`].p99 / seen.brezel.p99,
        brief: form === 'natural',
      });
  } finally {
    await client.close();
    for (const server of Object.values(servers)) await server.close();
  }
}

for (const kind of /** @type {const} */ (['sa', 'ac'])) await endToEnd(kind);
