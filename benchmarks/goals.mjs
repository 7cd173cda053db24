// Writes results/goals.json from records. With --check, compares the file with the records. Without
// files, it reads all committed results in order of date.
//
// npm run bench:goals [-- FILE ...] [--check]
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { learnedPairs, withRanges } from './report/between-runs.mjs';
import { goalRows, parseRun, SILENT } from './report/goals.mjs';

const results = fileURLToPath(new URL('results', import.meta.url));
const OUT = join(results, 'goals.json');
/**
 * Matches the files of local runs, smoke runs and second runs. This command reads these files only
 * if you name them as arguments.
 */
const PRIVATE = /^(paper-)?(latest|quick|again)\.jsonl$/;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: 'boolean', default: false } },
});
const committed = readdirSync(results).filter((name) => name.endsWith('.jsonl') && !PRIVATE.test(name));
const files = positionals.length > 0 ? positionals : committed.map((name) => join(results, name));
const pairs = learnedPairs();
const runs = files
  .map((file) => withRanges(parseRun(readFileSync(file, 'utf8')), pairs))
  .toSorted((one, other) => String(one.about.date).localeCompare(String(other.about.date)));
const rows = goalRows(runs);
const text = `${JSON.stringify(rows, null, 2)}\n`;

if (values.check) {
  if (readFileSync(OUT, 'utf8') !== text) {
    console.error('benchmarks/results/goals.json does not match the committed results; run npm run bench:goals');
    process.exit(1);
  }
} else {
  writeFileSync(OUT, text);
  for (const { goal, part, target, measured, unit, met } of rows) {
    const verdict = met === null ? 'not measured' : met ? 'met' : 'not met';
    console.log(`${goal.padEnd(4)} ${verdict.padEnd(12)} ${part}: ${measured ?? '-'} ${unit} (${target})`);
  }
  const count = (/** @type {boolean | null} */ met) => rows.filter((row) => row.met === met).length;
  console.log(`${count(true)} met, ${count(false)} not met, ${count(null)} not measured: ${OUT}`);
}

const silent = rows.filter(({ note }) => note.includes(`limit: ${SILENT};`));
if (silent.length > 0) {
  const names = silent.map(({ goal, part }) => `${goal} ${part}`);
  console.error(`not met, and no record of kind binds says what limits it: ${names.join('; ')}`);
  process.exitCode = 1;
}
