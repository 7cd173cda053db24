// npm run bench:goals [-- FILE ...] [--check]: writes benchmarks/results/goals.json from records, or checks that it is what they say.
// Without files: every committed results file, by date.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { learnedPairs, stating } from './lib/between.mjs';
import { goalRows, parseRun, SILENT } from './lib/goals.mjs';

const results = fileURLToPath(new URL('results', import.meta.url));
const OUT = join(results, 'goals.json');
/** Of the last run on this machine, smoke runs, and a second run that only shows how near the first it comes: not told of unless asked for. */
const PRIVATE = /^(paper-)?(latest|quick|again)\.jsonl$/;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: 'boolean', default: false } },
});
const committed = readdirSync(results).filter((name) => name.endsWith('.jsonl') && !PRIVATE.test(name));
const files = positionals.length > 0 ? positionals : committed.map((name) => join(results, name));
const pairs = learnedPairs();
const runs = files
  .map((file) => stating(parseRun(readFileSync(file, 'utf8')), pairs))
  .toSorted((one, other) => String(one.about.date).localeCompare(String(other.about.date)));
const rows = goalRows(runs);
const text = `${JSON.stringify(rows, null, 2)}\n`;

if (values.check) {
  if (readFileSync(OUT, 'utf8') !== text) {
    console.error('benchmarks/results/goals.json is not what the committed results say: npm run bench:goals');
    process.exit(1);
  }
} else {
  writeFileSync(OUT, text);
  const count = (/** @type {boolean | null} */ met) => rows.filter((row) => row.met === met).length;
  for (const { goal, part, target, measured, unit, met } of rows) {
    const verdict = met === null ? 'not measured' : met ? 'met' : 'not met';
    console.log(`${goal.padEnd(4)} ${verdict.padEnd(12)} ${part}: ${measured ?? '-'} ${unit} (${target})`);
  }
  console.log(`${count(true)} met, ${count(false)} not met, ${count(null)} not measured: ${OUT}`);
}

const silent = rows
  .filter(({ note }) => note.includes(`what binds: ${SILENT};`))
  .map(({ goal, part }) => `${goal} ${part}`);
if (silent.length > 0) {
  console.error(`not met, and no record of kind binds says why: ${silent.join('; ')}`);
  process.exitCode = 1;
}
