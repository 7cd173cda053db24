// Figure 10 and G18: SA pipelines of a family that are asked the same text, with and without results of shared stages kept.
import { features, NOT_YET } from '../lib/features.mjs';
import { interleave, timesFaster } from '../lib/interleave.mjs';
import { FAMILY } from '../lib/paper-sizes.mjs';
import { binds, comparison, isQuick, measure, missing, point, short } from '../lib/report.mjs';
import { openBrezel } from '../lib/servers.mjs';
import { openWorkload } from '../workload/fleets.mjs';
import { rowsOf } from '../workload/rows.mjs';

const ROUNDS = isQuick ? 4 : 40;

/** Servers that hold the same pipelines. @param {Record<string, unknown>} runtime */
async function loaded(runtime) {
  const fleet = openWorkload('sa');
  const server = await openBrezel({ runtime });
  for (let member = 0; member < Math.min(FAMILY, fleet.members.length); member++)
    await server.load(fleet.file(member, 'natural'));
  return server;
}

/** @param {Awaited<ReturnType<typeof loaded>>} server @param {readonly any[]} rows @returns {(at: number) => void} every pipeline on one text */
const everyPlan = (server, rows) => (at) => {
  for (let model = 0; model < server.plans.length; model++) server.one(model, rows[at % rows.length]);
};

/** @param {Awaited<ReturnType<typeof loaded>>} one @param {Awaited<ReturnType<typeof loaded>>} other @param {readonly any[]} rows */
function mustBeEqual(one, other, rows) {
  for (const row of rows.slice(0, 100)) {
    for (const model of one.plans.keys()) {
      const [a, b] = [JSON.stringify(one.one(model, row)), JSON.stringify(other.one(model, row))];
      if (a !== b) throw new Error(`model ${model} says ${a} with materialization, ${b} without`);
    }
  }
}

async function materialization() {
  const rows = rowsOf('sa', 500);
  const [kept, none] = [await loaded({ materialization: undefined }), await loaded({ materialization: false })];
  mustBeEqual(kept, none, rows);
  const other = rowsOf('sa', 5000, 5);
  const [same, different] = [
    await race('the same text over all plans', everyPlan(kept, rows), everyPlan(none, rows)),
    await race(
      'a text for one plan only',
      (at) => kept.one(at % kept.plans.length, other[at % 5000]),
      (at) => none.one(at % none.plans.length, other[at % 5000]),
    ),
  ];
  for (const [x, { ratio, low, high, min, max, ours, theirs }] of Object.entries({
    'same text': same,
    'other texts': different,
  })) {
    point(
      { figure: 'fig10', series: 'without / with materialization', x, unit: 'times' },
      { median: ratio, min: low, max: high, expected: { min, max } },
    );
    comparison({
      goal: 'G18',
      part: x,
      figure: 'fig10',
      what: `${kept.plans.length} SA pipelines, ${x}, kept results`,
      rival: 'no materialization',
      unit: 'µs',
      ours,
      theirs,
      ratio,
      low,
      high,
      min,
      max,
      target: x === 'same text' && !isQuick ? 2 : undefined,
    });
  }
  const alone = await race(
    'one plan, the same text again and again',
    () => kept.one(0, rows[0]),
    () => none.one(0, rows[0]),
  );
  const plans = kept.plans.length;
  binds(
    'G18',
    'SA fleet, the same text over many plans',
    `${plans} plans take ${short(same.ours)} µs instead of ${short(same.theirs)}; one plan that is asked one text again and again takes ${short(alone.ours)} µs, so ` +
      `${plans} cannot take less than ${short(plans * alone.ours)} µs: what is shared is looked up, what is each plan's own is computed`,
  );
  await perPipeline(kept, none, rows);
}

/** The paper's figure: each pipeline by itself, on texts that another pipeline has just answered. @param {Awaited<ReturnType<typeof loaded>>} kept @param {Awaited<ReturnType<typeof loaded>>} none @param {readonly any[]} rows */
async function perPipeline(kept, none, rows) {
  for (const model of kept.plans.keys()) {
    for (const row of rows) for (const other of kept.plans.keys()) if (other !== model) kept.one(other, row);
    const times = await interleave(
      [
        { name: 'kept', calls: 50, call: (at) => kept.one(model, rows[at % rows.length]) },
        { name: 'none', calls: 50, call: (at) => none.one(model, rows[at % rows.length]) },
      ],
      { rounds: isQuick ? 4 : 10 },
    );
    const { ratio, low, high, min, max } = timesFaster(times.none, times.kept);
    point(
      { figure: 'fig10', series: 'speedup a pipeline', x: model, unit: 'times' },
      { median: ratio, min: low, max: high, expected: { min, max } },
    );
  }
}

/** @param {string} what @param {(at: number) => unknown} kept @param {(at: number) => unknown} none */
async function race(what, kept, none) {
  const times = await interleave(
    [
      { name: 'kept', calls: 50, call: kept },
      { name: 'none', calls: 50, call: none },
    ],
    { rounds: ROUNDS },
  );
  for (const [name, one] of Object.entries(times)) measure(`${what}: ${name}`, 'µs', one);
  return { ...timesFaster(times.none, times.kept), ours: times.kept.median, theirs: times.none.median };
}

if (features.materialization) await materialization();
else missing('Figure 10, materialization (G18)', NOT_YET);
