// Two runs of the same experiments: does what the second one measured lie within the spread that the first one states?

/** @typedef {Record<string, any>} BenchRecord */
/** @typedef {{ min: number, max: number }} Range */
/** @typedef {{ bench: string, kind?: string, factor?: number, isPoint: boolean, what: string, unit: string, first: number, range?: Range, second?: number, verdict: 'within' | 'outside' | 'no spread' | 'not run' }} Line a metric of the first run; its kind, and what its spread was widened by (`between.mjs`) */

/** What is compared: ratios and goals, on which verdicts rest, and the points of figures. Single measures are told by these. */
const KINDS = ['comparison', 'goal', 'point'];

/** @param {BenchRecord} record */
export const measuredOf = ({ kind, ratio, measured, median }) =>
  ({ comparison: ratio, goal: measured, point: median })[/** @type {'point'} */ (kind)];

/** The spread that a record states. @param {BenchRecord} record @returns {Range | undefined} */
export function rangeOf({ min, max, expected }) {
  if (Number.isFinite(expected?.min)) return expected;
  return Number.isFinite(min) && Number.isFinite(max) && min < max ? { min, max } : undefined;
}

/** As people name it, the same in both runs. @param {BenchRecord} record */
function nameOf({ kind, goal, part, figure, series, x, xUnit, what, rival }) {
  if (kind === 'point') return `${figure} ${series}, ${x}${xUnit ? ` ${xUnit}` : ''}`;
  return kind === 'goal' ? [goal, part].filter(Boolean).join(' ') : `${goal} ${what}, against ${rival}`;
}

/** @param {BenchRecord} record */
const unitOf = ({ kind, unit }) => (kind === 'comparison' ? 'x' : unit);

/** Records by experiment and name; of several with one name, rounds of one thing, the n-th. @param {readonly BenchRecord[]} records */
export function named(records) {
  /** @type {Map<string, BenchRecord>} */
  const all = new Map();
  for (const record of records.filter(({ kind }) => KINDS.includes(kind))) {
    const name = `${record.bench}|${record.kind}|${nameOf(record)}`;
    let copy = 0;
    while (all.has(`${name}|${copy}`)) copy++;
    all.set(`${name}|${copy}`, record);
  }
  return all;
}

/**
 * Every metric of the first run, and where the second one lies.
 *
 * @param {readonly BenchRecord[]} first @param {readonly BenchRecord[]} second @returns {Line[]}
 */
export function again(first, second) {
  const [one, other] = [named(first), named(second)];
  return [...one]
    .filter(([, record]) => Number.isFinite(measuredOf(record)))
    .map(([key, record]) => {
      const [range, match] = [rangeOf(record), other.get(key)];
      const value = match === undefined ? undefined : measuredOf(match);
      const base = {
        bench: record.bench,
        ...record.between,
        isPoint: record.kind === 'point',
        what: nameOf(record),
        unit: unitOf(record),
        first: measuredOf(record),
        range,
        second: value,
      };
      return { ...base, verdict: verdictOf(range, value) };
    });
}

/** @param {Range | undefined} range @param {number | undefined} value @returns {Line['verdict']} */
function verdictOf(range, value) {
  if (value === undefined || !Number.isFinite(value)) return 'not run';
  if (range === undefined) return 'no spread';
  return value >= range.min && value <= range.max ? 'within' : 'outside';
}

/** How many of those that state a spread lie within, in words: ratios and goals, then points. @param {readonly Line[]} lines */
export function inWords(lines) {
  const count = (/** @type {boolean} */ isPoint) => {
    const some = lines.filter((line) => line.isPoint === isPoint && ['within', 'outside'].includes(line.verdict));
    return `${some.filter(({ verdict }) => verdict === 'within').length} of ${some.length}`;
  };
  return `${count(false)} ratios and goals, and ${count(true)} points of figures, lie within the spread that the first run states`;
}

/** How many of which verdict an experiment, or a kind of measurement, has. @param {readonly Line[]} lines @param {'bench' | 'kind'} [of] */
export function tally(lines, of = 'bench') {
  /** @type {Map<string, Record<Line['verdict'], number>>} */
  const counts = new Map();
  for (const { [of]: name = 'of no kind', verdict } of lines) {
    const count = counts.get(name) ?? { within: 0, outside: 0, 'no spread': 0, 'not run': 0 };
    count[verdict]++;
    counts.set(name, count);
  }
  return counts;
}

/** Fields that must be the same, or two runs are not of the same thing. @param {BenchRecord} one @param {BenchRecord} other @returns {string | undefined} why they cannot be compared */
export function incomparable(one, other) {
  for (const field of ['cpu', 'cores', 'node', 'isa', 'rival', 'scale'])
    if (one[field] !== other[field]) return `${field} is ${one[field]} in one and ${other[field]} in the other`;
  return undefined;
}
