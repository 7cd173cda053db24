// One trial of Figure 9. A fresh process calls pipelines one after another, as in the paper. The
// first prediction of a pipeline is cold, the next ten do not count, and a hundred more are hot.
// Brezel reads plans from a fleet file; onnxruntime loads ONNX files before the calls.
import { openBrezel, openRival } from '../harness/engines.mjs';
import { startBusyProcesses } from '../harness/machine.mjs';
import { send } from '../harness/processes.mjs';
import { rowsOf } from '../models/workload.mjs';

const DISCARDED = 10;
const HOT = 100;
/**
 * The number of calls with which each engine warms up before the measurement. They go to a pipeline
 * that is not measured, so that the engine's code is compiled as in a running server.
 */
const WARM_UP = 1000;
/**
 * Contestants alternate in this many rounds, so that a phase in which the machine is slower affects
 * all of them.
 */
const ROUNDS = 5;

/**
 * @typedef {object} Parameters
 * @property {import('../models/workload.mjs').Kind} kind
 * @property {string} packed fleet file
 * @property {{ natural: string, expert: string }} warm ONNX files of a pipeline that is not
 * measured
 * @property {{ member: number, natural?: string, expert?: string }[]} members the pipelines to
 * call; if they have no files, only Brezel runs
 * @property {boolean} [again] also calls the hot rows once more, and one row repeatedly
 * @property {number} [busy] number of busy processes during the trial
 */
/**
 * @typedef {{ name: string, one: (model: number, row: any) => unknown, model: (index: number) =>
 * number }} Contestant
 *   An engine with its loaded pipelines. `model` maps the index of a member to the number of its
 *   pipeline in this engine, and `one` predicts one row with this pipeline.
 */
/**
 * @typedef {{ cold: number[], hot: number[], samples: number[], again: number[], one: number[] }}
 * Times
 *   The times of one contestant in µs. `cold` and `hot` have one number for each pipeline, and
 *   `samples` has all hot calls. `again` repeats the hot rows once, and `one` repeats one row.
 */

export const trials = {
  /** @param {Parameters} parameters */
  async latency({ kind, packed, warm, members, again = false, busy = 0 }) {
    const rows = rowsOf(kind, 1 + DISCARDED + HOT);
    const contestants = await openAll({ kind, packed, warm, members }, rows);
    /**
     * Measures one call in µs.
     *
     * @param {Contestant} contestant
     * @param {number} index
     * @param {number} row
     */
    const timed = async ({ one, model }, index, row) => {
      const start = performance.now();
      const answer = one(model(index), rows[row]);
      if (answer instanceof Promise) await answer;
      return (performance.now() - start) * 1000;
    };
    /** @type {Record<string, Times>} */
    const times = Object.fromEntries(
      contestants.map(({ name }) => [name, { cold: [], hot: [], samples: [], again: [], one: [] }]),
    );
    const stopBusy = await startBusyProcesses(busy);
    /**
     * Page faults and preemptions of this process during the hot calls (the measured calls after
     * the warm-up).
     */
    const system = { faults: 0, preempted: 0 };
    for (const index of members.keys()) {
      for (const contestant of contestants) times[contestant.name].cold.push(await timed(contestant, index, 0));
      for (const contestant of contestants)
        for (let row = 1; row <= DISCARDED; row++) await timed(contestant, index, row);
      const before = process.resourceUsage();
      const hot = new Map(contestants.map((contestant) => [contestant, /** @type {number[]} */ ([])]));
      for (let round = 0; round < ROUNDS; round++) {
        for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed())
          for (let call = 0; call < HOT / ROUNDS; call++)
            hot.get(contestant)?.push(await timed(contestant, index, 1 + DISCARDED + round * (HOT / ROUNDS) + call));
      }
      const after = process.resourceUsage();
      system.faults += after.minorPageFault + after.majorPageFault - before.minorPageFault - before.majorPageFault;
      system.preempted += after.involuntaryContextSwitches - before.involuntaryContextSwitches;
      for (const [{ name }, samples] of hot) {
        times[name].hot.push(samples.reduce((sum, time) => sum + time, 0) / samples.length);
        times[name].samples.push(...samples);
      }
      const { again: repeated, one } = times.brezel;
      for (let call = 0; again && call < HOT; call++)
        repeated.push(await timed(contestants[0], index, 1 + DISCARDED + call));
      for (let call = 0; again && call < HOT; call++) one.push(await timed(contestants[0], index, 1 + DISCARDED));
    }
    stopBusy();
    await send({ times, system, ...(again && { loop: loopTimes() }) });
  },
};

/**
 * Opens and warms up all contestants.
 *
 * @param {Parameters} parameters
 * @param {readonly any[]} rows
 * @returns {Promise<Contestant[]>}
 */
async function openAll({ kind, packed, warm, members }, rows) {
  const warmUp = async (/** @type {Contestant['one']} */ one, /** @type {number} */ model) => {
    for (let call = 0; call < WARM_UP; call++) await one(model, rows[call % rows.length]);
  };
  const brezel = await openBrezel();
  await brezel.open(packed, { verify: false, prefault: true });
  await brezel.load(warm.natural);
  await warmUp(brezel.one, brezel.plans.length - 1);
  /** @type {Contestant[]} */
  const contestants = [{ name: 'brezel', one: brezel.one, model: (index) => members[index].member }];
  for (const form of /** @type {const} */ (['natural', 'expert'])) {
    if (members[0][form] === undefined) continue;
    const rival = await openRival(kind);
    for (const member of members) await rival.load(/** @type {string} */ (member[form]));
    await rival.load(warm[form]);
    await warmUp(rival.one, members.length);
    contestants.push({ name: `onnxruntime ${form}`, one: rival.one, model: (index) => index });
  }
  return contestants;
}

/** Measures a loop without memory access in µs, to show how steady this machine is. */
function loopTimes() {
  const list = [];
  let sum = 0;
  for (let call = 0; call < 25_000; call++) {
    const start = performance.now();
    for (let step = 0; step < 10_000; step++) sum = (sum * 5 + step) | 0;
    list.push((performance.now() - start) * 1000);
  }
  // the sum is always an integer; reading it prevents V8 from removing the loop
  return sum === 0.5 ? [] : list;
}
