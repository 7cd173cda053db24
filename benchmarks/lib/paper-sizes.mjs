// How much of the rival the experiments load, and what files they want for that. Brezel always has the whole fleet.

/** @typedef {import('../workload/fleets.mjs').Kind} Kind */
/** @typedef {import('../workload/fleets.mjs').Fleet} Fleet */

/**
 * Sessions at most. A natural graph of 1M entries takes a second to load and 300 MB: the memory and load time of 250 are counted from some (the record
 * says so), latencies and throughput are of the same few pipelines on both sides.
 */
export const RIVALS = {
  memory: { sa: 12, ac: 80 },
  latency: { sa: 16, ac: 40 },
  http: { sa: 4, ac: 40 },
  throughput: { sa: 4, ac: 40 },
  load: { ac: 80 },
};

/** Pipelines that share nothing with each other. */
export const UNSHARED = 12;
/** A family, for figure 10. */
export const FAMILY = 16;

/** Members for latencies, evenly spread. @param {Fleet} fleet */
export function spreadMembers({ kind, members }) {
  const count = Math.min(RIVALS.latency[kind], members.length);
  return Array.from({ length: count }, (_, at) => Math.floor((at * members.length) / count));
}

/** The first members of which there are files in both forms. @param {Kind} kind */
const firstMembers = (kind) =>
  Math.max(RIVALS.memory[kind], RIVALS.http[kind], RIVALS.throughput[kind], kind === 'sa' ? FAMILY : RIVALS.load.ac);

/** Whose files experiments ask for. @param {Fleet} fleet @returns {number[]} */
export function membersWithFiles(fleet) {
  const first = Math.min(firstMembers(fleet.kind), fleet.members.length);
  const middle = Math.floor(fleet.members.length / 2);
  return [...new Set([...Array(first).keys(), middle, ...spreadMembers(fleet), fleet.members.length - 1])];
}
