// G12: the longest time that the event loop stands still during a batch call; pauses of the garbage collector apart.
import { trial } from '../lib/child.mjs';
import { kinds } from '../lib/parts.mjs';
import { comparison, goal, isQuick, measure, point } from '../lib/report.mjs';
import { summary } from '../lib/stats.mjs';
import { openWorkload } from '../workload/fleets.mjs';

const TRIAL = new URL('../trials/paper-stall.mjs', import.meta.url);
const CALLS = isQuick ? 3 : 20;
const OUR_BATCHES = isQuick ? [1000] : [100, 1000, 10_000, 100_000];

for (const kind of kinds) {
  const fleet = openWorkload(kind);
  const upper = kind.toUpperCase();
  const file = fleet.file(0, 'natural');
  /** The goal speaks of any call: the worst one counts. */
  let worst = 0;
  let ours = summary([0]);
  for (const batch of OUR_BATCHES) {
    const { longest } = await trial(TRIAL, [JSON.stringify({ engine: 'brezel', kind, file, batch, calls: CALLS })]);
    const stalls = summary(longest.map((/** @type {any} */ one) => one.withoutPauses));
    point({ figure: 'stall', series: 'brezel', x: `${upper} ${batch} rows`, unit: 'ms' }, stalls);
    measure(
      `${upper} ${batch} rows, stall with garbage collection`,
      'ms',
      summary(longest.map((/** @type {any} */ one) => one.withPauses)),
    );
    if (batch === 1000) ours = stalls;
    worst = Math.max(worst, stalls.max);
  }
  goal({
    goal: 'G12',
    part: kind,
    measured: worst,
    unit: 'ms',
    note: `worst of ${CALLS} calls of ${OUR_BATCHES.join(', ')} rows each, garbage collection apart`,
  });
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
    ratio: theirs.max / ours.max,
  });
}
