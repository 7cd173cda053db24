// What kind of measurement a record is. Those of one kind differ from run to run for the same reasons, and so by as much (`between.mjs`).

/** @typedef {Record<string, any>} BenchRecord */
/** @typedef {(record: BenchRecord) => boolean} IsNear whether a rate is near what the server can do */

/** From this share of the highest rate that a series was asked for, queues grow and shrink by chance, and waiting is most of a latency. */
const NEAR_CAPACITY = 0.5;

/** @param {string} bench @param {string} series */
const seriesOf = (bench, series) => `${bench}|${series}`;

/** A series is asked for more until its server is full, so its highest rate says about what it can do. @param {readonly BenchRecord[]} records of a run @returns {IsNear} */
function nearIn(records) {
  /** @type {Map<string, number>} */
  const highest = new Map();
  for (const { bench, series, x, xUnit } of records)
    if (xUnit === 'requests/s')
      highest.set(seriesOf(bench, series), Math.max(x, highest.get(seriesOf(bench, series)) ?? 0));
  return ({ bench, series, x }) => x >= NEAR_CAPACITY * (highest.get(seriesOf(bench, series)) ?? Number.NaN);
}

/** A p99, or a ratio of two. @param {BenchRecord} record */
const isTail = ({ goal, what = '' }) => goal === 'G7' || goal === 'G17' || what.includes('p99');

/** Single predictions. @param {BenchRecord} record */
function callKind(record) {
  if (record.figure === 'fig9-worst') return 'worst call';
  if (isTail(record)) return 'tail';
  return record.goal === 'G10' || String(record.x).includes('cold') ? 'first call' : 'hot call';
}

/** What a server answers; comparisons of the most that it can are near that. @param {BenchRecord} record @param {IsNear} isNear */
function loadKind(record, isNear) {
  if (isTail(record)) return 'tail';
  const what = record.figure.includes('throughput') ? 'answered rate' : 'request';
  return record.kind === 'comparison' || isNear(record) ? `${what} near capacity` : what;
}

/** @type {Record<string, (record: BenchRecord, isNear: IsNear) => string>} */
const KINDS = {
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

/** Tells kinds within a run. Of another experiment, all is one kind: its own. @param {readonly BenchRecord[]} records of the run @returns {(record: BenchRecord) => string} */
export function kindsIn(records) {
  const isNear = nearIn(records);
  return (record) => KINDS[record.bench]?.(record, isNear) ?? record.bench;
}
