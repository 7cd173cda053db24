import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { send } from '../harness/processes.mjs';
import { scale } from '../harness/records.mjs';
import { acFleet, acRows, FEATURES, partsMaker } from './attendee.mjs';
import { expertAc, naturalAc } from './attendee-onnx.mjs';
import { cached, folderOf, packedFile, sources } from './files.mjs';
import { oddTexts, reviews } from './reviews.mjs';
import { saFleet } from './sentiment-fleet.mjs';

// The paper's workload: two fleets of pipelines as files, their rows, and how much of the workload
// the experiments use. Files are generated on first use and cached in the temporary folder.

/**
 * The pipelines of the paper: sentiment analysis (SA), or attendee count (AC).
 *
 * @typedef {'sa' | 'ac'} Kind
 */
/**
 * The graph of an ONNX model: as exporters write it, or the fastest graph written by hand.
 *
 * @typedef {'natural' | 'expert'} Form
 */
/**
 * @typedef {object} Fleet
 * @property {Kind} kind
 * @property {readonly { name: string }[]} members
 * @property {(member: number, form: Form) => Uint8Array} model generates an ONNX model
 * @property {(member: number, form: Form) => string} file path of an ONNX file
 * @property {(count?: number, onMember?: (count: number) => void) => Promise<string>} packed path
 * of a fleet file with the first members
 */

/** Number of pipelines of each fleet in the paper. */
const PIPELINES = 250;
const FEWEST = 10;
/** Number of entries of the largest dictionaries (Table 1). */
const ENTRIES = 1_000_000;

/**
 * Returns the size of the workload at a fraction of the paper's size: the number of pipelines,
 * dictionary entries and tree nodes.
 *
 * @param {number} [share]
 * @returns {{ share: number, pipelines: number, entries: number }}
 */
export function scaled(share = scale) {
  if (!(share > 0 && share <= 1)) throw new RangeError(`--scale: expected a number in (0, 1], received ${share}`);
  return {
    share,
    pipelines: Math.max(FEWEST, Math.round(PIPELINES * share)),
    entries: Math.round(ENTRIES * share),
  };
}

/**
 * The maximal number of onnxruntime sessions, for each measurement and each fleet. One `natural`
 * graph (as exporters write it) with 1M entries takes 1 s to load and occupies 300 MB. Therefore
 * only this many sessions are loaded. Memory and load time are extrapolated to all 250 pipelines,
 * and their records mention it. Latency is compared for the same few pipelines in both engines. For
 * throughput, Brezel calls all 250 pipelines in turns, and onnxruntime only the loaded ones.
 */
export const SESSIONS = {
  memory: { sa: 12, ac: 80 },
  latency: { sa: 16, ac: 40 },
  http: { sa: 4, ac: 40 },
  throughput: { sa: 4, ac: 40 },
  load: { ac: 80 },
};

/** Number of pipelines in the experiment without sharing. */
export const UNSHARED = 12;
/** Number of pipelines in the experiment with shared stages (Figure 10). */
export const FAMILY = 16;

/**
 * Returns the indices of the pipelines whose latency is measured, spread evenly over the fleet.
 * @param {Fleet} fleet
 */
export function spreadMembers({ kind, members }) {
  const count = Math.min(SESSIONS.latency[kind], members.length);
  return Array.from({ length: count }, (_, index) => Math.floor((index * members.length) / count));
}

/**
 * Returns how many pipelines, counted from the first one, need ONNX files in both forms.
 *
 * @param {Kind} kind
 */
const firstMembers = (kind) => {
  const { memory, http, throughput, load } = SESSIONS;
  return Math.max(memory[kind], http[kind], throughput[kind], kind === 'sa' ? FAMILY : load.ac);
};

/**
 * Returns the indices of the pipelines whose ONNX files the experiments open.
 *
 * @param {Fleet} fleet
 * @returns {number[]}
 */
function membersWithFiles(fleet) {
  const first = Math.min(firstMembers(fleet.kind), fleet.members.length);
  const middle = Math.floor(fleet.members.length / 2);
  return [...new Set([...Array(first).keys(), middle, ...spreadMembers(fleet), fleet.members.length - 1])];
}

/**
 * The source files that determine the bytes of the models. If one of them changes, the models go to
 * a new cache folder.
 */
const generators = ['sentiment-fleet', 'attendee', 'attendee-onnx'];
const folder = folderOf([...sources, ...generators.map((name) => new URL(`${name}.mjs`, import.meta.url))]);

/**
 * Opens a fleet of the paper's workload. A file is generated when it is requested.
 *
 * @param {Kind} kind
 * @param {{ share?: number, pipelines?: number, entries?: number, seed?: number, shared?: boolean
 * }} [options]
 *   the default of `share` is `--scale`; `pipelines` and `entries` (of SA) override it
 * @returns {Fleet}
 */
export function openWorkload(kind, options = {}) {
  const { share, pipelines, entries } = { ...scaled(options.share), ...withoutUndefined(options) };
  const { seed = 1, shared = true } = options;
  const { members, model } =
    kind === 'sa' ? saFleet({ pipelines, entries, seed, shared }) : acModels({ pipelines, share, seed, shared });
  const size = kind === 'sa' ? entries : share;
  const prefix = `${kind}-${pipelines}-${size}-${seed}${shared ? '' : '-unshared'}`;
  const modelOf = (/** @type {number} */ member, /** @type {Form} */ form) =>
    model(/** @type {any} */ (members[member]), form);
  const nameOf = (/** @type {number} */ member, /** @type {Form} */ form) => `${prefix}-${member}-${form}.onnx`;
  return {
    kind,
    members,
    model: modelOf,
    file: (member, form) => cached(nameOf(member, form), () => modelOf(member, form), folder),
    packed: (count = members.length, onMember = () => {}) =>
      packedFile(
        `${prefix}-${count}`,
        members.slice(0, count).map(({ name }) => ({ name, rows: [] })),
        (member) => {
          onMember(member);
          const path = join(folder, nameOf(member, 'natural'));
          return existsSync(path) ? readFileSync(path) : modelOf(member, 'natural');
        },
        folder,
      ),
  };
}

/** @param {Record<string, unknown>} options */
const withoutUndefined = (options) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/**
 * Returns the members of an AC fleet, and a function that generates their ONNX models.
 *
 * @param {{ pipelines: number, share: number, seed: number, shared: boolean }} options
 */
function acModels(options) {
  const fleet = acFleet(options);
  const partsOf = partsMaker(fleet);
  return {
    members: fleet.members,
    model: (/** @type {import('./attendee.mjs').AcMember} */ member, /** @type {Form} */ form) =>
      (form === 'natural' ? naturalAc : expertAc)(partsOf(member)),
  };
}

/**
 * A text for SA, or the features for AC.
 *
 * @typedef {string | { x: ArrayLike<number> }} Row
 */

/**
 * Generates rows. Each `stream` has different rows.
 *
 * @param {Kind} kind
 * @param {number} count
 * @param {number} [stream]
 * @returns {Row[]}
 */
export function rowsOf(kind, count, stream = 1) {
  return kind === 'sa' ? reviews(count, stream) : vectors(count, stream);
}

/**
 * Returns texts for comparing answers: half are reviews, and half are unusual texts of every
 * script.
 * @param {number} count
 */
export const agreementTexts = (count) => [...reviews(Math.ceil(count / 2), 9), ...oddTexts(Math.floor(count / 2))];

/**
 * Returns the rows on which the answers of engines are compared, including unusual texts.
 *
 * @param {Kind} kind
 * @param {number} count
 * @returns {Row[]}
 */
export const agreementRows = (kind, count) => (kind === 'sa' ? agreementTexts(count) : vectors(count, 9));

/**
 * Generates rows of an AC pipeline.
 *
 * @param {number} count
 * @param {number} stream
 */
function vectors(count, stream) {
  const values = acRows(count, stream);
  return Array.from({ length: count }, (_, row) => ({ x: values.slice(row * FEATURES, (row + 1) * FEATURES) }));
}

const EVERY_MS = 10_000;

export const trials = {
  /**
   * Generates all files of one fleet before experiments run. No experiment then waits for a file or
   * runs at the same time as a generator.
   *
   * @param {{ kind: Kind }} parameters
   */
  async generate({ kind }) {
    const start = performance.now();
    const seconds = () => `${((performance.now() - start) / 1000).toFixed(0)} s`;
    let printed = start;
    const progress = (/** @type {string} */ what, /** @type {number} */ count, /** @type {number} */ of) => {
      if (performance.now() - printed < EVERY_MS) return;
      printed = performance.now();
      console.log(`  ${kind}: ${what}, ${count} of ${of} (${seconds()})`);
    };
    const fleet = openWorkload(kind);
    const files = filesOf(fleet);
    files.forEach((make, index) => {
      make();
      progress('models generated', index + 1, files.length);
    });
    await fleet.packed(1);
    await fleet.packed(undefined, (packed) => progress('models packed', packed, fleet.members.length));
    console.log(`  ${kind}: all files exist (${seconds()})`);
    await send({ files: files.length });
  },
};

/**
 * Returns functions that generate the ONNX files of a fleet, and the files of other fleets that
 * experiments compare with it.
 *
 * @param {Fleet} fleet
 * @returns {(() => string)[]}
 */
function filesOf(fleet) {
  const unshared = openWorkload(fleet.kind, { shared: false });
  const other = openWorkload(fleet.kind, { seed: 2 });
  const count = Math.min(UNSHARED, fleet.members.length);
  return [
    ...membersWithFiles(fleet).flatMap((member) => [
      () => fleet.file(member, 'natural'),
      () => fleet.file(member, 'expert'),
    ]),
    ...Array.from({ length: count }, (_, index) => () => unshared.file(index, 'natural')),
    () => other.file(0, 'natural'),
    () => other.file(0, 'expert'),
  ];
}
