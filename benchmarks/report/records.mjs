// The records of a results file: their types, the metrics among them, and groups of records. A file
// may contain only some experiments.

/**
 * @typedef {{ figure: string, series: string, x: string | number, xUnit?: string, unit: string,
 * median: number, p99?: number, min?: number, max?: number }} Point
 *   A measured point of a figure: the values of the curve `series` at `x`.
 */
/**
 * @typedef {{ goal: string, part?: string, figure?: string, what: string, rival: string, unit:
 * string, ours: number, theirs: number, ratio: number, low?: number, high?: number, min?: number,
 * max?: number, target?: number, brief?: boolean, run?: string }} Comparison
 *   A comparison of Brezel (`ours`) with a rival (`theirs`). A `ratio` above 1 means that Brezel is
 *   better. `run` describes the machine, the build and the date of the run.
 */
/**
 * @typedef {{ goal: string, part?: string, target: string, measured: number | string | null, unit:
 * string, met: boolean | null, command: string, note?: string }} Goal
 *   One part of a goal: its target, its measured value, and the command that measures it.
 */
/**
 * A property of both engines that is a text, such as the installed size.
 *
 * @typedef {{ what: string, ours: string, theirs: string, run?: string }} Fact
 */
/**
 * A description of the machine and the build of a run.
 *
 * @typedef {Record<string, any>} Machine
 */
/**
 * @typedef {{ machines: Machine[], points: Point[], comparisons: Comparison[], facts: Fact[],
 * missing: { bench: string, what: string, why: string }[], goals: Goal[] |
 * undefined, again?: import('./second-run.mjs').SecondRun }} Records
 */

/**
 * A line of a results file.
 *
 * @typedef {Record<string, any>} BenchRecord
 */
/** @typedef {import('../harness/stats.mjs').Range} Range */

const KINDS = ['comparison', 'goal', 'point'];

/**
 * Returns the measured value of a record.
 *
 * @param {BenchRecord} record
 */
export const measuredOf = ({ kind, ratio, measured, median }) =>
  ({ comparison: ratio, goal: measured, point: median })[/** @type {'point'} */ (kind)];

/**
 * Returns the range in which the value of another run is expected, or undefined if it is unknown.
 *
 * @param {BenchRecord} record
 * @returns {Range | undefined}
 */
export function rangeOf({ min, max, expected }) {
  if (Number.isFinite(expected?.min)) return expected;
  return Number.isFinite(min) && Number.isFinite(max) && min < max ? { min, max } : undefined;
}

/**
 * Returns the fields that identify a metric, as a key.
 *
 * @param {BenchRecord} record
 */
const keyOf = ({ bench, kind, goal, part, figure, series, x, xUnit, what, rival }) =>
  kind === 'point'
    ? [bench, kind, figure, series, x, xUnit].join('|')
    : [bench, kind, goal, ...(kind === 'goal' ? [part] : [what, rival])].join('|');

/**
 * Returns the metrics among the records as a map by key. A number at the end of a key distinguishes
 * records whose keys would otherwise be equal.
 *
 * @param {readonly BenchRecord[]} records
 */
export function named(records) {
  /** @type {Map<string, BenchRecord>} */
  const all = new Map();
  for (const record of records.filter(({ kind }) => KINDS.includes(kind))) {
    let copy = 0;
    while (all.has(`${keyOf(record)}|${copy}`)) copy++;
    all.set(`${keyOf(record)}|${copy}`, record);
  }
  return all;
}

/**
 * Returns why two runs cannot be compared, or undefined if they ran on equal machines.
 *
 * @param {BenchRecord} one
 * @param {BenchRecord} other
 * @returns {string | undefined} why the runs cannot be compared
 */
export function incomparable(one, other) {
  const field = ['cpu', 'cores', 'node', 'isa', 'rival', 'scale'].find((name) => one[name] !== other[name]);
  return field && `${field} is ${one[field]} in one run and ${other[field]} in the other`;
}

/**
 * Groups items by key.
 *
 * @template T
 * @param {readonly T[]} list
 * @param {(one: T) => string} key
 * @returns {Map<string, T[]>} in order of first occurrence
 */
export function groupBy(list, key) {
  /** @type {Map<string, T[]>} */
  const groups = new Map();
  for (const one of list) groups.set(key(one), [...(groups.get(key(one)) ?? []), one]);
  return groups;
}

/**
 * Returns the name of a part of a goal.
 *
 * @param {Goal} goal
 */
export const goalName = ({ goal, part }) => (part === undefined || part === '' ? goal : `${goal} ${part}`);

/**
 * Returns how many pipelines the rival loaded; undefined if it loaded all.
 *
 * @param {Comparison} record
 */
export const loadedByRival = ({ what }) => /rival, (\d+) loaded/.exec(what)?.[1];

/**
 * Returns the batch size of the rival; undefined if it equals Brezel's.
 *
 * @param {Comparison} record
 */
export const batchOfRival = ({ what }) => /\(rival: (\d+)\)/.exec(what)?.[1];

/**
 * Returns the section of a figure: `fig9` for `fig9-ablations`.
 * @param {string | undefined} figure
 */
export const sectionOf = (figure) => figure?.split('-')[0] ?? '';

// Metrics belong to kinds of measurements. Metrics of one kind differ between runs for the same
// reasons, and therefore by similar amounts.

/**
 * Rates above this fraction of a series' highest rate are near the capacity of the server. Near the
 * capacity, queues grow randomly, and most of the latency is waiting time.
 */
const NEAR_CAPACITY = 0.5;

/**
 * Returns whether a metric is a p99, or a ratio of two p99s.
 *
 * @param {BenchRecord} record
 */
const isTail = ({ goal, what = '' }) => goal === 'G7' || goal === 'G17' || what.includes('p99');

/**
 * Returns the kind of measurement for a metric of single predictions.
 *
 * @param {BenchRecord} record
 */
function callKind(record) {
  if (record.figure === 'fig9-worst') return 'worst call';
  if (isTail(record)) return 'tail';
  return record.goal === 'G10' || String(record.x).includes('cold') ? 'first call' : 'hot call';
}

/**
 * Returns the kind of measurement for a metric of servers under load. Every comparison is near
 * capacity, because it compares the highest rates.
 *
 * @param {BenchRecord} record
 * @param {(record: BenchRecord) => boolean} isNear
 */
function loadKind(record, isNear) {
  if (isTail(record)) return 'tail';
  const what = record.figure.includes('throughput') ? 'answered rate' : 'request';
  return record.kind === 'comparison' || isNear(record) ? `${what} near capacity` : what;
}

/**
 * @type {Record<string, (record: BenchRecord, isNear: (record: BenchRecord) => boolean) => string>}
 */
const kindOf = {
  'fig8-memory': ({ unit, goal }) => (unit === 'MiB' || goal === 'G15' ? 'memory' : 'load time'),
  'fig9-latency': callKind,
  'fig10-materialization': () => 'hot call',
  'fig11-http': (record) => (isTail(record) ? 'tail' : 'request'),
  'fig12-throughput': () => 'batch rate',
  'fig13-heavy': loadKind,
  'fig14-http-heavy': loadKind,
  events: () => 'event',
  stall: () => 'stall',
  start: () => 'process start',
};

/**
 * Returns a function that maps a metric of a run to its kind of measurement. Each experiment
 * without an entry in `kindOf` is a separate kind.
 *
 * @param {readonly BenchRecord[]} records
 */
export function kindsIn(records) {
  /**
   * The highest rate of each series, which is about the server's capacity.
   *
   * @type {Map<string, number>}
   */
  const highest = new Map();
  const seriesOf = (/** @type {BenchRecord} */ { bench, series }) => `${bench}|${series}`;
  for (const record of records)
    if (record.xUnit === 'requests/s')
      highest.set(seriesOf(record), Math.max(record.x, highest.get(seriesOf(record)) ?? 0));
  const isNear = (/** @type {BenchRecord} */ record) =>
    record.x >= NEAR_CAPACITY * (highest.get(seriesOf(record)) ?? Number.NaN);
  return (/** @type {BenchRecord} */ record) => kindOf[record.bench]?.(record, isNear) ?? String(record.bench);
}
