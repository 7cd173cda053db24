import { fork } from 'node:child_process';
import { freemem } from 'node:os';
import { trialsWithin } from './budget.mjs';
import { trial } from './child.mjs';

// Trials that load fleets, in processes of their own; what is too large for the machine is loaded in part, and the rest counted as further models.

const TRIAL = new URL('../trials/paper-fleet.mjs', import.meta.url);
/** Memory of a loaded model by bytes of its file, at most, as seen of the rival. */
const GREATEST_FACTOR = 10;
/** No trial may take more of the memory that is free. */
const SHARE_OF_MEMORY = 0.4;

/** For one way to load a fleet; and so many trials in any case: fewer say little of how much they differ. */
const SECONDS = 25;
const LEAST = 3;

/** @typedef {{ engine: 'brezel' | 'onnxruntime' | 'none', kind: string, files?: string[], packed?: string, threads?: 'one' | 'default', prefault?: boolean, models?: number, wait?: boolean }} Load prefault: false: the fleet file is mapped, and read when it is needed; models: the first of it */
/** @typedef {{ rss: number, pss: number, anonymous: number, own: number }} Memory bytes; own: of no other process */
/** @typedef {{ models: number, loadMs: number, coldMs: number[], parts?: import('./servers.mjs').OpenTimes, before: Memory, half: Memory, after: Memory }} Loaded */

/** How many models of such files a trial can load. @param {number} fileBytes @param {number} wanted */
export const loadable = (fileBytes, wanted) =>
  Math.max(4, Math.min(wanted, Math.floor((SHARE_OF_MEMORY * freemem()) / (fileBytes * GREATEST_FACTOR))));

/** @param {Load} load @param {number} most trials, as long as there is time @returns {Promise<Loaded[]>} */
export const loads = (load, most) =>
  trialsWithin({ seconds: SECONDS, least: Math.min(LEAST, most), most }, () => trial(TRIAL, [JSON.stringify(load)]));

/** Bytes a fleet holds, and what a model more takes: the first half pays for what loading leaves behind. @param {Loaded} one @param {number} wanted models */
export function heldBytes({ models, before, half, after }, wanted) {
  const middle = Math.floor(models / 2);
  const further = half.rss === before.rss ? 0 : Math.max(0, (after.rss - half.rss) / (models - middle));
  return after.rss - before.rss + (wanted - models) * further;
}

/** @param {Loaded} one @param {number} wanted */
export const loadTime = ({ models, loadMs }, wanted) => (loadMs * wanted) / models;

/** Some processes with the same fleet at the same time: their memory when all have loaded. @param {Load} load @param {number} count @returns {Promise<Loaded[]>} */
export async function together(load, count) {
  const children = Array.from({ length: count }, () =>
    fork(TRIAL, [JSON.stringify({ ...load, wait: true })], { execArgv: ['--expose-gc'], stdio: 'inherit' }),
  );
  try {
    await Promise.all(children.map(nextMessage));
    const answers = children.map(nextMessage);
    for (const child of children) child.send('measure');
    return await Promise.all(answers);
  } finally {
    for (const child of children) if (child.connected) child.disconnect();
  }
}

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<any>} */
function nextMessage(child) {
  return new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`a process of a fleet ended with ${code}`)));
  });
}
