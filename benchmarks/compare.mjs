// npm run bench:compare -- FIRST.jsonl SECOND.jsonl [--all]: does a second run of the experiments land within the spread that the first one states? Exit
// code 1 when a ratio or a goal does not. --all: every metric, not only those outside.
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { again, incomparable, inWords, tally } from './lib/again.mjs';
import { parseRun } from './lib/goals.mjs';
import { short } from './lib/report.mjs';

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean', default: false } },
});
if (files.length !== 2) {
  console.error('usage: npm run bench:compare -- FIRST.jsonl SECOND.jsonl [--all]');
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

const lines = again(first.records, second.records);
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
console.log(inWords(lines));
process.exitCode = missed.length > 0 ? 1 : 0;
