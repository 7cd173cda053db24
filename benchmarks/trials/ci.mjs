// One trial of bench:ci: two builds of Brezel in one process, with the rival, in turns. Parameters: roots of head and base, number of the trial.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { takeTurns } from '../../packages/cli/dist/bench-measure.js';
import { workloads } from '../ci/workloads.mjs';
import { parameters, send } from '../lib/child.mjs';

const [head, base, trial, rounds] = parameters;

/** @param {string} root @returns {Promise<typeof import('brezel')>} */
const load = (root) => import(pathToFileURL(join(root, 'packages/brezel/dist/index.js')).href);

// Who comes first gets the better memory, or the worse: builds change places from trial to trial.
const isHeadFirst = Number(trial) % 2 === 0;
const roots = isHeadFirst ? { head, base } : { base, head };
/** @type {import('../../packages/cli/dist/bench/measure.js').Contestant[]} */
const contestants = [];
/** @type {Record<string, Record<string, number>>} */
const bytes = {};
/** @type {(() => Promise<void>)[]} */
const closers = [];
for (const [build, root] of Object.entries(roots)) {
  const { calls, parameterBytes, close } = await workloads.ofBuild(await load(root));
  contestants.push(...Object.entries(calls).map(([name, run]) => ({ name: `${build} ${name}`, run })));
  bytes[build] = parameterBytes;
  closers.push(close);
}
for (const [name, run] of Object.entries(await workloads.ofRival())) contestants.push({ name: `rival ${name}`, run });

const times = await takeTurns(contestants, { rounds: Number(rounds), blockMs: 6 });
for (const close of closers) await close();
await send({ times: Object.fromEntries([...times].map(([name, { rounds }]) => [name, rounds])), bytes });
