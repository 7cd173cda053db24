// Figure 13: 500 pipelines in one process under load that rises; then the same with an executor reserved for one plan, and G17.
import { availableParallelism } from 'node:os';
import { trial } from '../lib/child.mjs';
import { features, NOT_YET } from '../lib/features.mjs';
import { partsOf } from '../lib/parts.mjs';
import { binds, goal, isQuick, missing, note, point } from '../lib/report.mjs';
import { spread, summary } from '../lib/stats.mjs';
import { openWorkload } from '../workload/fleets.mjs';

const HEAVY = new URL('../trials/paper-heavy.mjs', import.meta.url);
const RESERVED = new URL('../trials/paper-reserved.mjs', import.meta.url);
/** Requests a second; half of the popular ones bring 100 rows. */
const RATES = isQuick ? [50, 200] : [50, 100, 200, 400, 800, 1600, 3200];
const SECONDS = isQuick ? 1 : 5;
const ROUNDS = isQuick ? 1 : 5;

const [sa, ac] = [openWorkload('sa'), openWorkload('ac')];

/** @param {string} series @param {Record<string, unknown>} options */
async function heavy(series, options) {
  const packed = { sa: await sa.packed(), ac: await ac.packed() };
  const { results, models } = await trial(HEAVY, [
    JSON.stringify({ packed, rates: RATES, seconds: SECONDS, ...options }),
  ]);
  for (const { rate, sensitive, watched, lateness, failed, unanswered, rowsPerSecond, rows } of results) {
    const at = { series, x: rate, xUnit: 'requests/s' };
    point({ figure: 'fig13-latency', ...at, unit: 'ms' }, sensitive);
    point({ figure: 'fig13-latency-mean', ...at, unit: 'ms' }, { ...sensitive.means, median: sensitive.mean });
    if (watched !== undefined) point({ figure: 'fig13-one-plan', ...at, unit: 'ms' }, watched);
    point({ figure: 'fig13-throughput', ...at, unit: 'rows/s' }, { ...rows, median: rowsPerSecond });
    if (failed + unanswered > 0 || lateness.p99 > 1)
      note(
        `${series}, ${rate}/s over ${models} models: ${failed} failed, ${unanswered} unanswered, sent late by ${lateness.p99.toFixed(1)} ms (p99)`,
      );
  }
}

/** The same plan with the same executor of its own, idle and under load, in turns. */
async function reservation() {
  const parameters = {
    kind: 'ac',
    file: ac.file(0, 'natural'),
    load: ac.file(1, 'natural'),
    requests: isQuick ? 100 : 1000,
  };
  /** @type {Record<string, { p99: number, busy: number, waited: number }[]>} µs; of the thread that asks, shares of its time */
  const seen = Object.fromEntries(Object.keys(MEANWHILE).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, meanwhile] of Object.entries(MEANWHILE)) {
      const { times, asking } = await trial(RESERVED, [JSON.stringify({ ...parameters, ...meanwhile })]);
      seen[name].push({ p99: times.p99, ...asking });
      point({ figure: 'fig13-reservation', series: name, x: 'batch of 256', unit: 'µs' }, times);
    }
  }
  const against = (/** @type {string} */ name) => spread(seen[name].map(({ p99 }, at) => p99 / seen.idle[at].p99));
  const { ratio, low, high, ...range } = against('under load');
  goal({
    goal: 'G17',
    measured: ratio,
    unit: 'times',
    ...range,
    note: `p99 of 256 rows on a reserved executor, under load / idle (${low.toFixed(2)}-${high.toFixed(2)})`,
  });
  reservationBinds(seen, against);
}

/** What goes on while a reserved plan is asked. */
const MEANWHILE = {
  idle: { isLoaded: false },
  'under load': { isLoaded: true },
  'beside another process that computes': { isLoaded: false, foreign: 1 },
  'beside as many as there are cores': { isLoaded: false, foreign: availableParallelism() },
};

/** G17: other processes, of which the scheduler of this one knows nothing, do the same to it. @param {Record<string, { busy: number, waited: number }[]>} seen @param {(name: string) => { ratio: number }} against */
function reservationBinds(seen, against) {
  const cores = availableParallelism();
  const times = (/** @type {string} */ name) => against(name).ratio.toFixed(2);
  const share = (/** @type {'busy' | 'waited'} */ field) =>
    `${(summary(seen['under load'].map((one) => one[field])).median * 100).toFixed(0)} %`;
  binds(
    'G17',
    'p99 of a reserved plan, under load / idle',
    `${cores < 3 ? `three threads want ${cores} cores under load: ` : `the reserved executor has a core of ${cores}, as have `}the shared executor${cores < 3 ? ', the reserved one' : ''} and the thread that asks. ` +
      `Idle but beside another process that only computes, the p99 is ${times('beside another process that computes')} times the idle one, beside ${cores} of them ` +
      `${times('beside as many as there are cores')}. Under load the thread that asks is no longer asleep: reading rows of the load and making its answers, which those of the reserved plan ` +
      `wait for, keep it busy for ${share('busy')} of the time, and it waits for a core for ${share('waited')}`,
  );
}

async function load() {
  if (!features.executors) {
    await heavy('brezel, calling thread', {});
    return missing('Figure 13, executors', NOT_YET);
  }
  await heavy('brezel, calling thread', { executors: 0 });
  await heavy(`brezel, ${availableParallelism()} executors`, { executors: availableParallelism() });
  await heavy('brezel, one executor reserved for one plan', { executors: availableParallelism(), reserve: true });
}

for (const part of partsOf(/** @type {const} */ (['load', 'reservation']))) {
  if (part === 'load') await load();
  else if (!features.executors) missing('reservation (G17)', NOT_YET);
  else if (availableParallelism() < 2) missing('G17', 'this machine has one core');
  else await reservation();
}
