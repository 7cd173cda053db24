import { fork, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { summary } from './stats.mjs';

// Starts measuring processes. An experiment runs in a separate process, and starts fresh processes
// for its trials. This file is also the entry point of these processes: `processes.mjs MODULE run
// NAME` runs an experiment, and `processes.mjs MODULE trial NAME JSON` runs one trial.

/**
 * A line of a results file.
 *
 * @typedef {Record<string, any>} BenchRecord
 */

const ENTRY = fileURLToPath(import.meta.url);

/**
 * Starts a trial: a fresh process that runs `trials[name]` of a module.
 *
 * @param {string} module `import.meta.url` of the module
 * @param {string} name
 * @param {unknown} parameters
 */
export const startTrial = (module, name, parameters) =>
  fork(ENTRY, [module, 'trial', name, JSON.stringify(parameters)], { execArgv: ['--expose-gc'], stdio: 'inherit' });

/**
 * Runs a trial to its end.
 *
 * @param {string} module `import.meta.url` of the module
 * @param {string} name
 * @param {unknown} parameters
 * @returns {Promise<any>} the last message that the trial sent
 */
export function trial(module, name, parameters) {
  return new Promise((resolve, reject) => {
    const child = startTrial(module, name, parameters);
    /** @type {unknown} */
    let answer;
    child.on('message', (message) => (answer = message));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0 && answer !== undefined) resolve(answer);
      else
        reject(new Error(`trial ${name} of ${module} exited with ${code}, parameters ${JSON.stringify(parameters)}`));
    });
  });
}

/**
 * Sends a trial's answer, and waits until it is written. A process that disconnects earlier would
 * lose the answer.
 *
 * @param {unknown} answer
 * @returns {Promise<void>}
 */
export const send = (answer) =>
  new Promise((resolve, reject) => {
    if (process.send === undefined) resolve();
    else process.send(answer, (/** @type {Error | null} */ error) => (error ? reject(error) : resolve()));
  });

/**
 * Waits for the next message of a process and returns it.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<any>}
 */
export function nextMessage(child) {
  return new Promise((resolve, reject) => {
    const failed = (/** @type {number | null} */ code) => reject(new Error(`a measuring process exited with ${code}`));
    child.once('error', reject);
    child.once('exit', failed);
    child.once('message', (message) => {
      child.off('error', reject).off('exit', failed);
      resolve(message);
    });
  });
}

/**
 * Starts a trial that answers messages until the caller closes it. Returns its first message, a
 * function that sends a message, and a function that closes it.
 *
 * @param {string} module `import.meta.url` of the module
 * @param {string} name
 * @param {unknown} parameters
 */
export async function startPeer(module, name, parameters) {
  const child = startTrial(module, name, parameters);
  const hello = await nextMessage(child);
  return {
    hello,
    /** @param {any} message */
    request: (message) => {
      const answer = nextMessage(child);
      child.send(message);
      return answer;
    },
    close: () =>
      new Promise((resolve) => {
        child.once('exit', resolve);
        child.send('close');
      }),
  };
}

/**
 * Answers the messages of the parent process until the message `close`. A trial that `startPeer`
 * starts calls this function.
 *
 * @param {unknown} hello the first message
 * @param {(message: any) => unknown} answer
 */
export async function serveParent(hello, answer) {
  const closed = new Promise((resolve) =>
    process.on('message', async (message) => {
      if (message === 'close') resolve(undefined);
      else await send(await answer(message));
    }),
  );
  await send(hello);
  await closed;
}

/**
 * Runs trials one after another: at least `least`, at most `most`, and otherwise as many as are
 * expected to end within `seconds`.
 *
 * @template T
 * @param {{ seconds: number, least?: number, most: number, now?: () => number }} budget
 * @param {(trial: number) => Promise<T>} run
 * @returns {Promise<T[]>}
 */
export async function trialsWithin({ seconds, least = 1, most, now = () => performance.now() }, run) {
  const start = now();
  const answers = [];
  while (answers.length < most) {
    const spent = (now() - start) / 1000;
    // The next trial is expected to take as long as the mean of the earlier trials.
    if (answers.length >= least && spent * (1 + 1 / answers.length) > seconds) break;
    answers.push(await run(answers.length));
  }
  return answers;
}

/**
 * Runs an experiment in one or several processes, one after another, and appends its records to a
 * file.
 *
 * @param {import('./plan.mjs').Unit} unit
 * @param {{ out: string, processes?: number, env: NodeJS.ProcessEnv }} options
 * @returns {number} the first exit code that is not 0, or 0
 */
export function runUnit({ name, module }, { out, processes = 1, env }) {
  const own = `${out}.part`;
  const script = new URL(`../experiments/${module}.mjs`, import.meta.url).href;
  const runs = [];
  let code = 0;
  for (let attempt = 0; attempt < processes && code === 0; attempt++) {
    if (processes > 1) console.log(`  process ${attempt + 1} of ${processes}`);
    rmSync(own, { force: true });
    const { status } = spawnSync(process.execPath, ['--expose-gc', ENTRY, script, 'run', name], {
      stdio: 'inherit',
      env: { ...env, BENCH_NAME: name, BENCH_OUT: own },
    });
    runs.push(takeRecords(own));
    code = status ?? 1;
  }
  const lines = merged(runs).map((record) => `${JSON.stringify(record)}\n`);
  appendFileSync(out, lines.join(''));
  return code;
}

/**
 * Reads and deletes a file of records.
 *
 * @param {string} file
 * @returns {BenchRecord[]}
 */
function takeRecords(file) {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trim().split('\n').filter(Boolean);
  rmSync(file);
  return lines.map((line) => JSON.parse(line));
}

/** The fields that identify a record. All other fields are measured values or texts. */
const IDENTITY = 'kind bench of scale goal part figure series x xUnit unit what rival'.split(' ');
const MEDIANS = ['ours', 'theirs', 'ratio', 'median', 'p99', 'measured'];
const LEAST = ['low', 'min'];
const MOST = ['high', 'max'];

/** @param {BenchRecord} record */
const identity = (record) => JSON.stringify(IDENTITY.map((field) => record[field]));

/**
 * Merges the records of one experiment that ran in several processes, because memory layout and JIT
 * differ between processes. A merged record has the median of each measured value, the widest
 * range, and the text of the last run.
 *
 * @param {readonly (readonly BenchRecord[])[]} runs
 * @returns {BenchRecord[]} in the order of the last run
 */
export function merged(runs) {
  const last = runs.at(-1) ?? [];
  if (runs.length < 2) return [...last];
  return last.map((record) => {
    if (!MEDIANS.some((field) => typeof record[field] === 'number')) return record;
    return together(
      record,
      runs.flatMap((run) => run.filter((other) => identity(other) === identity(record))),
    );
  });
}

/**
 * Merges the records of one metric from several processes into one record.
 *
 * @param {BenchRecord} last
 * @param {readonly BenchRecord[]} same
 */
function together(last, same) {
  const values = (/** @type {string} */ field) => same.map((record) => record[field]).filter(Number.isFinite);
  /** @type {BenchRecord} */
  const record = { ...last, processes: same.length };
  for (const field of MEDIANS) if (values(field).length > 0) record[field] = summary(values(field)).median;
  for (const field of LEAST) if (values(field).length > 0) record[field] = Math.min(...values(field));
  for (const field of MOST) if (values(field).length > 0) record[field] = Math.max(...values(field));
  if (last.samples !== undefined) record.samples = values('samples').reduce((sum, count) => sum + count, 0);
  if (last.expected !== undefined) {
    const ranges = same.flatMap(({ expected }) => expected ?? []);
    record.expected = {
      min: Math.min(...ranges.map(({ min }) => min)),
      max: Math.max(...ranges.map(({ max }) => max)),
    };
  }
  return record;
}

/**
 * Runs the trial or experiment that the command line of a measuring process names.
 *
 * @param {readonly string[]} args
 */
async function main([module, role, name, parameters = '{}']) {
  const { experiments, trials } = await import(module);
  if (role === 'run') return experiments[name]();
  await trials[name](JSON.parse(parameters));
  if (process.connected) process.disconnect();
}

// Do not await here: `module` imports this file and would wait until this file has run.
if (process.argv[1] === ENTRY) main(process.argv.slice(2));
