import { summary } from './stats.mjs';

// A race in one process says nothing of how much processes differ: memory lies elsewhere, other code is compiled. So it is run in some, one after the
// other, and their records become one.

/** @typedef {Record<string, any>} BenchRecord */

/** What says which record it is; all else is what was measured. */
const IDENTITY = [
  'kind',
  'bench',
  'of',
  'scale',
  'goal',
  'part',
  'figure',
  'series',
  'x',
  'xUnit',
  'unit',
  'what',
  'rival',
];
const MIDDLE = ['ours', 'theirs', 'ratio', 'median', 'p99', 'measured'];
const LEAST = ['low', 'min'];
const MOST = ['high', 'max'];

/** @param {BenchRecord} record */
const identity = (record) => JSON.stringify(IDENTITY.map((field) => record[field]));

/**
 * Records of the same experiment in several processes, as one: of what was measured the median, of spreads the least and the largest, of texts the last.
 *
 * @param {readonly (readonly BenchRecord[])[]} runs @returns {BenchRecord[]} in the order of the last run
 */
export function merged(runs) {
  const last = runs.at(-1) ?? [];
  if (runs.length < 2) return [...last];
  return last.map((record) => {
    const same = runs.flatMap((run) => run.filter((one) => identity(one) === identity(record)));
    return hasNumbers(record) ? together(record, same) : record;
  });
}

/** @param {BenchRecord} record */
const hasNumbers = (record) => MIDDLE.some((field) => typeof record[field] === 'number');

/** @param {BenchRecord} record the last @param {readonly BenchRecord[]} same */
function together(record, same) {
  const all = (/** @type {string} */ field) => same.map((one) => one[field]).filter(Number.isFinite);
  /** @type {BenchRecord} */
  const one = { ...record, processes: same.length };
  for (const field of MIDDLE) if (all(field).length > 0) one[field] = summary(all(field)).median;
  for (const field of LEAST) if (all(field).length > 0) one[field] = Math.min(...all(field));
  for (const field of MOST) if (all(field).length > 0) one[field] = Math.max(...all(field));
  if (record.samples !== undefined) one.samples = all('samples').reduce((sum, count) => sum + count, 0);
  if (record.expected !== undefined) {
    const ranges = same.flatMap(({ expected }) => expected ?? []);
    one.expected = { min: Math.min(...ranges.map(({ min }) => min)), max: Math.max(...ranges.map(({ max }) => max)) };
  }
  return one;
}
