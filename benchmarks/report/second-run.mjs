// Compares two runs of the same experiments: is each metric of the second run in the range where
// the first run expects it? As a command, the exit code is 1 if a ratio or a goal is outside.
// --learn does not compare. It adds the difference of the two runs to results/between-runs.json,
// which widens the ranges of other runs.
//
// npm run bench:compare -- FIRST.jsonl SECOND.jsonl [--all] [--learn] [--between FILE]
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  LEARNED,
  learn,
  learnedFactors,
  learnedPairs,
  learnedText,
  pairsFor,
  unfit,
  withRanges,
} from './between-runs.mjs';
import { number, range, words } from './format.mjs';
import { parseRun } from './goals.mjs';
import { incomparable, measuredOf, named, rangeOf } from './records.mjs';

/** @typedef {import('./records.mjs').BenchRecord} BenchRecord */
/** @typedef {import('./goals.mjs').Run} Run */
/**
 * Whether the value of a second run is in its expected range.
 *
 * @typedef {'within' | 'outside' | 'no spread' | 'not run'} Verdict
 */
/**
 * @typedef {{ bench: string, kind?: string, factor?: number, isPoint: boolean, what: string, unit:
 * string, first: number, range?: import('../harness/stats.mjs').Range, second?: number, verdict:
 * Verdict }} Line
 *   A metric of the first run. `between-runs.mjs` explains `kind` and `factor`.
 */
/**
 * @typedef {{ about: BenchRecord, lines: Line[], alone: Line[], pairs: readonly
 * import('./between-runs.mjs').Pair[], factors: import('./between-runs.mjs').Factor[] }} SecondRun
 *   `lines` uses widened ranges, `alone` the ranges from the samples of the first run. `pairs` are
 *   the learned pairs that widen ranges.
 */

/**
 * Compares each metric of two runs twice: with the ranges of the first run, and with the same
 * ranges widened by `pairs`.
 *
 * @param {Run} first
 * @param {Run} second
 * @param {readonly import('./between-runs.mjs').Pair[]} pairs
 * @returns {SecondRun}
 */
export function secondRun(first, second, pairs) {
  const others = pairsFor(first, pairs);
  return {
    about: second.about,
    lines: compareRuns(withRanges(first, pairs).records, second.records),
    alone: compareRuns(first.records, second.records),
    pairs: others,
    factors: learnedFactors(others),
  };
}

/**
 * Returns the name of a metric, which is equal in both runs.
 *
 * @param {BenchRecord} record
 */
function nameOf({ kind, goal, part, figure, series, x, xUnit, what, rival }) {
  if (kind === 'point') return `${figure} ${series}, ${x}${xUnit ? ` ${xUnit}` : ''}`;
  return kind === 'goal' ? [goal, part].filter(Boolean).join(' ') : `${goal} ${what}, against ${rival}`;
}

/**
 * Returns a line for every metric of the first run, with its value in the second run.
 *
 * @param {readonly BenchRecord[]} first
 * @param {readonly BenchRecord[]} second
 * @returns {Line[]}
 */
export function compareRuns(first, second) {
  const others = named(second);
  return [...named(first)]
    .filter(([, record]) => Number.isFinite(measuredOf(record)))
    .map(([key, record]) => {
      const other = others.get(key);
      const [range, value] = [rangeOf(record), other && measuredOf(other)];
      return {
        bench: record.bench,
        ...record.between,
        isPoint: record.kind === 'point',
        what: nameOf(record),
        unit: record.kind === 'comparison' ? 'x' : record.unit,
        first: measuredOf(record),
        range,
        second: value,
        verdict: verdictOf(range, value),
      };
    });
}

/**
 * Returns whether the value of a second run is in the expected range.
 *
 * @param {Line['range']} range
 * @param {number | undefined} value
 * @returns {Verdict}
 */
function verdictOf(range, value) {
  if (value === undefined || !Number.isFinite(value)) return 'not run';
  if (range === undefined) return 'no spread';
  return value >= range.min && value <= range.max ? 'within' : 'outside';
}

/**
 * Counts the verdicts for each experiment or each kind of measurement.
 *
 * @param {readonly Line[]} lines
 * @param {'bench' | 'kind'} [of]
 */
export function tally(lines, of = 'bench') {
  /** @type {Map<string, Record<Verdict, number>>} */
  const counts = new Map();
  for (const { [of]: name = 'other', verdict } of lines) {
    const count = counts.get(name) ?? { within: 0, outside: 0, 'no spread': 0, 'not run': 0 };
    count[verdict]++;
    counts.set(name, count);
  }
  return counts;
}

/**
 * Returns one row for each kind of measurement.
 *
 * @param {SecondRun} comparison
 */
export const kindRows = ({ lines, factors }) =>
  [...tally(lines, 'kind')].map(([kind, { within, outside }]) => {
    const { factor, points, typical } = factors.find((one) => one.kind === kind) ?? {};
    return { kind, factor, points, typical, within, outside };
  });

/**
 * Returns a sentence that counts the values of the second run that are in the expected ranges.
 *
 * @param {readonly Line[]} lines
 */
export function summaryText(lines) {
  const count = (/** @type {boolean} */ isPoint) => {
    const some = lines.filter((line) => line.isPoint === isPoint && ['within', 'outside'].includes(line.verdict));
    return `${some.filter(({ verdict }) => verdict === 'within').length} of ${some.length}`;
  };
  return `${count(false)} ratios and goals, and ${count(true)} points of figures, are in the range that we expect after the first run`;
}

/**
 * Returns sentences that say how the ranges were widened.
 *
 * @param {SecondRun} comparison
 */
export function wideningText({ about, lines, alone, pairs }) {
  if (pairs.length === 0)
    return 'The ranges depend on the samples of the first run only, because no other pair of runs on this processor is recorded (npm run bench:compare -- --learn).';
  const { cores } = pairs[0].machine;
  const where = cores === about.cores ? '' : ` on ${cores} cores; no pair on ${about.cores} cores is recorded`;
  const unknown = [...new Set(lines.filter(({ factor }) => factor === undefined).map(({ kind }) => kind))];
  const without =
    unknown.length === 0
      ? ''
      : ` The ranges of these kinds are not widened, because no other pair measured them: ${unknown.join(', ')}.`;
  const which = pairs.length === 1 ? 'One other pair of runs' : `${pairs.length} other pairs of runs`;
  return (
    `Two runs on one machine differ. The ranges that this page expects for a second run are therefore widened, by a factor for each kind of measurement. ${which} measured these factors${where}.${without} ` +
    `Without these factors, ${summaryText(alone)}. The table counts values by kind of measurement.`
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) compareFiles();

/** Runs the command: compares the runs of two files, or learns their difference. */
function compareFiles() {
  const { values, positionals: files } = parseArgs({
    allowPositionals: true,
    options: {
      all: { type: 'boolean', default: false },
      learn: { type: 'boolean', default: false },
      between: { type: 'string', default: LEARNED },
    },
  });
  if (files.length !== 2)
    refuse('usage: npm run bench:compare -- FIRST.jsonl SECOND.jsonl [--all] [--learn] [--between FILE]');
  for (const file of files) if (!existsSync(file)) refuse(`bench:compare: no such file: ${file}`);
  const [first, second] = files.map((file) => parseRun(readFileSync(file, 'utf8')));
  if (values.learn) learnPair(first, second, values.between);
  else printComparison(first, second, values);
}

/**
 * Prints the reason and ends the process with exit code 2.
 *
 * @param {string} why
 */
function refuse(why) {
  console.error(why);
  process.exit(2);
}

/**
 * Adds the difference of two runs to a file of learned pairs.
 *
 * @param {Run} first
 * @param {Run} second
 * @param {string} file
 */
function learnPair(first, second, file) {
  const why = unfit(first, second);
  if (why !== undefined) refuse(`bench:compare: nothing can be learned from these runs: ${why}`);
  const pair = learn(first, second);
  const pairs = [...learnedPairs(file).filter(({ id }) => id !== pair.id), pair];
  writeFileSync(file, learnedText(pairs));
  for (const { kind, points, typical, p90, largest, factor } of learnedFactors(pairs))
    console.log(
      `${kind.padEnd(28)} ${points} points, apart x${typical}, 90 % x${p90}, largest x${largest}; factor x${factor}`,
    );
  console.log(`${pairs.length} ${pairs.length === 1 ? 'pair' : 'pairs'}: ${file}`);
}

/**
 * Prints how the second run compares with the first.
 *
 * @param {Run} first
 * @param {Run} second
 * @param {{ all: boolean, between: string }} options `all` also prints the values within their
 * range
 */
function printComparison(first, second, { all, between }) {
  const why = incomparable(first.about, second.about);
  if (why !== undefined) refuse(`bench:compare: these runs cannot be compared: ${why}`);
  if (first.about.build !== second.about.build)
    console.log(`different builds: ${first.about.build} and ${second.about.build}`);
  const result = secondRun(first, second, learnedPairs(between));
  const { lines } = result;
  for (const [bench, count] of tally(lines)) {
    const rest = /** @type {const} */ (['outside', 'no spread', 'not run'])
      .filter((verdict) => count[verdict] > 0)
      .map((verdict) => `, ${count[verdict]} ${verdict}`);
    console.log(`${bench.padEnd(22)} ${String(count.within).padStart(4)} within${rest.join('')}`);
  }
  const shown = all ? lines : lines.filter(({ verdict }) => verdict === 'outside' || verdict === 'no spread');
  for (const { what, unit, first: value, range: of, second: other, verdict } of shown) {
    const expected = of === undefined ? '' : ` (${range(of.min, of.max)})`;
    const again = other === undefined ? '-' : number(other);
    console.log(`  ${verdict}: ${words(what)}: ${number(value)}${expected}, again ${again} ${words(unit)}`);
  }
  for (const { kind, factor, points, within, outside } of kindRows(result)) {
    const learned = factor === undefined ? 'no pair learned' : `ranges x${factor} (${points} points)`;
    console.log(`${kind.padEnd(28)} ${learned.padEnd(28)} ${within} within, ${outside} outside`);
  }
  console.log(summaryText(lines));
  console.log(wideningText(result));
  process.exitCode = lines.some(({ verdict, isPoint }) => verdict === 'outside' && !isPoint) ? 1 : 0;
}
