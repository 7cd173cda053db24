// What the project wants to reach, and by which record each part of it is known.

/** @typedef {Record<string, any>} BenchRecord */
/**
 * @typedef {object} Goal
 * @property {string} goal
 * @property {string} part what exactly
 * @property {string} target as people read it: a bound and a unit
 * @property {'≥' | '≤'} bound
 * @property {number} least or most
 * @property {string} unit
 * @property {string} bench that measures it
 * @property {(record: BenchRecord) => boolean} select
 * @property {(record: BenchRecord) => number} read from the record, in the unit of the target
 */

/** Ratio of a comparison, or what was measured of a goal. @param {BenchRecord} record */
export const own = (record) => (record.kind === 'comparison' ? record.ratio : record.measured);

/** @param {string} goal @param {string} part @param {string} target @param {string} bench @param {Goal['select']} select @param {Goal['read']} [read] @returns {Goal} */
function row(goal, part, target, bench, select, read = own) {
  const [, bound, least, unit] = /** @type {RegExpExecArray} */ (/^([≥≤]) ([\d.]+) ?(.+)$/.exec(target));
  return {
    goal,
    part,
    target,
    bound: /** @type {Goal['bound']} */ (bound),
    least: Number(least),
    unit,
    bench,
    select,
    read,
  };
}

/** A comparison whose record names this goal, and whose text has all of these parts. @param {string} goal @param {string[]} parts */
const compared =
  (goal, ...parts) =>
  (/** @type {BenchRecord} */ record) =>
    record.kind === 'comparison' &&
    record.goal === goal &&
    parts.every((part) => `${record.what}, ${record.rival}`.includes(part));

/** A record, of either kind, that names goal and part. @param {string} goal @param {string} part */
const named = (goal, part) => (/** @type {BenchRecord} */ record) => record.goal === goal && record.part === part;

const SA_1M = 'SA single, 1M dictionary, texts of 100 words, answer object';

export const goals = [
  row('G1', 'SA single, 1M, natural', '≥ 150x', 'sa-single', compared('G1', SA_1M)),
  row('G2', 'SA single, 1M, expert', '≥ 20x', 'sa-single', compared('G2', SA_1M)),
  row('G3', 'SA batch of 1000, expert', '≥ 20x', 'fig12-throughput', named('G3', 'batch expert')),
  row('G3', 'SA batch, natural (its batch: 100)', '≥ 300x', 'fig12-throughput', named('G3', 'batch natural')),
  row('G4', 'forest 100x6 single', '≥ 15x', 'forest', compared('G4', 'single, avx512')),
  row('G4', 'forest 100x6 batch, AVX-512', '≥ 12x', 'forest', compared('G4', 'batch of 1000, avx512')),
  row('G4', 'forest 100x6 batch, AVX2', '≥ 6x', 'forest', compared('G4', 'batch of 1000, avx2')),
  row('G5', 'forest 500x8 single', '≥ 10x', 'forest', compared('G5', 'single, avx512')),
  row('G5', 'forest 500x8 batch', '≥ 9x', 'forest', compared('G5', 'batch of 1000, avx512')),
  row('G6', 'AC single, natural', '≥ 15x', 'fig9-latency', named('G6', 'fleet ac natural hot')),
  row('G6', 'AC batch of 1000, natural', '≥ 10x', 'fig12-throughput', named('G6', 'batch natural')),
  row('G7', 'p99 of SA single, natural', '≥ 10x', 'sa-single', compared('G7', `p99 of ${SA_1M}`, 'natural graph')),
  row('G7', 'own p99 / p50, SA', '≤ 2 times', 'fig9-latency', named('G7', 'sa own')),
  row('G7', 'own p99 / p50, AC', '≤ 2 times', 'fig9-latency', named('G7', 'ac own')),
  row('G8', 'memory of 250 SA, natural', '≥ 70x', 'fig8-memory', named('G8', 'sa natural')),
  row('G8', 'memory of 250 SA, expert', '≥ 45x', 'fig8-memory', named('G8', 'sa expert')),
  row('G8', 'memory of 250 AC, natural', '≥ 25x', 'fig8-memory', named('G8', 'ac natural')),
  row('G8', 'a further plan beyond its parameters', '≤ 16 KiB', 'fleet-file', named('G8', 'marginal')),
  row(
    'G9',
    'load a compiled model, SA 1M, natural',
    '≥ 1000x',
    'fleet-file',
    compared('G9', 'load a further model of it, SA 1M', 'natural'),
  ),
  row('G9', 'load 250 SA', '≤ 20 ms', 'fig8-memory', named('G9', 'sa fleet')),
  row(
    'G10',
    'cold first prediction, SA 1M, natural',
    '≥ 100x',
    'fleet-file',
    compared('G10', 'file read ahead, SA 1M', 'natural'),
  ),
  row(
    'G10',
    'cold first prediction, SA 1M, expert',
    '≥ 6x',
    'fleet-file',
    compared('G10', 'file read ahead, SA 1M', 'expert'),
  ),
  row(
    'G10',
    'cold first prediction, prefaulted',
    '≤ 25 µs',
    'fleet-file',
    compared('G10', 'file read ahead, SA 1M', 'expert'),
    ({ ours }) => ours * 1000,
  ),
  row('G11', 'process start to first answer, SA 1M, expert', '≥ 7x', 'start', named('G11', 'sa expert')),
  row('G11', 'of it inside the process', '≤ 5 ms', 'start', named('G11', 'sa inside')),
  row('G12', 'longest stall of a batch of SA', '≤ 1 ms', 'stall', named('G12', 'sa')),
  row('G12', 'longest stall of a batch of AC', '≤ 1 ms', 'stall', named('G12', 'ac')),
  row(
    'G13',
    'JavaScript, SA 1M, expert',
    '≥ 6x',
    'js-fallback',
    compared('G13', '1M dictionary, texts of 100 words', 'expert'),
  ),
  row(
    'G13',
    'JavaScript, SA 1M, code with Maps',
    '≥ 6x',
    'js-fallback',
    compared('G13', '1M dictionary, texts of 100 words', 'Map code'),
  ),
  row('G13', 'JavaScript, forest 100x6 single', '≥ 2.5x', 'forest', compared('G13', 'forest 100x6 single')),
  row('G14', 'a stage event, native', '≤ 150 ns', 'events', named('G14', 'stage event')),
  row('G14', 'submit and promise, JavaScript', '≤ 1.5 µs', 'events', named('G14', 'submit')),
  row('G14', 'a row in bulk', '≤ 200 ns', 'events', named('G14', 'bulk row')),
  row('G15', '4 processes, sum of PSS / RSS of one, SA', '≤ 1.05 times', 'fig8-memory', named('G15', 'sa')),
  row('G15', '4 processes, sum of PSS / RSS of one, AC', '≤ 1.05 times', 'fig8-memory', named('G15', 'ac')),
  row('G16', '2 executors / 1, SA', '≥ 1.9 times', 'fig12-throughput', named('G16', 'sa')),
  row('G16', '2 executors / 1, AC', '≥ 1.9 times', 'fig12-throughput', named('G16', 'ac')),
  row(
    'G17',
    'p99 of a reserved plan, under load / idle',
    '≤ 1.2 times',
    'fig13-heavy',
    (record) => record.goal === 'G17',
  ),
  row('G18', 'SA fleet, the same text over many plans', '≥ 2x', 'fig10-materialization', named('G18', 'same text')),
];
