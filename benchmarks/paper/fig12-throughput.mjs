// Figure 12, G3, G6, G16: rows a second in batches of 1000, over all pipelines, by executors. A process a trial; engines take turns.
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { trial } from '../lib/child.mjs';
import { compareOnce } from '../lib/compare-once.mjs';
import { features, NOT_YET } from '../lib/features.mjs';
import { loadable } from '../lib/paper-fleet.mjs';
import { RIVALS } from '../lib/paper-sizes.mjs';
import { kinds } from '../lib/parts.mjs';
import { binds, comparison, goal, isQuick, missing, note, point, scale, short } from '../lib/report.mjs';
import { spread, summary } from '../lib/stats.mjs';
import { simplest, treesOfARow } from '../workload/ac-trees.mjs';
import { openWorkload } from '../workload/fleets.mjs';

/** @typedef {import('../workload/fleets.mjs').Kind} Kind */
/** @typedef {{ busy: number, feeder: number, all: number }} Cores that a process kept busy; feeder: the thread that makes the calls, of one */

const TRIAL = new URL('../trials/paper-throughput.mjs', import.meta.url);
const BATCH = 1000;
const SECONDS = isQuick ? 1 : 4;
const ROUNDS = isQuick ? 1 : 3;
/** A dense row of the natural graph takes 4 MB at 1M entries: 1000 of them are more than a machine has. */
const NATURAL_SA_BATCH = scale > 0.1 ? 100 : BATCH;
const TARGETS = { sa: { natural: 300, expert: 20 }, ac: { natural: 10, expert: undefined } };

/** Executors to measure: none (the calling thread) and then as many as there are cores for. */
const EXECUTORS = features.executors
  ? [0, ...Array.from({ length: availableParallelism() }, (_, at) => at + 1)]
  : [undefined];

/** @param {Kind} kind */
function contestants(kind) {
  const fleet = openWorkload(kind);
  const models = loadable(
    statSync(fleet.file(0, 'natural')).size,
    Math.min(RIVALS.throughput[kind], fleet.members.length),
  );
  const files = (/** @type {'natural' | 'expert'} */ form) =>
    Array.from({ length: models }, (_, at) => fleet.file(at, form));
  const batches = { natural: kind === 'sa' ? NATURAL_SA_BATCH : BATCH, expert: BATCH };
  return { fleet, files, batches, models };
}

/** @param {Kind} kind */
async function throughput(kind) {
  const { fleet, files, batches } = contestants(kind);
  note(await compareOnce(fleet, [0]));
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
  // What is left of ours when one pipeline alone is asked, or texts have no words, or pipelines no large forests.
  const own = { engine: 'brezel', packed, executors: EXECUTORS[0], batch: BATCH };
  if (kind === 'ac') configurations[SIMPLE] = { ...own, only: simplest() };
  else Object.assign(configurations, { [ALONE]: { ...own, only: [0] }, [EMPTY]: { ...own, empty: true } });
  /** @type {Record<string, number[]>} rows a second of every block */
  const blocks = Object.fromEntries(Object.keys(configurations).map((name) => [name, []]));
  /** @type {Record<string, Cores[]>} of every trial */
  const cores = Object.fromEntries(Object.keys(configurations).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, configuration] of Object.entries(configurations)) {
      if (round > 0 && configuration.threads === 'default') continue; // no ratio is made of it
      const answer = await trial(TRIAL, [JSON.stringify({ kind, seconds: SECONDS, ...configuration })]);
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

/** What a row takes where less is to be done. @param {Kind} kind @param {'natural' | 'expert'} form @param {Record<string, number[]>} blocks @param {number} batch of the rival */
function batchBinds(kind, form, blocks, batch) {
  const least = TARGETS[kind][form];
  if (least === undefined) return;
  const us = (/** @type {string} */ name) => 1e6 / summary(blocks[name]).median;
  const [whole, theirs] = [us(ourName(EXECUTORS[0])), us(`onnxruntime ${form}, one thread`)];
  const aim = `the target allows ${short(theirs / least)} µs a row; it takes ${short(whole)}`;
  if (kind === 'ac') return binds('G6', 'AC batch of 1000, natural', `${aim}. ${treesTake(us(SIMPLE), whole, theirs)}`);
  const part = form === 'natural' ? `SA batch, natural (its batch: ${batch})` : 'SA batch of 1000, expert';
  binds(
    'G3',
    part,
    `${aim} in turns over all pipelines, whose weights of 4 MB each come from memory, and ${short(us(ALONE))} where one is asked alone. Reading a text without words and ` +
      `making its answer object takes ${short(us(EMPTY))} µs; the rest is cutting the text and some 950 lookups, as of single rows (G2)`,
  );
}

/** What a tree takes on both sides: nearly all of AC is walking trees. @param {number} simple @param {number} ours @param {number} theirs µs a row */
function treesTake(simple, ours, theirs) {
  const trees = treesOfARow();
  const each = (/** @type {number} */ us) => ((us * 1000) / trees).toFixed(1);
  return (
    `Pipelines without featurizer and classifier take ${short(simple)} µs; the others walk trees, ${trees.toFixed(0)} a row on average, of up to 1024 leaves, ` +
    `${each(ours)} ns a tree against ${each(theirs)} of onnxruntime. The target would be ${each(theirs / 10)} ns for ten or more branches, each of which waits for the one before`
  );
}

/** G16: executors and the thread that feeds them share the cores. @param {Kind} kind @param {Record<string, Cores[]>} cores */
function executorsBind(kind, cores) {
  const one = cores[ourName(1)];
  if (one === undefined) return;
  const over = (/** @type {'busy' | 'feeder' | 'all'} */ field) => summary(one.map((some) => some[field])).median;
  const two = summary((cores[ourName(2)] ?? one).map(({ busy }) => busy)).median;
  binds(
    'G16',
    `2 executors / 1, ${kind.toUpperCase()}`,
    `with 1 executor the process already keeps ${over('busy').toFixed(2)} of ${over('all')} cores busy: the executor, and the thread that reads rows and makes ` +
      `answers (${(over('feeder') * 100).toFixed(0)} % of a core); with 2 it is ${two.toFixed(2)}. More than ${over('all')} / ${over('busy').toFixed(2)} = ` +
      `${(over('all') / over('busy')).toFixed(2)} times is not to be had on this machine`,
  );
}

/** @param {number | undefined} executors */
const ourName = (executors) =>
  executors ? `brezel, ${executors} executor${executors === 1 ? '' : 's'}` : 'brezel, calling thread';

/** @param {Kind} kind @param {Record<string, number[]>} blocks @param {Record<string, number>} batches */
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
      ...spread(ours.map((rows, at) => rows / theirs[at])),
      target: isQuick ? undefined : TARGETS[kind][form],
      brief: true,
    });
  }
  const [one, two] = [blocks[ourName(1)], blocks[ourName(2)]];
  if (one === undefined || two === undefined) return;
  const { ratio, low, high, ...range } = spread(two.map((rows, at) => rows / one[at]));
  goal({
    goal: 'G16',
    part: kind,
    measured: ratio,
    unit: 'times',
    ...range,
    note: `rows a second on 2 executors / 1, blocks ${low.toFixed(2)}-${high.toFixed(2)}`,
  });
}

for (const kind of kinds) await throughput(kind);
if (!features.executors) missing('Figure 12, executors (G16)', NOT_YET);
else if (availableParallelism() < 2) missing('G16', 'this machine has one core');
