// G12: the longest time that the event loop stands still during a batch call; pauses of the garbage collector apart.
import { availableParallelism } from 'node:os';
import { trial } from '../lib/child.mjs';
import { compareOnce } from '../lib/compare-once.mjs';
import { tellsWaits } from '../lib/core-wait.mjs';
import { kinds } from '../lib/parts.mjs';
import { binds, comparison, goal, isQuick, measure, note, point, short } from '../lib/report.mjs';
import { ratioOf, stated, summary } from '../lib/stats.mjs';
import { openWorkload } from '../workload/fleets.mjs';

const TRIAL = new URL('../trials/paper-stall.mjs', import.meta.url);
const CALLS = isQuick ? 3 : 20;
const OUR_BATCHES = isQuick ? [1000] : [100, 1000, 10_000, 100_000];

/** Calls dealt out into so many: how much the worst of some differs. */
const GROUPS = [0, 1, 2, 3, 4];

for (const kind of kinds) {
  const fleet = openWorkload(kind);
  note(await compareOnce(fleet, [0]));
  const upper = kind.toUpperCase();
  const file = fleet.file(0, 'natural');
  /** The goal speaks of any call: the worst one counts. */
  let worst = 0;
  let ours = summary([0]);
  /** @type {number[]} */
  let oursAll = [];
  /** @type {{ withoutPauses: number, computing: number }[]} */
  const all = [];
  for (const batch of OUR_BATCHES) {
    const { longest } = await trial(TRIAL, [JSON.stringify({ engine: 'brezel', kind, file, batch, calls: CALLS })]);
    all.push(...longest);
    const stalls = summary(longest.map((/** @type {any} */ one) => one.withoutPauses));
    point({ figure: 'stall', series: 'brezel', x: `${upper} ${batch} rows`, unit: 'ms' }, stalls);
    measure(
      `${upper} ${batch} rows, stall with garbage collection`,
      'ms',
      summary(longest.map((/** @type {any} */ one) => one.withPauses)),
    );
    if (batch === 1000) [ours, oursAll] = [stalls, longest.map((/** @type {any} */ one) => one.withoutPauses)];
    worst = Math.max(worst, stalls.max);
  }
  goal({
    goal: 'G12',
    part: kind,
    measured: worst,
    unit: 'ms',
    ...stated(
      GROUPS.map(
        (group) => summary(all.filter((_, at) => at % GROUPS.length === group).map((one) => one.withoutPauses)).max,
      ),
    ),
    note: `worst of ${CALLS} calls of ${OUR_BATCHES.join(', ')} rows each, garbage collection apart`,
  });
  await stallBinds(kind, file, all);
  const expert = { engine: 'onnxruntime', kind, file: fleet.file(0, 'expert'), batch: 1000, calls: Math.min(CALLS, 5) };
  const { longest } = await trial(TRIAL, [JSON.stringify(expert)]);
  const theirs = summary(longest.map((/** @type {any} */ one) => one.withoutPauses));
  point({ figure: 'stall', series: 'onnxruntime expert', x: `${upper} 1000 rows`, unit: 'ms' }, theirs);
  comparison({
    goal: 'G12',
    part: `${kind} rival`,
    figure: 'stall',
    what: `longest stall of a batch of 1000 ${upper} rows`,
    rival: 'expert graph',
    unit: 'ms',
    ours: ours.max,
    theirs: theirs.max,
    ...ratioOf(
      longest.map((/** @type {any} */ one) => one.withoutPauses),
      oursAll,
    ),
    ratio: theirs.max / ours.max,
  });
}

/** What the worst stall is made of, and how it is where executors leave the event loop's core alone. @param {string} kind @param {string} file @param {readonly { withoutPauses: number, computing: number }[]} all */
async function stallBinds(kind, file, all) {
  const alone = { engine: 'brezel', kind, file, batch: OUR_BATCHES.at(-1), calls: CALLS, executors: 1 };
  const { longest } = await trial(TRIAL, [JSON.stringify(alone)]);
  const most = (/** @type {readonly any[]} */ list, /** @type {'withoutPauses' | 'computing'} */ field) =>
    summary(list.map((one) => one[field])).max;
  const computing = tellsWaits
    ? `without waiting for a core the longest is ${short(most(all, 'computing'))} ms, and in half of the calls below ` +
      `${short(summary(all.map((one) => one.computing)).median)}: slices of rows read and answers made`
    : 'the system does not tell how long it waited for a core';
  binds(
    'G12',
    `longest stall of a batch of ${kind.toUpperCase()}`,
    `the event loop shares ${availableParallelism()} cores with as many executors, and stands still while it waits for one: of the worst ` +
      `${short(most(all, 'withoutPauses'))} ms, ${computing}. ` +
      `With 1 executor and batches of ${OUR_BATCHES.at(-1)} rows the worst is ${short(most(longest, 'withoutPauses'))} ms, ${short(most(longest, 'computing'))} without waiting for a core`,
  );
}
