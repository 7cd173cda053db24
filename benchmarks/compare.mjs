// npm run bench:compare -- FIRST.jsonl SECOND.jsonl [--all] [--between FILE]: does a second run of the experiments land within the spread that the first one states? Exit
// code 1 when a ratio or a goal does not. --all: every metric, not only those outside. --between: what other pairs of runs differ by.
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { incomparable, inWords, tally } from './lib/again.mjs';
import { LEARNED, learnedPairs } from './lib/between.mjs';
import { parseRun } from './lib/goals.mjs';
import { short } from './lib/report.mjs';
import { kindRows, learnedInWords, secondRun } from './lib/second-run.mjs';

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean', default: false }, between: { type: 'string', default: LEARNED } },
});
if (files.length !== 2) {
  console.error('usage: npm run bench:compare -- FIRST.jsonl SECOND.jsonl [--all] [--between FILE]');
  process.exit(2);
}
for (const file of files.filter((name) => !existsSync(name))) {
  console.error(`bench:compare: no such file: ${file}`);
  process.exit(2);
}
const [first, second] = files.map((file) => parseRun(readFileSync(file, 'utf8')));
const why = incomparable(first.about, second.about);
if (why !== undefined) {
  console.error(`bench:compare: these are not two runs of one thing: ${why}`);
  process.exit(2);
}
if (first.about.build !== second.about.build)
  console.log(`another build: ${first.about.build} and ${second.about.build}`);

const held = secondRun(first, second, learnedPairs(values.between));
const { lines } = held;
for (const [bench, count] of tally(lines)) {
  const rest = /** @type {const} */ (['outside', 'no spread', 'not run'])
    .filter((verdict) => count[verdict] > 0)
    .map((verdict) => `${count[verdict]} ${verdict}`);
  console.log(
    `${bench.padEnd(22)} ${String(count.within).padStart(4)} within${rest.length > 0 ? `, ${rest.join(', ')}` : ''}`,
  );
}
const told = values.all ? lines : lines.filter(({ verdict }) => verdict === 'outside' || verdict === 'no spread');
for (const { what, unit, first: one, range, second: other, verdict } of told) {
  const stated = range === undefined ? '' : ` (${short(range.min)}-${short(range.max)})`;
  console.log(
    `  ${verdict}: ${what}: ${short(one)}${stated}, again ${other === undefined ? '-' : short(other)} ${unit}`,
  );
}
const missed = lines.filter(({ verdict, isPoint }) => verdict === 'outside' && !isPoint);
for (const { kind, factor, points, within, outside } of kindRows(held)) {
  const learned = factor === undefined ? 'no pair learned' : `blocks x${factor} (${points} points)`;
  console.log(`${kind.padEnd(28)} ${learned.padEnd(28)} ${within} within, ${outside} outside`);
}
console.log(inWords(lines));
console.log(learnedInWords(held));
process.exitCode = missed.length > 0 ? 1 : 0;
