import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { agreementRows } from '../models/workload.mjs';
import { openBrezel, openRival } from './engines.mjs';
import { buildVersion } from './machine.mjs';
import { isQuick } from './records.mjs';

// Compares the answers of predictors. Every experiment compares answers before it measures, because
// the time of a wrong answer is meaningless.

/**
 * The largest allowed difference between two answers, relative if an answer is above 1. Runtimes
 * add float32 numbers in different orders.
 */
export const TOLERANCE = 2e-5;
/**
 * Of 1000 rows, this many may get a different answer: a computed feature that differs in its last
 * bit can lead to another leaf of a tree.
 */
const FLIPS = 2;

/**
 * Compares the answers of several predictors with the first one.
 *
 * @param {string} what
 * @param {Record<string, ArrayLike<number>>} answers one number per row
 * @param {{ flips?: number, tolerance?: number }} [options] `flips` is the number of rows of a
 * thousand that may differ
 * @returns {string} a line for the report
 * @throws Error that names the predictor and the row that differ
 */
export function compareAnswers(what, answers, { flips = 0, tolerance = TOLERANCE } = {}) {
  const [[truthName, truth], ...others] = Object.entries(answers);
  let notes = '';
  for (const [name, numbers] of others) {
    if (numbers.length !== truth.length)
      throw new Error(
        `${what}: expected ${truth.length} answers as of ${truthName}, received ${numbers.length} of ${name}`,
      );
    const differing = Array.from(truth, (wanted, row) => ({ wanted, row })).filter(
      ({ wanted, row }) => !(Math.abs(numbers[row] - wanted) <= tolerance * Math.max(1, Math.abs(wanted))),
    );
    const [first] = differing;
    if (first === undefined) continue;
    if (differing.length > Math.ceil((flips * truth.length) / 1000))
      throw new Error(
        `${what}: ${differing.length} of ${truth.length} rows differ; row ${first.row}: expected ${first.wanted} (${truthName}), received ${numbers[first.row]} (${name})`,
      );
    notes += `; ${name} takes another branch in ${differing.length}`;
  }
  return `${what}: ${Object.keys(answers).join(' = ')} on ${truth.length} rows (±${tolerance}${notes})`;
}

/**
 * Returns the options of `compareAnswers` for a kind of pipeline.
 * @param {import('../models/workload.mjs').Kind} kind
 */
export const toleranceOf = (kind) => ({ flips: kind === 'ac' ? FLIPS : 0 });

/**
 * Compares the answers of several predictors to single texts.
 *
 * @param {string} what
 * @param {readonly string[]} texts
 * @param {Record<string, (text: string) => number | Promise<number>>} predictors the first one is
 * correct
 * @returns {Promise<string>} a line for the report
 */
export async function compareTexts(what, texts, predictors) {
  /** @type {Record<string, number[]>} */
  const answers = {};
  for (const [name, predict] of Object.entries(predictors)) {
    answers[name] = [];
    for (const text of texts) answers[name].push(await predict(text));
  }
  return compareAnswers(what, answers);
}

const ROWS = isQuick ? 200 : 2000;
/**
 * The number of rows in a call of onnxruntime. With a dictionary of 1M entries, the natural graph
 * takes 4 MB for each row.
 */
const BLOCK = 50;

/**
 * Checks for pipelines of a fleet that all engines return the same answers: both onnxruntime
 * graphs, and Brezel on the natural graph (native and JavaScript, single rows and batches). A file
 * beside the model caches the result for each build of Brezel.
 *
 * @param {import('../models/workload.mjs').Fleet} fleet
 * @param {readonly number[]} members
 * @returns {Promise<string>} a line for the report
 * @throws Error when answers differ
 */
export async function compareOnce(fleet, members) {
  const lines = [];
  for (const member of new Set(members)) {
    const cached = `${fleet.file(member, 'natural')}.agrees-${ROWS}-${buildVersion()}`;
    if (!existsSync(cached)) {
      writeFileSync(`${cached}.${process.pid}`, await compareMember(fleet, member));
      renameSync(`${cached}.${process.pid}`, cached);
    }
    lines.push(readFileSync(cached, 'utf8'));
  }
  return lines.join('; ');
}

/**
 * Compares the answers of all engines for one pipeline of a fleet.
 *
 * @param {import('../models/workload.mjs').Fleet} fleet
 * @param {number} member
 */
async function compareMember(fleet, member) {
  const rows = agreementRows(fleet.kind, ROWS);
  /** @type {Record<string, number[]>} */
  const answers = {};
  for (const form of /** @type {const} */ (['natural', 'expert'])) {
    const rival = await openRival(fleet.kind);
    await rival.load(fleet.file(member, form));
    answers[`onnxruntime ${form}`] = await inBlocks(rows, (block) => rival.many(0, block));
    await rival.close();
  }
  for (const [name, native] of Object.entries({ native: true, JavaScript: false })) {
    const brezel = await openBrezel({ native });
    await brezel.load(fleet.file(member, 'natural'));
    answers[name] = await brezel.many(0, rows);
    const single = await inBlocks(rows.slice(0, 100), async ([row]) => brezel.many(0, [row]), 1);
    if (single.some((number, row) => !Object.is(number, answers[name][row])))
      throw new Error(`${name}: answers of a batch and of single rows differ`);
    await brezel.close();
  }
  return compareAnswers(fleet.members[member].name, answers, toleranceOf(fleet.kind));
}

/**
 * Answers rows in blocks of at most `size` rows, because larger calls need too much memory.
 *
 * @template Row
 * @param {readonly Row[]} rows
 * @param {(block: readonly Row[]) => Promise<number[]>} answer
 * @param {number} [size]
 */
async function inBlocks(rows, answer, size = BLOCK) {
  const numbers = [];
  for (let first = 0; first < rows.length; first += size)
    numbers.push(...(await answer(rows.slice(first, first + size))));
  return numbers;
}
