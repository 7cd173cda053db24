import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { compareAnswers, toleranceOf } from '../workload/agree.mjs';
import { agreementRows } from '../workload/rows.mjs';
import { buildVersion } from './build-version.mjs';
import { isQuick } from './report.mjs';
import { openBrezel, openRival } from './servers.mjs';

// Every experiment begins here: what is timed must answer alike.

const ROWS = isQuick ? 200 : 2000;
/** Rows a call of the rival: the natural graph makes 4 MB of each at 1M entries. */
const BLOCK = 50;

/**
 * Both forms by the rival and natural by Brezel (native and fallback, one by one and as a batch) over some members of a fleet. What this build has
 * been found to say of a file stays true: it is compared once.
 *
 * @param {import('../workload/fleets.mjs').Fleet} fleet
 * @param {readonly number[]} members
 * @returns {Promise<string>} a line for the report
 * @throws Error when answers differ
 */
export async function compareOnce(fleet, members) {
  const said = [];
  const build = buildVersion();
  for (const member of new Set(members)) {
    const known = `${fleet.file(member, 'natural')}.agrees-${ROWS}-${build}`;
    if (!existsSync(known)) {
      writeFileSync(`${known}.${process.pid}`, await compared(fleet, member));
      renameSync(`${known}.${process.pid}`, known);
    }
    said.push(readFileSync(known, 'utf8'));
  }
  return said.join('; ');
}

/** @param {import('../workload/fleets.mjs').Fleet} fleet @param {number} member */
async function compared(fleet, member) {
  const rows = agreementRows(fleet.kind, ROWS);
  /** @type {Record<string, number[]>} */
  const answers = {};
  for (const form of /** @type {const} */ (['natural', 'expert'])) {
    const rival = await openRival(fleet.kind);
    await rival.load(fleet.file(member, form));
    answers[`onnxruntime ${form}`] = await inBlocks(rows, (block) => rival.many(0, block));
    await rival.close();
  }
  for (const [name, native] of Object.entries({ native: true, fallback: false })) {
    const server = await openBrezel({ native });
    await server.load(fleet.file(member, 'natural'));
    answers[name] = await server.many(0, rows);
    const single = await inBlocks(rows.slice(0, 100), async ([row]) => server.many(0, [row]), 1);
    if (single.some((number, row) => !Object.is(number, answers[name][row])))
      throw new Error(`${name}: a batch does not answer as one row does`);
    await server.close();
  }
  return compareAnswers(fleet.members[member].name, answers, toleranceOf(fleet.kind));
}

/** @template Row @param {readonly Row[]} rows @param {(block: readonly Row[]) => Promise<number[]>} answer @param {number} [size] */
async function inBlocks(rows, answer, size = BLOCK) {
  const numbers = [];
  for (let at = 0; at < rows.length; at += size) numbers.push(...(await answer(rows.slice(at, at + size))));
  return numbers;
}
