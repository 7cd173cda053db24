// G12: the longest time that the event loop stands still during a batch call; pauses of the garbage collector apart.
import { availableParallelism } from 'node:os';
import { trial } from '../lib/child.mjs';
import { compareOnce } from '../lib/compare-once.mjs';
import { tellsWaits } from '../lib/core-wait.mjs';
import { kinds } from '../lib/parts.mjs';
import { binds, comparison, goal, isQuick, measure, note, point, short } from '../lib/report.mjs';
import { ratioOf, statedExtreme, summary } from '../lib/stats.mjs';
import { openWorkload } from '../workload/fleets.mjs';

const TRIAL = new URL('../trials/paper-stall.mjs', import.meta.url);
const CLOCK = new URL('../trials/paper-clock.mjs', import.meta.url);
/** About as long as the calls of one kind take. */
const CLOCK_SECONDS = isQuick ? 0.5 : 6;
const CALLS = isQuick ? 3 : 20;
const OUR_BATCHES = isQuick ? [1000] : [100, 1000, 10_000, 100_000];

/** @typedef {{ withoutPauses: number, withPauses: number, computing: number }} Stall the longest of a call, ms; pauses: of the garbage collector; computing: without waiting for a core */

/** Longest stalls of every call, in a process of their own. @param {Record<string, unknown>} load @returns {Promise<Stall[]>} */
const stallsOf = async (load) => (await trial(TRIAL, [JSON.stringify(load)])).longest;

/** @param {readonly Stall[]} list @param {keyof Stall} [field] */
const values = (list, field = 'withoutPauses') => list.map((one) => one[field]);

/** Ours, by rows of a batch; the goal speaks of any call, so that the worst one counts. @param {import('../workload/fleets.mjs').Kind} kind @param {string} file */
async function batches(kind, file) {
  const upper = kind.toUpperCase();
  /** @type {Map<number, Stall[]>} */
  const all = new Map();
  for (const batch of OUR_BATCHES) {
    const list = await stallsOf({ engine: 'brezel', kind, file, batch, calls: CALLS });
    all.set(batch, list);
    point({ figure: 'stall', series: 'brezel', x: `${upper} ${batch} rows`, unit: 'ms' }, summary(values(list)));
    measure(`${upper} ${batch} rows, stall with garbage collection`, 'ms', summary(values(list, 'withPauses')));
  }
  const every = [...all.values()].flat();
  goal({
    goal: 'G12',
    part: kind,
    measured: summary(values(every)).max,
    unit: 'ms',
    ...statedExtreme(every, (part) => summary(values(part)).max),
    note: `worst of ${CALLS} calls of ${OUR_BATCHES.join(', ')} rows each, garbage collection apart`,
  });
  await stallBinds(kind, file, every);
  return /** @type {Stall[]} */ (all.get(1000));
}

for (const kind of kinds) {
  const fleet = openWorkload(kind);
  note(await compareOnce(fleet, [0]));
  const ours = values(await batches(kind, fleet.file(0, 'natural')));
  const expert = { engine: 'onnxruntime', kind, file: fleet.file(0, 'expert'), batch: 1000, calls: Math.min(CALLS, 5) };
  const theirs = values(await stallsOf(expert));
  const upper = kind.toUpperCase();
  point({ figure: 'stall', series: 'onnxruntime expert', x: `${upper} 1000 rows`, unit: 'ms' }, summary(theirs));
  const [worst, theirWorst] = [summary(ours).max, summary(theirs).max];
  comparison({
    goal: 'G12',
    part: `${kind} rival`,
    figure: 'stall',
    what: `longest stall of a batch of 1000 ${upper} rows`,
    rival: 'expert graph',
    unit: 'ms',
    ours: worst,
    theirs: theirWorst,
    ...ratioOf(theirs, ours),
    ratio: theirWorst / worst,
  });
}

/** What the worst stall is made of, how it is where executors leave the event loop's core alone, and for a thread that has nothing to do. @param {string} kind @param {string} file @param {readonly Stall[]} all */
async function stallBinds(kind, file, all) {
  const cores = availableParallelism();
  const alone = await stallsOf({
    engine: 'brezel',
    kind,
    file,
    batch: OUR_BATCHES.at(-1),
    calls: CALLS,
    executors: 1,
  });
  /** @param {number} busy */
  const clock = async (busy) => short((await trial(CLOCK, [JSON.stringify({ busy, seconds: CLOCK_SECONDS })])).longest);
  const most = (/** @type {readonly Stall[]} */ list, /** @type {keyof Stall} */ field) =>
    short(summary(values(list, field)).max);
  const computing = tellsWaits
    ? `without waiting for a core the longest is ${most(all, 'computing')} ms, and in half of the calls below ` +
      `${short(summary(values(all, 'computing')).median)}: slices of rows read and answers made`
    : 'the system does not tell how long it waited for a core';
  binds(
    'G12',
    `longest stall of a batch of ${kind.toUpperCase()}`,
    `the event loop shares ${cores} cores with as many executors, and stands still while it waits for one: of the worst ` +
      `${most(all, 'withoutPauses')} ms, ${computing}. ` +
      `With 1 executor and batches of ${OUR_BATCHES.at(-1)} rows the worst is ${most(alone, 'withoutPauses')} ms, ${most(alone, 'computing')} without waiting for a core. ` +
      `A thread that only looks at the clock stands still for ${await clock(cores)} ms in ${CLOCK_SECONDS} s beside ${cores} threads that compute, ` +
      `${await clock(1)} beside one, ${await clock(0)} beside none: the system's share of it`,
  );
}
