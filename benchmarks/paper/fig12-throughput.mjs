// Figure 12, G3, G6, G16: rows a second in batches of 1000, over all pipelines, by executors. A process a trial; engines take turns.
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { trial } from '../lib/child.mjs';
import { compareOnce } from '../lib/compare-once.mjs';
import { features, NOT_YET } from '../lib/features.mjs';
import { loadable } from '../lib/paper-fleet.mjs';
import { RIVALS } from '../lib/paper-sizes.mjs';
import { kinds } from '../lib/parts.mjs';
import { comparison, goal, isQuick, missing, note, point, scale } from '../lib/report.mjs';
import { spread, summary } from '../lib/stats.mjs';
import { openWorkload } from '../workload/fleets.mjs';

/** @typedef {import('../workload/fleets.mjs').Kind} Kind */

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
  /** @type {Record<string, number[]>} rows a second of every block */
  const blocks = Object.fromEntries(Object.keys(configurations).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, configuration] of Object.entries(configurations)) {
      if (round > 0 && configuration.threads === 'default') continue; // no ratio is made of it
      blocks[name].push(...(await trial(TRIAL, [JSON.stringify({ kind, seconds: SECONDS, ...configuration })])).blocks);
    }
  for (const [series, list] of Object.entries(blocks))
    point({ figure: 'fig12', series, x: kind.toUpperCase(), unit: 'rows/s' }, summary(list));
  compare(kind, blocks, batches);
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
  const { ratio, low, high } = spread(two.map((rows, at) => rows / one[at]));
  goal({
    goal: 'G16',
    part: kind,
    measured: ratio,
    unit: 'times',
    note: `rows a second on 2 executors / 1, blocks ${low.toFixed(2)}-${high.toFixed(2)}`,
  });
}

for (const kind of kinds) await throughput(kind);
if (!features.executors) missing('Figure 12, executors (G16)', NOT_YET);
else if (availableParallelism() < 2) missing('G16', 'this machine has one core');
