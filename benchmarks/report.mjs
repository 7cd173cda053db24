// Writes a report in Markdown (report.md) from records. Without files, it reads the committed
// records. --again names a second run of the first file, and --clipper the records of the
// experiment `clipper`. --docs also writes the generated parts of README.md and of the pages
// evaluation.md, benchmarks.md and clipper.md in docs/, and the pictures of these pages; --check
// only compares them.
//
// npm run bench:report [-- FILE.jsonl ...] [--goals FILE] [--again FILE] [--between FILE]
// [--clipper FILE] [--out FOLDER] [--docs] [--check]
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { wrapMarkdown } from '../scripts/wrap-prose.mjs';
import { shortMachineLine } from './harness/machine.mjs';
import { LEARNED, learnedPairs, withRanges } from './report/between-runs.mjs';
import { chartPart, claimsChart } from './report/claims-chart.mjs';
import { clipperPage } from './report/clipper.mjs';
import { clipperChart } from './report/clipper-chart.mjs';
import { parseRun } from './report/goals.mjs';
import { markdown, singleTable } from './report/markdown.mjs';
import { secondRun } from './report/second-run.mjs';
import { summaryTable } from './report/summary-table.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const results = join(root, 'benchmarks/results');
const CHART = 'docs/evaluation.svg';
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    goals: { type: 'string', default: join(results, 'goals.json') },
    again: { type: 'string' },
    between: { type: 'string', default: LEARNED },
    clipper: { type: 'string', default: join(results, 'clipper.jsonl') },
    out: { type: 'string', default: results },
    docs: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});

/**
 * Prints the reason and ends the process with the exit code `code`.
 *
 * @param {string} why
 * @param {number} code
 * @returns {never}
 */
function fail(why, code) {
  console.error(`bench:report: ${why}`);
  return process.exit(code);
}

/**
 * Returns the results files to read if the command names none: a file of the paper's workload (the
 * committed file, otherwise a local run) and the committed file of single pipelines.
 */
function defaultFiles() {
  const found = ['paper.jsonl', 'paper-latest.jsonl', 'paper-quick.jsonl']
    .map((name) => join(results, name))
    .find(existsSync);
  if (found === undefined) return fail('no records; run npm run bench:paper or name files', 2);
  return [found, ...['macro.jsonl', 'server.jsonl'].map((name) => join(results, name))].filter(existsSync);
}

/**
 * Returns the file of the second run: the value of `--again`, or the committed file
 * `paper-again.jsonl` if no files are named.
 */
function secondFile() {
  if (values.again !== undefined) return values.again;
  const file = join(results, 'paper-again.jsonl');
  return positionals.length > 0 || !existsSync(file) ? undefined : file;
}

const pairs = learnedPairs(values.between);
const files = positionals.length > 0 ? positionals : defaultFiles();
const absent = files.filter((file) => !existsSync(file));
if (absent.length > 0) fail(`no such file: ${absent.join(', ')}`, 2);
const goals = existsSync(values.goals) ? JSON.parse(readFileSync(values.goals, 'utf8')) : undefined;
const second = secondFile();
const runOf = (/** @type {string} */ file) => parseRun(readFileSync(file, 'utf8'));
const again =
  second === undefined ? undefined : secondRun(runOf(/** @type {string} */ (files[0])), runOf(second), pairs);
const records = { ...readRecords(files, goals), again };
const repeated = second === undefined ? [] : readRecords([second]).comparisons;
const names = files.map((file) => relative(root, resolve(file)));
const clipper = existsSync(values.clipper) ? clipperDocuments(readRecords([values.clipper])) : undefined;
const text = markdown(records, `npm run bench:report -- ${names.join(' ')}`, repeated);

if (values.docs || values.check) writeDocs();
if (!values.check) {
  mkdirSync(values.out, { recursive: true });
  writeFileSync(join(values.out, 'report.md'), text);
  if (clipper !== undefined) {
    writeFileSync(join(values.out, 'clipper.md'), clipper.page);
    writeFileSync(join(values.out, 'clipper.svg'), clipper.picture);
  }
  console.log(`${join(values.out, 'report.md')}, from ${names.join(', ')}`);
}

/**
 * Returns the tables and the picture of docs/clipper.md.
 *
 * @param {import('./report/records.mjs').Records} records
 */
function clipperDocuments({ machines, points, comparisons }) {
  const page = wrapMarkdown(clipperPage({ machines, points, comparisons }).trim());
  return { page, picture: clipperChart(points, comparisons) };
}

/**
 * Writes the generated parts of the documents. With `--check`, compares them with the documents
 * instead.
 */
function writeDocs() {
  const { comparisons, machines } = records;
  const machine = shortMachineLine(machines[0]);
  const table = summaryTable(comparisons, records.facts, repeated);
  const readme = withPart('README.md', readFileSync(join(root, 'README.md'), 'utf8'), 'summary', table);
  const documents = {
    'README.md': withPart('README.md', readme, 'paper', chartPart({ machine, picture: CHART })),
    'docs/evaluation.md': withGenerated('docs/evaluation.md', 'paper', wrapMarkdown(text.trim())),
    'docs/benchmarks.md': withGenerated(
      'docs/benchmarks.md',
      'bench',
      singleTable(comparisons, machines.at(-1)).trim(),
    ),
    [CHART]: claimsChart(comparisons),
    ...(clipper !== undefined && {
      'docs/clipper.md': withGenerated('docs/clipper.md', 'clipper', clipper.page),
      'docs/clipper.svg': clipper.picture,
    }),
  };
  for (const [name, wanted] of Object.entries(documents)) {
    const path = join(root, name);
    if (!values.check) writeFileSync(path, wanted);
    else if (!existsSync(path) || readFileSync(path, 'utf8') !== wanted) {
      console.error(`${name} does not match ${names.join(', ')}; run npm run bench:report -- --docs`);
      process.exitCode = 1;
    }
  }
}

/**
 * Returns the document `name` with a new text between its two markers.
 *
 * @param {string} name
 * @param {string} marker
 * @param {string} part
 */
function withGenerated(name, marker, part) {
  return withPart(name, readFileSync(join(root, name), 'utf8'), marker, part);
}

/**
 * Replaces the text between two markers of a document.
 *
 * @param {string} name
 * @param {string} document
 * @param {string} marker
 * @param {string} part
 */
function withPart(name, document, marker, part) {
  const [start, end] = [`<!-- ${marker}:start -->`, `<!-- ${marker}:end -->`];
  const [from, to] = [document.indexOf(start), document.indexOf(end)];
  if (from < 0 || to < from) return fail(`${name} lacks the lines ${start} and ${end}`, 1);
  return `${document.slice(0, from + start.length)}\n${part}\n${document.slice(to)}`;
}

/**
 * Reads results files. Widens the range of each record by the factor that the recorded pairs of
 * runs give (`withRanges`).
 *
 * @param {string[]} files JSON lines
 * @param {import('./report/records.mjs').Goal[]} [goals]
 * @returns {import('./report/records.mjs').Records}
 */
function readRecords(files, goals) {
  const all = files.flatMap((file) => withRangesOf(recordsOf(file)));
  const ofKind = (/** @type {string} */ kind) => /** @type {any[]} */ (all.filter((record) => record.kind === kind));
  return {
    machines: ofKind('machine'),
    points: ofKind('point').filter(({ median }) => Number.isFinite(median)),
    comparisons: ofKind('comparison')
      .filter(({ ratio }) => Number.isFinite(ratio) && ratio > 0)
      .map(({ min, max, ...one }) => (Number.isFinite(min) && Number.isFinite(max) ? { ...one, min, max } : one)),
    facts: ofKind('fact'),
    missing: ofKind('missing'),
    goals,
  };
}

/**
 * Reads the records of a results file.
 *
 * @param {string} file
 */
function recordsOf(file) {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line, index) => parse(line, `${file}:${index + 1}`));
}

/**
 * Widens the ranges of the records of a file, and adds the machine of the run to each record.
 * Without a machine as the first record, returns the records unchanged.
 *
 * @param {any[]} records
 */
function withRangesOf([about, ...records]) {
  if (about?.kind !== 'machine') return about === undefined ? [] : [about, ...records];
  const run = shortMachineLine(about);
  return [about, ...withRanges({ about, records }, pairs).records.map((record) => ({ ...record, run }))];
}

/**
 * Parses one line of a results file. The error for an invalid line names its location.
 *
 * @param {string} line
 * @param {string} where
 */
function parse(line, where) {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new Error(`${where}: expected a JSON record, received ${line.slice(0, 40)}`, { cause });
  }
}
