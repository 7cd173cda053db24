import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { send } from './processes.mjs';

// Describes what a measurement depends on: processor, versions, commit and build. On Linux, it also
// reads two figures of this process: its resident memory, and the time for which it waited for a
// core.

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Runs a git command and returns its output, or '' if the command fails.
 *
 * @param {string[]} command
 */
function git(...command) {
  try {
    return execFileSync('git', command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}

/** Describes this machine and build, for the first record of a results file. */
export async function machine() {
  const { loadNative } = await import('brezel');
  const isChanged = git('status', '--porcelain', '--', 'packages', 'native') !== '';
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform}-${process.arch}`,
    node: process.version,
    isa: process.env.NATIVE_ISA ?? loadNative().addon?.isas().at(-1) ?? 'no addon',
    rival: `onnxruntime-node ${createRequire(import.meta.url)('onnxruntime-node/package.json').version}`,
    commit: (git('rev-parse', '--short', 'HEAD') || 'none') + (isChanged ? ' with changes' : ''),
    date: new Date().toISOString().slice(0, 10),
    build: buildVersion(),
  };
}

/**
 * Describes the machine in one line of text.
 *
 * @param {Awaited<ReturnType<typeof machine>>} about
 */
export const machineLine = ({ cpu, cores, memoryGiB, platform, node, rival, isa, commit, date }) =>
  `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${platform}, Node ${node}, ${rival}, kernels ${isa}, commit ${commit}, ${date}`;

/**
 * Describes the machine in one short line for the README.
 *
 * @param {Record<string, any>} about
 */
export const shortMachineLine = ({ cpu, cores, node, rival, isa, commit, date }) =>
  `${cpu}, ${cores} cores, ${isa}, Node ${node}, ${rival}, commit ${commit}, ${date}`;

/** @type {string | undefined} */
let build;

/**
 * Returns a checksum of everything that runs (packages and addon), because builds of one commit may
 * differ.
 */
export function buildVersion() {
  build ??= checksum();
  return build;
}

function checksum() {
  const hash = createHash('sha256');
  for (const name of readdirSync(join(root, 'packages')).sort()) {
    const dist = join(root, 'packages', name, 'dist');
    if (!existsSync(dist)) continue;
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));
    for (const file of files.sort()) hash.update(readFileSync(join(dist, file)));
  }
  const addon = join(root, 'native/build/Release/brezel.node');
  if (existsSync(addon)) hash.update(readFileSync(addon));
  return hash.digest('hex').slice(0, 12);
}

/**
 * Returns the resident memory of this process in bytes. `rss` counts all pages. `pss` counts each
 * shared page divided by the number of processes that use it. `anonymous` counts pages that belong
 * to no file, and `own` counts pages that no other process uses.
 */
export function resident() {
  const rollup = readFileSync('/proc/self/smaps_rollup', 'utf8');
  const bytes = (/** @type {string} */ field) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1]) * 1024;
  return {
    rss: bytes('Rss'),
    pss: bytes('Pss'),
    anonymous: bytes('Anonymous'),
    own: bytes('Private_Clean') + bytes('Private_Dirty'),
  };
}

/**
 * Collects garbage, and returns the resident memory of this process. Node must run with
 * `--expose-gc`.
 */
export async function settled() {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return resident();
}

const buffer = Buffer.alloc(96);
/**
 * The open file with the scheduler statistics of this thread. Each read returns the current values.
 */
const schedulerFile = openSchedulerFile();

function openSchedulerFile() {
  try {
    return openSync('/proc/thread-self/schedstat', 'r');
  } catch {
    return undefined;
  }
}

/** Whether the system reports how long threads wait for a core. */
export const hasCoreWaits = schedulerFile !== undefined;

/**
 * Returns for how many milliseconds since its start this thread was ready to run but had no core.
 * Returns 0 if the system does not report this time. A call takes some µs.
 */
export function waitedForCore() {
  if (schedulerFile === undefined) return 0;
  const length = readSync(schedulerFile, buffer, 0, buffer.length, 0);
  return Number(buffer.toString('latin1', 0, length).split(' ')[1]) / 1e6;
}

const SHORTEST_GAP_MS = 0.05;

/**
 * @typedef {{ start: number, end: number, waited: number }} Gap
 *   A gap between two turns of the event loop, in ms. For `waited` ms the thread waited for a core.
 */

/**
 * Measures the gaps between turns of the event loop during a call. Returns only gaps of at least
 * `SHORTEST_GAP_MS`: a list of all gaps has millions of entries, and a list that grows stops the
 * event loop for milliseconds itself.
 *
 * @param {() => Promise<unknown>} call
 * @returns {Promise<Gap[]>}
 */
export async function gapsOf(call) {
  /** @type {Gap[]} */
  const gaps = [];
  let isOver = false;
  let [last, lastWaited] = [performance.now(), waitedForCore()];
  const turn = () => {
    const [now, waited] = [performance.now(), waitedForCore()];
    if (now - last >= SHORTEST_GAP_MS) gaps.push({ start: last, end: now, waited: waited - lastWaited });
    [last, lastWaited] = [now, waited];
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await call();
  isOver = true;
  // waits for the observer, which receives pauses later
  await new Promise((resolve) => setTimeout(resolve, 5));
  return gaps;
}

/**
 * Starts processes that compute without a pause and hardly use memory, to make the machine busy.
 *
 * @param {number} count
 * @returns {Promise<() => void>} stops the processes
 */
export async function startBusyProcesses(count) {
  const others = Array.from({ length: count }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
  const stop = () => others.forEach((other) => other.kill('SIGKILL'));
  process.once('exit', stop); // stops the processes also if the experiment fails
  await Promise.all(others.map((other) => once(other, 'spawn')));
  return stop;
}

export const trials = {
  /** A process of Node.js that loads no library. Sends its memory after a message of its parent. */
  async idle() {
    const measure = new Promise((resolve) => process.once('message', resolve));
    await send({ ready: true });
    await measure;
    await send({ after: await settled() });
  },
};
