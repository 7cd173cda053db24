// Compares two runs: is each metric of the second run in the range that the first run expects? The
// exit code is 1 if a ratio or a goal is outside. --learn does not compare. It adds the difference
// of the two runs to results/between-runs.json, which widens the ranges of other runs.
//
// npm run bench:compare -- FIRST.jsonl SECOND.jsonl [--all] [--learn] [--between FILE]
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { LEARNED, learn, learnedFactors, learnedPairs, learnedText, unfit } from './report/between-runs.mjs';
import { number, range, words } from './report/format.mjs';
import { parseRun } from './report/goals.mjs';
import { incomparable } from './report/records.mjs';
import { kindRows, secondRun, summaryText, tally, wideningText } from './report/second-run.mjs';

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    learn: { type: 'boolean', default: false },
    between: { type: 'string', default: LEARNED },
  },
});

/**
 * Prints the reason and ends the process with exit code 2.
 *
 * @param {string} why
 */
function refuse(why) {
  console.error(why);
  process.exit(2);
}

if (files.length !== 2)
  refuse('usage: npm run bench:compare -- FIRST.jsonl SECOND.jsonl [--all] [--learn] [--between FILE]');
for (const file of files) if (!existsSync(file)) refuse(`bench:compare: no such file: ${file}`);
const [first, second] = files.map((file) => parseRun(readFileSync(file, 'utf8')));
if (values.learn) learnPair();
else compare();

function learnPair() {
  const why = unfit(first, second);
  if (why !== undefined) refuse(`bench:compare: nothing can be learned from these runs: ${why}`);
  const pair = learn(first, second);
  const pairs = [...learnedPairs(values.between).filter(({ id }) => id !== pair.id), pair];
  writeFileSync(values.between, learnedText(pairs));
  for (const { kind, points, typical, p90, largest, factor } of learnedFactors(pairs))
    console.log(
      `${kind.padEnd(28)} ${points} points, apart x${typical}, 90 % x${p90}, largest x${largest}; factor x${factor}`,
    );
  console.log(`${pairs.length} ${pairs.length === 1 ? 'pair' : 'pairs'}: ${values.between}`);
}

function compare() {
  const why = incomparable(first.about, second.about);
  if (why !== undefined) refuse(`bench:compare: these runs cannot be compared: ${why}`);
  if (first.about.build !== second.about.build)
    console.log(`different builds: ${first.about.build} and ${second.about.build}`);
  const result = secondRun(first, second, learnedPairs(values.between));
  const { lines } = result;
  for (const [bench, count] of tally(lines)) {
    const rest = /** @type {const} */ (['outside', 'no spread', 'not run'])
      .filter((verdict) => count[verdict] > 0)
      .map((verdict) => `, ${count[verdict]} ${verdict}`);
    console.log(`${bench.padEnd(22)} ${String(count.within).padStart(4)} within${rest.join('')}`);
  }
  const shown = values.all ? lines : lines.filter(({ verdict }) => verdict === 'outside' || verdict === 'no spread');
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
