// npm run bench:report [-- FILE.jsonl ...] [--goals FILE] [--out FOLDER] [--readme] [--check]: records as a page (report.html) and as Markdown (report.md).
// --readme also writes the Markdown between the markers in README.md; --check only says whether it stands there.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { markdown } from './report/markdown.mjs';
import { page } from './report/page.mjs';
import { readRecords } from './report/records.mjs';

const [START, END] = ['<!-- paper:start -->', '<!-- paper:end -->'];
const root = fileURLToPath(new URL('..', import.meta.url));
const results = join(root, 'benchmarks/results');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    goals: { type: 'string', default: join(results, 'goals.json') },
    out: { type: 'string', default: results },
    readme: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});

/** The committed records, else those of the latest run. */
function defaultFiles() {
  const found = ['paper.jsonl', 'paper-latest.jsonl', 'paper-quick.jsonl']
    .map((name) => join(results, name))
    .find(existsSync);
  if (found !== undefined) return [found];
  console.error('bench:report: no records: npm run bench:paper, or name files of records');
  return process.exit(2);
}

const files = positionals.length > 0 ? positionals : defaultFiles();
const absent = files.filter((file) => !existsSync(file));
if (absent.length > 0) {
  console.error(`bench:report: no such file: ${absent.join(', ')}`);
  process.exit(2);
}
const goals = existsSync(values.goals) ? JSON.parse(readFileSync(values.goals, 'utf8')) : undefined;
const records = readRecords(files, goals);
const names = files.map((file) => relative(root, resolve(file)));
const text = markdown(records, `npm run bench:report -- ${names.join(' ')}`);

if (values.readme || values.check) intoReadme(text);
if (!values.check) {
  mkdirSync(values.out, { recursive: true });
  writeFileSync(join(values.out, 'report.html'), page(records));
  writeFileSync(join(values.out, 'report.md'), text);
  console.log(`${join(values.out, 'report.html')} and report.md, from ${names.join(', ')}`);
}

/** @param {string} part */
function intoReadme(part) {
  const path = join(root, 'README.md');
  const readme = readFileSync(path, 'utf8');
  const [from, to] = [readme.indexOf(START), readme.indexOf(END)];
  if (from < 0 || to < from) {
    console.error(`README.md has no lines ${START} and ${END}`);
    process.exit(1);
  }
  const wanted = `${readme.slice(0, from + START.length)}\n${part}${readme.slice(to)}`;
  if (!values.check) writeFileSync(path, wanted);
  else if (readme !== wanted) {
    console.error(`README.md does not show ${names.join(', ')}: npm run bench:report -- --readme`);
    process.exit(1);
  }
}
