// The paper's experiments in the order of a whole run: what goals wait for comes first. Each part is a process of its own, and can be repeated alone.

/** @typedef {{ name: string, part?: string, minutes: number, processes?: number }} Unit minutes of the whole workload on two quiet cores; processes: runs of what is a race in one process */

/** @type {readonly Unit[]} */
export const units = [
  { name: 'fig9-latency', part: 'ac', minutes: 1 },
  { name: 'fig9-latency', part: 'sa', minutes: 2 },
  { name: 'fig8-memory', part: 'sa', minutes: 5 },
  { name: 'fig8-memory', part: 'ac', minutes: 5 },
  { name: 'fig12-throughput', part: 'ac', minutes: 3 },
  { name: 'fig13-heavy', part: 'reservation', minutes: 3 },
  { name: 'stall', part: 'sa', minutes: 1 },
  { name: 'stall', part: 'ac', minutes: 1 },
  { name: 'start', part: 'sa', minutes: 1 },
  { name: 'fig12-throughput', part: 'sa', minutes: 3 },
  { name: 'fig13-heavy', part: 'load', minutes: 3 },
  { name: 'fig11-http', part: 'sa', minutes: 2 },
  { name: 'fig11-http', part: 'ac', minutes: 2 },
  { name: 'fig14-http-heavy', minutes: 5 },
  { name: 'fig10-materialization', minutes: 1, processes: 3 },
  { name: 'start', part: 'ac', minutes: 1 },
  { name: 'events', minutes: 1, processes: 3 },
];

/** Making the models and packing the fleets, both kinds at once. */
export const PREPARE_MINUTES = 5;

/** As people name it: `fig8-memory:sa`. @param {{ name: string, part?: string }} unit */
export const unitName = ({ name, part }) => (part === undefined ? name : `${name}:${part}`);

/** Units that a name means: a whole experiment, or a part of one. @param {string} name */
export const unitsOf = (name) => units.filter((unit) => unit.name === name || unitName(unit) === name);

/** Whether a record was written by a unit. @param {Record<string, any>} record @param {Unit} unit */
const isOf = ({ bench, of }, { name, part }) => bench === name && of === part;

/** @param {readonly Record<string, any>[]} records @returns {Unit[]} those that came to their end */
export const finished = (records) =>
  units.filter((unit) => records.some((record) => record.kind === 'done' && isOf(record, unit)));

/** What is to be kept of an interrupted run: the machine, and the records of units that came to their end. @param {readonly Record<string, any>[]} records */
export function whole(records) {
  const done = finished(records);
  return records.filter((record) => record.kind === 'machine' || done.some((unit) => isOf(record, unit)));
}

/**
 * What is to be run, in order; those that would begin after the time is over are put off.
 *
 * @param {readonly string[]} names none: all
 * @param {{ done?: readonly Unit[], minutes?: number }} [options]
 * @returns {{ now: Unit[], later: Unit[] }}
 */
export function planned(names, { done = [], minutes = Number.POSITIVE_INFINITY } = {}) {
  const wanted =
    names.length === 0 ? units : units.filter((unit) => names.some((name) => unitsOf(name).includes(unit)));
  const [now, later] = [[], []].map((list) => /** @type {Unit[]} */ (list));
  let sum = 0;
  for (const unit of wanted.filter((one) => !done.includes(one))) {
    const fits = sum + unit.minutes <= minutes;
    if (fits) sum += unit.minutes;
    (fits ? now : later).push(unit);
  }
  return { now, later };
}
