import { scale } from '../harness/records.mjs';

// Sets how much of the paper's workload the experiments use. `--scale` shrinks the workload, and
// onnxruntime loads only some pipelines.

/** @typedef {import('./fleets.mjs').Kind} Kind */
/** @typedef {import('./fleets.mjs').Fleet} Fleet */

/** Number of pipelines of each fleet in the paper. */
const PIPELINES = 250;
const FEWEST = 10;
/** Number of entries of the largest dictionaries (Table 1). */
const ENTRIES = 1_000_000;

/**
 * Shrinks pipelines, dictionaries and trees by one factor.
 *
 * @param {number} [share] @returns {{ share: number, pipelines: number, entries: number }}
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
 * The maximal number of onnxruntime sessions. A natural graph with 1M entries takes 1 s to load and
 * 300 MB. So the memory and load time of 250 graphs are extrapolated from some, and the record says
 * so. Latency and throughput use the same few pipelines in both engines.
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

/** Returns evenly spread pipelines, for latencies. @param {Fleet} fleet */
export function spreadMembers({ kind, members }) {
  const count = Math.min(SESSIONS.latency[kind], members.length);
  return Array.from({ length: count }, (_, index) => Math.floor((index * members.length) / count));
}

/** Returns how many pipelines have ONNX files in both forms. @param {Kind} kind */
const firstMembers = (kind) => {
  const { memory, http, throughput, load } = SESSIONS;
  return Math.max(memory[kind], http[kind], throughput[kind], kind === 'sa' ? FAMILY : load.ac);
};

/**
 * Returns the pipelines whose ONNX files the experiments open. @param {Fleet} fleet @returns
 * {number[]}
 */
export function membersWithFiles(fleet) {
  const first = Math.min(firstMembers(fleet.kind), fleet.members.length);
  const middle = Math.floor(fleet.members.length / 2);
  return [...new Set([...Array(first).keys(), middle, ...spreadMembers(fleet), fleet.members.length - 1])];
}
