// One trial: a fresh process asks some pipelines one after the other, as the paper does: the first prediction is cold, the next ten do not count, a
// hundred more are hot. Brezel takes its plans from a fleet file; rivals load ONNX files before. Started by paper/fig9-latency.mjs.
// Parameter: JSON of { kind, packed, warm, members: [{ member, natural, expert }], again, busy }; warm: the ONNX files of a pipeline that is not measured;
// again: the hot rows once more, whose parameters the caches may have by then, and one row again and again; busy:
// other processes that compute meanwhile.
import { busyBeside } from '../lib/beside.mjs';
import { parameters, send } from '../lib/child.mjs';
import { openBrezel, openRival } from '../lib/servers.mjs';
import { rowsOf } from '../workload/rows.mjs';

const DISCARDED = 10;
const HOT = 100;
/** Of another pipeline, for every contestant: a process that serves has compiled its own code long ago. */
const WARM_UP = 1000;
/** Contestants take turns: a machine that slows down slows all. */
const ROUNDS = 5;

const { kind, packed, warm, members, again, busy = 0 } = JSON.parse(parameters[0]);
const rows = rowsOf(kind, 1 + DISCARDED + HOT);
const brezel = await openBrezel();
await brezel.open(packed, { verify: false, prefault: true });
await brezel.load(warm.natural);
/** @param {{ one: (model: number, row: any) => unknown }} server @param {number} model */
async function warmUp({ one }, model) {
  for (let call = 0; call < WARM_UP; call++) await one(model, rows[call % rows.length]);
}
await warmUp(brezel, brezel.plans.length - 1);

/** @type {{ name: string, one: (at: number, row: any) => unknown, model: (at: number) => number }[]} */
const contestants = [{ name: 'brezel', one: brezel.one, model: (at) => members[at].member }];
for (const form of ['natural', 'expert']) {
  if (members[0][form] === undefined) continue;
  const rival = await openRival(kind);
  for (const member of members) await rival.load(member[form]);
  await rival.load(warm[form]);
  await warmUp(rival, members.length);
  contestants.push({ name: `onnxruntime ${form}`, one: rival.one, model: (at) => at });
}

/** µs of one call. @param {(typeof contestants)[number]} contestant @param {number} at @param {number} row */
async function timed({ one, model }, at, row) {
  const start = performance.now();
  const answer = one(model(at), rows[row]);
  if (answer instanceof Promise) await answer;
  return (performance.now() - start) * 1000;
}

/** @type {Record<string, { cold: number[], hot: number[], samples: number[], again: number[], one: number[] }>} */
const times = Object.fromEntries(
  contestants.map(({ name }) => [name, { cold: [], hot: [], samples: [], again: [], one: [] }]),
);
const endOthers = await busyBeside(busy);
/** What the system did to this process during hot calls. */
const system = { faults: 0, preempted: 0 };
for (const at of members.keys()) {
  for (const contestant of contestants) times[contestant.name].cold.push(await timed(contestant, at, 0));
  for (const contestant of contestants) for (let row = 1; row <= DISCARDED; row++) await timed(contestant, at, row);
  const before = process.resourceUsage();
  const hot = new Map(contestants.map((one) => [one, /** @type {number[]} */ ([])]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed())
      for (let call = 0; call < HOT / ROUNDS; call++)
        hot.get(contestant)?.push(await timed(contestant, at, 1 + DISCARDED + round * (HOT / ROUNDS) + call));
  }
  const after = process.resourceUsage();
  system.faults += after.minorPageFault + after.majorPageFault - before.minorPageFault - before.majorPageFault;
  system.preempted += after.involuntaryContextSwitches - before.involuntaryContextSwitches;
  for (const [{ name }, samples] of hot) {
    times[name].hot.push(samples.reduce((sum, time) => sum + time, 0) / samples.length);
    times[name].samples.push(...samples);
  }
  for (let call = 0; again && call < HOT; call++)
    times.brezel.again.push(await timed(contestants[0], at, 1 + DISCARDED + call));
  for (let call = 0; again && call < HOT; call++) times.brezel.one.push(await timed(contestants[0], at, 1 + DISCARDED));
}
endOthers();
await send({ times, system, ...(again && { loop: loopTimes() }) });
process.disconnect?.();

/** µs of a loop that reads no memory, some ten µs long: how steady this machine is by itself. */
function loopTimes() {
  const list = [];
  let sum = 0;
  for (let call = 0; call < 25_000; call++) {
    const start = performance.now();
    for (let step = 0; step < 10_000; step++) sum = (sum * 5 + step) | 0;
    list.push((performance.now() - start) * 1000);
  }
  return sum === 0.5 ? [] : list; // never: so that the loop is not left out
}
