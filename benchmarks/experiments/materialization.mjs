// Figure 10, goal G18: SA pipelines of a family receive the same text. Compares them with and
// without materialization (cached results of shared stages).
import { openBrezel } from '../harness/engines.mjs';
import { interleave, timesFaster } from '../harness/loops.mjs';
import { binds, comparison, isQuick, measure, point, short } from '../harness/records.mjs';
import { FAMILY, openWorkload, rowsOf } from '../models/workload.mjs';

const ROUNDS = isQuick ? 4 : 40;
const TEXTS = 500;
const OTHER_TEXTS = 5000;
const BLOCK_ROWS = 200;

/** @typedef {Awaited<ReturnType<typeof loaded>>} Server */

export const experiments = {
  async 'fig10-materialization'() {
    const rows = rowsOf('sa', TEXTS);
    const [cached, none] = [await loaded(undefined), await loaded(false)];
    mustBeEqual(cached, none, rows);
    const same = await race('the same text over all plans', everyPlan(cached, rows), everyPlan(none, rows));
    const other = rowsOf('sa', OTHER_TEXTS, 5);
    const onePlan = (/** @type {Server} */ server) => (/** @type {number} */ index) =>
      server.one(index % server.plans.length, other[index % OTHER_TEXTS]);
    const different = await race('a text for one plan only', onePlan(cached), onePlan(none));
    report(cached.plans.length, 'same text', same);
    report(cached.plans.length, 'other texts', different);
    const alone = await race(
      'one plan, the same text again and again',
      () => cached.one(0, rows[0]),
      () => none.one(0, rows[0]),
    );
    materializationBinds(cached.plans.length, same, alone);
    await blocks(cached, none);
    await perPipeline(cached, none, rows);
  },
};

/**
 * Opens Brezel and loads the first `FAMILY` sentiment pipelines (workload SA).
 *
 * @param {false | undefined} materialization undefined means on
 */
async function loaded(materialization) {
  const fleet = openWorkload('sa');
  const server = await openBrezel({ runtime: { materialization } });
  for (let member = 0; member < Math.min(FAMILY, fleet.members.length); member++)
    await server.load(fleet.file(member, 'natural'));
  return server;
}

/**
 * Returns a function that calls every plan with one text.
 *
 * @param {Server} server
 * @param {readonly any[]} rows
 * @returns {(index: number) => void}
 */
const everyPlan = (server, rows) => (index) => {
  for (let model = 0; model < server.plans.length; model++) server.one(model, rows[index % rows.length]);
};

/**
 * Throws if an answer differs between the server with materialization and the server without it.
 *
 * @param {Server} cached
 * @param {Server} none
 * @param {readonly any[]} rows
 */
function mustBeEqual(cached, none, rows) {
  for (const row of rows.slice(0, 100)) {
    for (const model of cached.plans.keys()) {
      const [received, expected] = [JSON.stringify(cached.one(model, row)), JSON.stringify(none.one(model, row))];
      if (received !== expected)
        throw new Error(`model ${model}: expected ${expected} (no materialization), received ${received}`);
    }
  }
}

/**
 * Compares calls with and without cached results.
 *
 * @param {string} what
 * @param {(index: number) => unknown} cached
 * @param {(index: number) => unknown} none
 */
async function race(what, cached, none) {
  const times = await interleave(
    [
      { name: 'cached', calls: 50, call: cached },
      { name: 'none', calls: 50, call: none },
    ],
    { rounds: ROUNDS },
  );
  for (const [name, one] of Object.entries(times)) measure(`${what}: ${name}`, 'µs', one);
  return { ...timesFaster(times.none, times.cached), ours: times.cached.median, theirs: times.none.median };
}

/** @typedef {Awaited<ReturnType<typeof race>>} Race */

/**
 * Records how many times as fast the plans are with materialization (goal G18).
 *
 * @param {number} plans
 * @param {'same text' | 'other texts'} x
 * @param {Race} race
 */
function report(plans, x, { ratio, low, high, min, max, ours, theirs }) {
  point(
    { figure: 'fig10', series: 'without / with materialization', x, unit: 'times' },
    { median: ratio, min: low, max: high, expected: { min, max } },
  );
  comparison({
    goal: 'G18',
    part: x,
    figure: 'fig10',
    what: `${plans} SA pipelines, ${x}, kept results`,
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

/**
 * Records likely reasons for missing goal G18 (materialization).
 *
 * @param {number} plans
 * @param {Race} same
 * @param {Race} alone
 */
function materializationBinds(plans, same, alone) {
  binds(
    'G18',
    'SA fleet, the same text over many plans',
    `${plans} plans take ${short(same.ours)} µs with materialization and ${short(same.theirs)} µs without. One plan with ` +
      `one repeated text takes ${short(alone.ours)} µs, so ${plans} plans take at least ${short(plans * alone.ours)} µs: ` +
      `shared results are looked up, each plan's own part is computed`,
  );
}

/**
 * Compares batches: each round sends a new block of texts to every plan, or a block to one plan
 * only. The answers must be equal.
 *
 * @param {Server} cached
 * @param {Server} none
 */
async function blocks(cached, none) {
  const plans = cached.plans.length;
  const [rounds, calls] = [isQuick ? 2 : 12, 4];
  const texts = [9, 10].map((seed) => rowsOf('sa', (rounds + 1) * calls * BLOCK_ROWS, seed));
  const block = (/** @type {number} */ list, /** @type {number} */ index) =>
    texts[list].slice(index * BLOCK_ROWS, (index + 1) * BLOCK_ROWS);
  const everyPlan = async (/** @type {Server} */ server, /** @type {number} */ index) => {
    const answers = [];
    for (let model = 0; model < plans; model++) answers.push(await server.many(model, block(0, index)));
    return answers;
  };
  const [received, expected] = [await everyPlan(cached, 0), await everyPlan(none, 0)];
  if (JSON.stringify(received) !== JSON.stringify(expected))
    throw new Error('the batch answers differ with and without materialization');
  const onePlan = (/** @type {Server} */ server, /** @type {number} */ index) =>
    server.many(index % plans, block(1, index));
  for (const [what, call] of /** @type {const} */ ([
    [`${BLOCK_ROWS} texts over all plans`, everyPlan],
    [`${BLOCK_ROWS} texts for one plan only`, onePlan],
  ])) {
    const times = await interleave(
      [
        { name: 'cached', calls, isAsync: true, call: (index) => call(cached, index) },
        { name: 'none', calls, isAsync: true, call: (index) => call(none, index) },
      ],
      { rounds },
    );
    const { ratio, low, high, min, max } = timesFaster(times.none, times.cached);
    point(
      { figure: 'fig10', series: 'batches: without / with materialization', x: what, unit: 'times' },
      { median: ratio, min: low, max: high, expected: { min, max } },
    );
  }
}

/**
 * Measures the speedup of each pipeline on texts that the other pipelines have just answered
 * (Figure 10 of the paper).
 *
 * @param {Server} cached
 * @param {Server} none
 * @param {readonly any[]} rows
 */
async function perPipeline(cached, none, rows) {
  for (const model of cached.plans.keys()) {
    for (const row of rows) for (const other of cached.plans.keys()) if (other !== model) cached.one(other, row);
    const times = await interleave(
      [
        { name: 'cached', calls: 50, call: (index) => cached.one(model, rows[index % rows.length]) },
        { name: 'none', calls: 50, call: (index) => none.one(model, rows[index % rows.length]) },
      ],
      { rounds: isQuick ? 4 : 10 },
    );
    const { ratio, low, high, min, max } = timesFaster(times.none, times.cached);
    point(
      { figure: 'fig10', series: 'speedup a pipeline', x: model, unit: 'times' },
      { median: ratio, min: low, max: high, expected: { min, max } },
    );
  }
}
