// Figure 12, goals G3, G6, G16: measures rows per second in batches of 1000, with different numbers
// of executors. Brezel calls all pipelines in turns, and onnxruntime only the first ones (see
// `SESSIONS`). Each trial is a fresh process, and the engines alternate.
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { compareOnce } from '../harness/agreement.mjs';
import { openBrezel, openRival } from '../harness/engines.mjs';
import { loadable } from '../harness/fleet-loading.mjs';
import { kinds } from '../harness/plan.mjs';
import { send, trial } from '../harness/processes.mjs';
import { binds, comparison, goal, isQuick, missing, point, say, scale, short } from '../harness/records.mjs';
import { spread, summary } from '../harness/stats.mjs';
import { acFleet, meanTrees, withoutLargeForests } from '../models/attendee.mjs';
import { openWorkload, rowsOf, SESSIONS, scaled } from '../models/workload.mjs';

/** @typedef {import('../models/workload.mjs').Kind} Kind */
/**
 * @typedef {{ busy: number, feeder: number, all: number }} Cores
 *   `busy` is the number of busy cores of a process. `feeder` is the fraction of a core that the
 *   calling thread uses. `all` is the number of cores of the machine.
 */

const BATCH = 1000;
const SECONDS = isQuick ? 1 : 4;
const ROUNDS = isQuick ? 1 : 3;
/**
 * The batch size of the natural SA graph. With a dictionary of 1M entries, a dense row takes 4 MB,
 * so a batch of 1000 does not fit in memory.
 */
const NATURAL_SA_BATCH = scale > 0.1 ? 100 : BATCH;
const TARGETS = { sa: { natural: 300, expert: 20 }, ac: { natural: 5, expert: undefined } };

/**
 * Numbers of executors to measure: none (the calling thread), then one up to the number of cores.
 */
const EXECUTORS = [0, ...Array.from({ length: availableParallelism() }, (_, index) => index + 1)];

export const experiments = {
  async 'fig12-throughput'() {
    for (const kind of kinds) await throughput(kind);
    if (availableParallelism() < 2) missing('G16', 'this machine has one core');
  },
};

/**
 * Returns the fleet, and the files and batch sizes for as many of its models as fit in memory.
 *
 * @param {Kind} kind
 */
function contestants(kind) {
  const fleet = openWorkload(kind);
  const models = loadable(
    statSync(fleet.file(0, 'natural')).size,
    Math.min(SESSIONS.throughput[kind], fleet.members.length),
  );
  const files = (/** @type {'natural' | 'expert'} */ form) =>
    Array.from({ length: models }, (_, member) => fleet.file(member, form));
  const batches = { natural: kind === 'sa' ? NATURAL_SA_BATCH : BATCH, expert: BATCH };
  return { fleet, files, batches, models };
}

/**
 * Measures the rows per second of batches in all engines, for a fleet.
 *
 * @param {Kind} kind
 */
async function throughput(kind) {
  const { fleet, files, batches } = contestants(kind);
  say(await compareOnce(fleet, [0]));
  const packed = await fleet.packed();
  /** @type {Record<string, Record<string, unknown>>} */
  const configurations = {};
  for (const executors of EXECUTORS)
    configurations[ourName(executors)] = { engine: 'brezel', packed, executors, batch: BATCH };
  for (const form of /** @type {const} */ (['natural', 'expert']))
    for (const threads of ['one', 'default'])
      configurations[`onnxruntime ${form}, ${threads === 'one' ? 'one thread' : 'threads as it likes'}`] = {
        engine: 'onnxruntime',
        files: files(form),
        threads,
        batch: batches[form],
      };
  // Configurations with less work for Brezel: one pipeline alone, texts without words, pipelines
  // without large forests.
  const own = { engine: 'brezel', packed, executors: EXECUTORS[0], batch: BATCH };
  if (kind === 'ac') configurations[SIMPLE] = { ...own, only: withoutLargeForests(acMembers()) };
  else Object.assign(configurations, { [ALONE]: { ...own, only: [0] }, [EMPTY]: { ...own, empty: true } });
  /**
   * Rows per second in each block (a fifth of a trial).
   *
   * @type {Record<string, number[]>}
   */
  const blocks = Object.fromEntries(Object.keys(configurations).map((name) => [name, []]));
  /**
   * Busy cores in each trial.
   *
   * @type {Record<string, Cores[]>}
   */
  const cores = Object.fromEntries(Object.keys(configurations).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, configuration] of Object.entries(configurations)) {
      // one trial is enough, because no ratio uses it
      if (round > 0 && configuration.threads === 'default') continue;
      const answer = await trial(import.meta.url, 'throughput', { kind, seconds: SECONDS, ...configuration });
      blocks[name].push(...answer.blocks);
      cores[name].push(answer.cores);
    }
  for (const [series, list] of Object.entries(blocks))
    point({ figure: 'fig12', series, x: kind.toUpperCase(), unit: 'rows/s' }, summary(list));
  compare(kind, blocks, batches);
  for (const form of /** @type {const} */ (['natural', 'expert'])) batchBinds(kind, form, blocks, batches[form]);
  executorsBind(kind, cores);
}

const ALONE = 'brezel, calling thread, one pipeline alone';
const EMPTY = 'brezel, calling thread, texts without words';
const SIMPLE = 'brezel, calling thread, pipelines without featurizer and classifier';

/**
 * Records likely reasons for missing the goals for batch throughput: G3 for SA, G6 for AC.
 *
 * @param {Kind} kind
 * @param {'natural' | 'expert'} form
 * @param {Record<string, number[]>} blocks
 * @param {number} batch the number of rows in each batch of onnxruntime
 */
function batchBinds(kind, form, blocks, batch) {
  const least = TARGETS[kind][form];
  if (least === undefined) return;
  const us = (/** @type {string} */ name) => 1e6 / summary(blocks[name]).median;
  const [whole, theirs] = [us(ourName(EXECUTORS[0])), us(`onnxruntime ${form}, one thread`)];
  const aim = `the target allows ${short(theirs / least)} µs per row. A row takes ${short(whole)} µs`;
  if (kind === 'ac')
    return binds('G6', 'AC batch of 1000, natural', `${aim}. ${treesTake(us(SIMPLE), whole, theirs, least)}`);
  const part = form === 'natural' ? `SA batch, natural (its batch: ${batch})` : 'SA batch of 1000, expert';
  binds(
    'G3',
    part,
    `${aim} if all pipelines take turns, so that each pipeline reads 4 MB of weights from memory. With one pipeline ` +
      `alone, a row takes ${short(us(ALONE))} µs. Reading a text without words and building its answer takes ` +
      `${short(us(EMPTY))} µs. Splitting the text and about 950 lookups take the remaining time, as for single rows (G2)`,
  );
}

const acMembers = () => acFleet(scaled()).members;

/**
 * Returns sentences about the time per tree in both engines. AC pipelines spend nearly all their
 * time in trees.
 *
 * @param {number} simple
 * @param {number} ours
 * @param {number} theirs µs per row
 * @param {number} target
 */
function treesTake(simple, ours, theirs, target) {
  const trees = meanTrees(acMembers(), scale);
  const each = (/** @type {number} */ us) => ((us * 1000) / trees).toFixed(1);
  return (
    `For pipelines without featurizer and classifier, a row takes ${short(simple)} µs. On average, a row walks ` +
    `${trees.toFixed(0)} trees of up to 1024 leaves. A tree takes ${each(ours)} ns in Brezel and ${each(theirs)} ns in ` +
    `onnxruntime. The target allows ${each(theirs / target)} ns per tree, and a row passes ten or more dependent ` +
    `branches in a tree`
  );
}

/**
 * Records a likely reason for missing goal G16 (the speedup by executors): executors and the
 * calling thread share the cores.
 *
 * @param {Kind} kind
 * @param {Record<string, Cores[]>} cores
 */
function executorsBind(kind, cores) {
  const one = cores[ourName(1)];
  if (one === undefined) return;
  const over = (/** @type {'busy' | 'feeder' | 'all'} */ field) => summary(one.map((some) => some[field])).median;
  const two = summary((cores[ourName(2)] ?? one).map(({ busy }) => busy)).median;
  binds(
    'G16',
    `2 executors / 1, ${kind.toUpperCase()}`,
    `with 1 executor, the process uses ${over('busy').toFixed(2)} of ${over('all')} cores. The thread that reads rows and ` +
      `builds answers uses ${(over('feeder') * 100).toFixed(0)} % of a core, and the executor uses most of the rest. With 2 ` +
      `executors, the process uses ${two.toFixed(2)} cores. More executors can therefore make the process at most ` +
      `${over('all')} / ${over('busy').toFixed(2)} = ${(over('all') / over('busy')).toFixed(2)} times as fast on this machine`,
  );
}

/** @param {number | undefined} executors */
const ourName = (executors) =>
  executors ? `brezel, ${executors} executor${executors === 1 ? '' : 's'}` : 'brezel, calling thread';

/**
 * Records how many times as fast Brezel is as onnxruntime.
 *
 * @param {Kind} kind
 * @param {Record<string, number[]>} blocks
 * @param {Record<string, number>} batches
 */
function compare(kind, blocks, batches) {
  const ours = blocks[ourName(EXECUTORS[0])];
  for (const form of /** @type {const} */ (['natural', 'expert'])) {
    const theirs = blocks[`onnxruntime ${form}, one thread`];
    comparison({
      goal: kind === 'sa' ? 'G3' : 'G6',
      part: `batch ${form}`,
      figure: 'fig12',
      what: `${kind.toUpperCase()} in batches of ${BATCH}${batches[form] === BATCH ? '' : ` (rival: ${batches[form]})`}, one thread each`,
      rival: `${form} graph`,
      unit: 'rows/s',
      ours: summary(ours).median,
      theirs: summary(theirs).median,
      ...spread(ours.map((rows, block) => rows / theirs[block])),
      target: isQuick ? undefined : TARGETS[kind][form],
      brief: true,
    });
  }
  const [one, two] = [blocks[ourName(1)], blocks[ourName(2)]];
  if (one === undefined || two === undefined) return;
  const { ratio, low, high, ...range } = spread(two.map((rows, block) => rows / one[block]));
  goal({
    goal: 'G16',
    part: kind,
    measured: ratio,
    unit: 'times',
    ...range,
    note: `rows per second with 2 executors / 1, blocks ${low.toFixed(2)}-${high.toFixed(2)}`,
  });
}

/**
 * @typedef {object} Parameters
 * @property {'brezel' | 'onnxruntime'} engine
 * @property {Kind} kind
 * @property {string} packed fleet file
 * @property {string[]} files
 * @property {'one' | 'default'} threads
 * @property {number} [executors]
 * @property {number} batch rows
 * @property {number} seconds
 * @property {readonly number[]} [only] pipelines to call
 * @property {boolean} [empty] texts without words
 */

export const trials = {
  /**
   * Loads pipelines, and then sends batches to one pipeline after another for some seconds.
   * Measures rows per second.
   *
   * @param {Parameters} parameters
   */
  async throughput(parameters) {
    const { engine, kind, executors, batch, seconds, only, empty } = parameters;
    const rows = empty ? new Array(batch).fill('') : rowsOf(kind, batch, 12);
    const { call, close, models } = await (engine === 'brezel' ? ours(parameters, rows) : theirs(parameters, rows));
    const pipelines = only ?? [...new Array(models).keys()];
    /**
     * The number of batches in flight. There are two for each executor, so that executors have work
     * while the calling thread reads the next batch.
     */
    const open = executors ? 2 * executors : 1;
    const block = async (/** @type {number} */ ms) => {
      const start = performance.now();
      let answered = 0;
      let next = 0;
      const caller = async () => {
        while (performance.now() - start < ms) {
          await call(pipelines[next++ % pipelines.length]);
          answered += rows.length;
        }
      };
      await Promise.all(Array.from({ length: open }, caller));
      return (answered * 1000) / (performance.now() - start);
    };
    await block(seconds * 300); // warm-up
    const blocks = [];
    const [start, cpu, loop] = [performance.now(), process.cpuUsage(), performance.eventLoopUtilization()];
    for (let index = 0; index < 5; index++) blocks.push(await block(seconds * 200));
    const spent = process.cpuUsage(cpu);
    const cores = {
      busy: (spent.user + spent.system) / 1000 / (performance.now() - start),
      feeder: performance.eventLoopUtilization(loop).utilization,
      all: availableParallelism(),
    };
    await send({ blocks, models: pipelines.length, cores });
    await close();
  },
};

/**
 * Opens Brezel. Its calls create answer objects, as users receive them.
 *
 * @param {Parameters} parameters
 * @param {readonly any[]} rows
 */
async function ours({ packed, executors }, rows) {
  const { runtime, plans, open, close } = await openBrezel({ runtime: executors === undefined ? {} : { executors } });
  await open(packed, { verify: false, prefault: true });
  const call = (/** @type {number} */ model) => runtime.predictBatch(plans[model], rows);
  return { call, close, models: plans.length };
}

/**
 * Opens onnxruntime. Its calls take tensors that were created before the clock starts, and return
 * tensors.
 *
 * @param {Parameters} parameters
 * @param {readonly any[]} rows
 */
async function theirs({ kind, files, threads }, rows) {
  const { feed, run, load, close } = await openRival(kind, { threads });
  for (const file of files) await load(file);
  const tensors = feed(rows);
  return { call: (/** @type {number} */ model) => run(model, tensors), close, models: files.length };
}
