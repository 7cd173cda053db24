// Open-loop load on the benchmark's server, from a process of its own. Started by lib/http.mjs.
// Messages: { port, kind, models, rate, seconds, alpha?, batch } → percentiles as the client sees them.
import { Agent, request } from 'node:http';
import { send } from '../lib/child.mjs';
import { openLoop, poissonArrivals, zipfPicker } from '../lib/open-loop.mjs';
import { randomOf } from '../lib/random.mjs';
import { stated, summary } from '../lib/stats.mjs';
import { rowsOf } from '../workload/rows.mjs';

const CONNECTIONS = 64;
const BODIES = 500;

/** @type {Map<string, Buffer[]>} */
const kept = new Map();

/** Bodies as they go over the wire, made before the clock starts. @param {'sa' | 'ac'} kind @param {number} batch */
function bodies(kind, batch) {
  const name = `${kind} ${batch}`;
  const rows = rowsOf(kind, BODIES, 11).map((row) => (typeof row === 'string' ? row : [...row.x]));
  const made =
    kept.get(name) ??
    Array.from({ length: BODIES }, (_, at) =>
      Buffer.from(JSON.stringify({ rows: Array.from({ length: batch }, (_, row) => rows[(at + row) % BODIES]) })),
    );
  kept.set(name, made);
  return made;
}

/** @param {Agent} agent @param {number} port @param {number} model @param {Buffer} body @returns {Promise<any>} */
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
        else reject(new Error(`status ${response.statusCode}`));
      });
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** @param {{ port: number, kind: 'sa' | 'ac', models: number, rate: number, seconds: number, alpha?: number, batch: number }} load */
async function run({ port, kind, models, rate, seconds, alpha, batch }) {
  const random = randomOf(rate * 97 + models);
  const list = bodies(kind, batch);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const pick = alpha === undefined ? () => Math.floor(random() * models) : zipfPicker(random, models, alpha);
  const arrivals = poissonArrivals(random, rate, seconds);
  const targets = Int32Array.from(arrivals, pick);
  const start = performance.now();
  /** Requests answered in each second. */
  const bySecond = new Array(Math.floor(seconds)).fill(0);
  const result = await openLoop(arrivals, async (at) => {
    await post(agent, port, targets[at], list[at % list.length]);
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
    throughputs: stated(bySecond),
  };
}

process.on('message', async (/** @type {any} */ message) => {
  if (message === 'close') return process.disconnect();
  if (message.ask === undefined) return send(await run(message));
  const { port, kind, ask, count } = message;
  const agent = new Agent({ keepAlive: true });
  const numbers = [];
  for (const body of bodies(kind, 1).slice(0, count)) numbers.push((await post(agent, port, ask, body)).numbers[0]);
  agent.destroy();
  send({ numbers });
});
await send({ ready: true });
