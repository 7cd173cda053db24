// npm run bench:report [-- FILE.jsonl ...] [--goals FILE] [--again FILE] [--between FILE] [--out FOLDER] [--docs] [--check]: records as a page (report.html) and as Markdown
// (report.md).
// --again: a second run, held against the first (results/paper-again.jsonl, where it is). --between: what pairs of runs differ by. --docs also writes the Markdown between the markers in
// docs/evaluation.md, and the paper's claims with a picture into the README; --check only says whether they stand there.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { LEARNED, learnedPairs } from './lib/between.mjs';
import { parseRun } from './lib/goals.mjs';
import { machineLine } from './lib/machine-line.mjs';
import { secondRun } from './lib/second-run.mjs';
import { markdown } from './report/markdown.mjs';
import { page } from './report/page.mjs';
import { readmePart, readmePicture } from './report/readme.mjs';
import { readRecords } from './report/records.mjs';

const [START, END] = ['<!-- paper:start -->', '<!-- paper:end -->'];
const root = fileURLToPath(new URL('..', import.meta.url));
const results = join(root, 'benchmarks/results');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    goals: { type: 'string', default: join(results, 'goals.json') },
    again: { type: 'string' },
    between: { type: 'string', default: LEARNED },
    out: { type: 'string', default: results },
    docs: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});

/** The committed records, with the races of single pipelines and peers beside them; else those of the latest run. */
function defaultFiles() {
  const found = ['paper.jsonl', 'paper-latest.jsonl', 'paper-quick.jsonl']
    .map((name) => join(results, name))
    .find(existsSync);
  const races = join(results, 'macro.jsonl');
  if (found !== undefined) return [found, races].filter((file, at) => at === 0 || existsSync(file));
  console.error('bench:report: no records: npm run bench:paper, or name files of records');
  return process.exit(2);
}

/** The file of a second run: the one that is named, or the one that is committed beside the first. */
function secondFile() {
  if (values.again !== undefined) return values.again;
  const file = join(results, 'paper-again.jsonl');
  return positionals.length > 0 || !existsSync(file) ? undefined : file;
}

/** Where a second run lies in the first file. @param {string} file */
function heldAgain(file) {
  const [first, second] = [/** @type {string} */ (files[0]), file].map((name) => parseRun(readFileSync(name, 'utf8')));
  return secondRun(first, second, pairs);
}

const pairs = learnedPairs(values.between);
const files = positionals.length > 0 ? positionals : defaultFiles();
const absent = files.filter((file) => !existsSync(file));
if (absent.length > 0) {
  console.error(`bench:report: no such file: ${absent.join(', ')}`);
  process.exit(2);
}
const goals = existsSync(values.goals) ? JSON.parse(readFileSync(values.goals, 'utf8')) : undefined;
const second = secondFile();
const records = { ...readRecords(files, goals, pairs), again: second && heldAgain(second) };
const names = files.map((file) => relative(root, resolve(file)));
const text = markdown(records, `npm run bench:report -- ${names.join(' ')}`);

if (values.docs || values.check) intoDocs(text);
if (!values.check) {
  mkdirSync(values.out, { recursive: true });
  writeFileSync(join(values.out, 'report.html'), page(records));
  writeFileSync(join(values.out, 'report.md'), text);
  console.log(`${join(values.out, 'report.html')} and report.md, from ${names.join(', ')}`);
}

/** Writes pages, or only says whether they are as the records have them. @param {string} text Markdown */
function intoDocs(text) {
  const { comparisons, machines } = records;
  const picture = 'docs/evaluation.svg';
  const again = second === undefined ? [] : readRecords([second], undefined, pairs).comparisons;
  const about = machineLine(/** @type {any} */ (machines[0]));
  const pages = {
    'docs/evaluation.md': between('docs/evaluation.md', text),
    'README.md': between('README.md', `${readmePart(comparisons, again, about, picture)}\n`),
    [picture]: readmePicture(comparisons, again),
  };
  for (const [name, wanted] of Object.entries(pages)) {
    const path = join(root, name);
    if (!values.check) writeFileSync(path, wanted);
    else if (!existsSync(path) || readFileSync(path, 'utf8') !== wanted) {
      console.error(`${name} does not show ${names.join(', ')}: npm run bench:report -- --docs`);
      process.exitCode = 1;
    }
  }
}

/** A page with another part between its markers. @param {string} name @param {string} part */
function between(name, part) {
  const told = readFileSync(join(root, name), 'utf8');
  const [from, to] = [told.indexOf(START), told.indexOf(END)];
  if (from < 0 || to < from) {
    console.error(`${name} has no lines ${START} and ${END}`);
    process.exit(1);
  }
  return `${told.slice(0, from + START.length)}\n${part}${told.slice(to)}`;
}
