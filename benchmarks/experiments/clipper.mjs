// The figures of the Clipper paper (Crankshaw et al., NSDI 2017): adaptive batching, selection by
// feedback, ensembles and stragglers. The models are real: scikit-learn and XGBoost in Python
// containers, and a neural network in onnxruntime. clipper_models.py trains them on handwritten
// digits. Part `selection` times nothing, so its records are equal in each run.
import { execFileSync } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { processPredictor } from '@brezel/external';
import { DataType, makeGraph, makeModel, makeNode, makeTensor, tensorInput, writeModel } from '@brezel/onnx';
import { createSelection, exp3, exp4 } from '@brezel/selection';
import { createFlour, createRuntime, importOnnx, onnxruntimeBackend, systemClock } from 'brezel';
import { openBrezel } from '../harness/engines.mjs';
import { interleave, openLoop, poissonArrivals } from '../harness/loops.mjs';
import { partsOf } from '../harness/plan.mjs';
import { comparison, isQuick, measure, missing, point, say, scale } from '../harness/records.mjs';
import { spread, summary } from '../harness/stats.mjs';
import { folderOf, forestFile } from '../models/files.mjs';
import { FEATURES, forestRows } from '../models/forests.mjs';
import { randomOf, shuffled } from '../models/random.mjs';

const SCRIPT = new URL('clipper_models.py', import.meta.url);
const TOOLS = fileURLToPath(new URL('../../tools/python', import.meta.url));
const PYTHONS = [process.env.BREZEL_BENCH_PYTHON, '/usr/bin/python3', 'python3'].filter((path) => path !== undefined);
const ONE_THREAD = { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' };

/** The share of the full experiment that this process runs. */
const SHARE = isQuick && scale === 1 ? 0.02 : scale;
const QUERIES = Math.max(400, Math.round(20_000 * SHARE));
const BLOCK_MS = isQuick ? 50 : 400;
const ROUNDS = Math.max(2, Math.round(3 * SHARE));
const SLO_MS = 20;
const MAX_BATCH = 1024;
const PIXELS = 64;
/** The five models of the ensemble. The last model has the fewest errors, and fails in Figure 8. */
const FIVE = ['linear-svm', 'random-forest', 'xgboost', 'network', 'kernel-svm'];
const CONTAINERS = isQuick ? ['linear-svm'] : ['no-op', 'linear-svm', 'xgboost', 'kernel-svm'];
const ETAS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5];
const SEEDS = [1, 2, 3, 4, 5];
const FORESTS = 8;
const ERRORS = 'errors per query';
const RATE = 'requests/s';
const CPU_RATE = 'rows per second of CPU';

/** @typedef {{ python: string, folder: string }} Place */
/** @typedef {{ rows: Float32Array[], labels: number[], [field: string]: any }} Queries */
/** @typedef {Record<string, readonly number[]>} Answers the answer of each model to each query */
/** @typedef {Partial<import('@brezel/external').ProcessOptions>} ContainerOptions */

export const experiments = {
  async clipper() {
    const python = PYTHONS.find(hasPackages);
    if (python === undefined) return missing('Clipper', 'no Python has the packages scikit-learn and xgboost');
    const place = { python, folder: trained(python) };
    const parts = { selection, batching, stragglers };
    for (const part of partsOf(/** @type {const} */ (['selection', 'batching', 'stragglers']))) {
      recordLoad(part, 'start');
      await parts[part](place);
      recordLoad(part, 'end');
    }
  },
};

/**
 * Returns whether a Python command can import the packages of the models.
 *
 * @param {string} python
 */
function hasPackages(python) {
  try {
    execFileSync(python, ['-c', 'import numpy, sklearn, xgboost'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/**
 * Trains the models unless their files exist, and returns their folder.
 *
 * @param {string} python
 */
function trained(python) {
  const folder = join(folderOf([SCRIPT]), `clipper-${QUERIES}`);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  const args = ['-B', '-W', 'ignore', fileURLToPath(SCRIPT), 'train', unfinished, String(QUERIES)];
  execFileSync(python, args, { stdio: 'inherit', env: { ...process.env, ...ONE_THREAD } });
  renameSync(unfinished, folder);
  return folder;
}

/**
 * Records how many processes of this machine wanted a core in the last minute. On a busy machine,
 * measured times contain the time in which Brezel waits for a core.
 *
 * @param {string} part
 * @param {string} x
 */
const recordLoad = (part, x) =>
  point({ figure: 'clipperload', series: part, x, unit: 'processes' }, { median: loadavg()[0] });

/**
 * @param {string} folder
 * @param {string} name
 * @returns {Queries}
 */
function queriesOf(folder, name) {
  const bytes = readFileSync(join(folder, `${name}.f32`));
  const pixels = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  const { labels, ...more } = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
  const rows = Array.from(labels, (_, row) => pixels.slice(row * PIXELS, (row + 1) * PIXELS));
  return { ...more, labels, rows };
}

/**
 * Registers the plan of a program, and returns functions that call it.
 *
 * @param {import('brezel').FlourContext} flour
 * @param {import('brezel').Program} program
 * @param {import('brezel').Backend} backend
 */
function served(flour, program, backend) {
  const runtime = createRuntime({ store: flour.store, backends: [backend], materialization: false });
  const plan = runtime.register(program.plan());
  const label = (/** @type {any} */ answer) => Number([answer.label].flat()[0]);
  return {
    /**
     * @param {Float32Array} x
     * @param {AbortSignal} [signal]
     */
    ask: async (x, signal) => label(await runtime.predict(plan, { x }, signal && { signal })),
    /** @param {readonly Float32Array[]} rows */
    many: async (rows) =>
      (
        await runtime.predictBatch(
          plan,
          rows.map((x) => ({ x })),
        )
      ).map(label),
    close: async () => {
      await runtime.close();
      flour.dispose();
    },
  };
}

/** @typedef {ReturnType<typeof served>} Model */
/** @typedef {Awaited<ReturnType<typeof openContainer>>} Container */

/** The environment variable by which this process finds the process of a container. */
const ID = 'BREZEL_BENCH_CONTAINER';
let containers = 0;

/**
 * Returns the identifier of the child process of a container, or undefined if the system does not
 * report it.
 *
 * @param {string} id
 */
function childWith(id) {
  const file = `/proc/self/task/${process.pid}/children`;
  const children = existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').filter(Boolean) : [];
  return children.find((child) => readFileSync(`/proc/${child}/environ`, 'utf8').split('\0').includes(`${ID}=${id}`));
}

/**
 * A clock that advances only while this process or its container computes. Other processes of the
 * machine therefore do not change its times. A container has one request at a time, so client and
 * container compute in turns. The times are about as long as on one core that runs nothing else.
 */
class CpuClock {
  /** The process of the container. */
  child = /** @type {string | undefined} */ (undefined);
  #containerMs = 0;
  #readingMs = 0;

  now() {
    return ownCpuMs() - this.#readingMs + this.#containerMs;
  }

  /** Timers of the predictor, such as timeouts, run in real time. */
  setTimeout = systemClock.setTimeout;

  /** The CPU time of the container in seconds. Reading it does not advance the clock. */
  containerSeconds() {
    if (this.child === undefined) return 0;
    const before = ownCpuMs();
    const tasks = `/proc/${this.child}/task`;
    const times = readdirSync(tasks).map((task) =>
      Number.parseInt(readFileSync(join(tasks, task, 'schedstat'), 'utf8'), 10),
    );
    this.#containerMs = times.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6;
    this.#readingMs += ownCpuMs() - before;
    return this.#containerMs / 1000;
  }
}

/** Returns the CPU time of this process in ms. */
function ownCpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Starts a model in a Python container. The container gets one request at a time.
 *
 * @param {Place} place
 * @param {string} name
 * @param {ContainerOptions} [options]
 */
async function openContainer({ python, folder }, name, options) {
  const id = `${containers++}`;
  const clock = new CpuClock();
  const predictor = await processPredictor({
    command: python,
    args: ['-B', '-W', 'ignore', fileURLToPath(SCRIPT), 'serve', folder, name],
    env: { PYTHONPATH: TOOLS, [ID]: id, ...ONE_THREAD },
    model: name,
    maxBatch: MAX_BATCH,
    concurrency: 1,
    maxWaiting: 100_000,
    timeoutMs: 60_000,
    clock,
    ...options,
  });
  const flour = await createFlour();
  clock.child = childWith(id);
  const model = served(flour, predictor.program(flour), predictor);
  const close = () => {
    clock.child = undefined;
    return model.close();
  };
  return { ...model, stats: () => predictor.stats(), clock, close };
}

/**
 * Opens the neural network as one black box in onnxruntime.
 *
 * @param {{ weights: number[][], biases: number[][] }} layers
 */
async function openNetwork({ weights, biases }) {
  const sizes = biases.map(({ length }) => length);
  const dense = (/** @type {number} */ layer, /** @type {string} */ input, /** @type {string} */ output) =>
    makeNode('Gemm', [input, `w${layer}`, `b${layer}`], [output]);
  const graph = makeGraph({
    input: [tensorInput('x', DataType.FLOAT, [undefined, PIXELS])],
    output: [tensorInput('label', DataType.INT64, [undefined, 1])],
    node: [
      dense(0, 'x', 'sums'),
      makeNode('Relu', ['sums'], ['hidden']),
      dense(1, 'hidden', 'scores'),
      makeNode('ArgMax', ['scores'], ['label'], { axis: { i: 1 }, keepdims: { i: 1 } }),
    ],
    initializer: weights.flatMap((numbers, layer) => [
      makeTensor(`w${layer}`, 'float32', [numbers.length / sizes[layer], sizes[layer]], Float32Array.from(numbers)),
      makeTensor(`b${layer}`, 'float32', [sizes[layer]], Float32Array.from(biases[layer])),
    ]),
  });
  const flour = await createFlour();
  const { program } = importOnnx(writeModel(makeModel(graph, { '': 17 })), flour, { blackBox: 'prefer' });
  return served(flour, program, onnxruntimeBackend());
}

// Selection: Figures 7, 8 and 10

/** @param {Place} place */
async function selection(place) {
  const queries = queriesOf(place.folder, 'queries');
  const [from, to] = [QUERIES / 4, QUERIES / 2].map(Math.round);
  /** @type {Record<string, number[]>} */
  const answers = {};
  const failing = queries.rows.map((x, row) => (row >= from && row < to ? x.toReversed() : x));
  /** @type {number[]} */
  let failed = [];
  for (const name of FIVE) {
    const model =
      name === 'network' ? await openNetwork(/** @type {any} */ (queries)) : await openContainer(place, name);
    answers[name] = await model.many(queries.rows);
    if (name === FIVE.at(-1)) failed = await model.many(failing);
    await model.close();
  }
  const differing = queries.network.filter(
    (/** @type {number} */ label, /** @type {number} */ row) => label !== answers.network[row],
  );
  if (differing.length > QUERIES / 1000)
    throw new Error(`onnxruntime and scikit-learn differ for ${differing.length} of ${QUERIES} queries`);
  say(`onnxruntime = scikit-learn for all but ${differing.length} of ${QUERIES} queries`);
  await ensemble(answers, queries.labels);
  const degraded = { ...answers, [/** @type {string} */ (FIVE.at(-1))]: failed };
  await failure(degraded, queries.labels);
  await etas(degraded, queries.labels);
  await dialects(place);
}

/**
 * Answers all queries one after another with a selection, with feedback after each query.
 *
 * @param {Answers} answers
 * @param {readonly number[]} labels
 * @param {{ policy: import('@brezel/selection').SelectionPolicy<any>, seed?: number, contexts?:
 * readonly number[] }} options
 * @returns {Promise<{ errors: number[], confidences: number[] }>} of each query
 */
async function replay(answers, labels, { policy, seed = 1, contexts }) {
  const names = Object.keys(answers);
  const app = createSelection({
    candidates: Object.fromEntries(names.map((name) => [name, (/** @type {number} */ query) => answers[name][query]])),
    policy,
    loss: (/** @type {number} */ truth, answer) => (truth === answer ? 0 : 1),
    random: randomOf(seed),
  });
  const [errors, confidences] = [[], []].map((list) => /** @type {number[]} */ (list));
  for (const [query, label] of labels.entries()) {
    const chosen = await app.predict(query, contexts && { context: contexts[query] });
    errors.push((await app.feedback(chosen.query, label)).loss);
    confidences.push(chosen.confidence);
  }
  return { errors, confidences };
}

const mean = (/** @type {readonly number[]} */ list) => list.reduce((sum, value) => sum + value, 0) / list.length;
const errorsOf = (/** @type {readonly number[]} */ answers, /** @type {readonly number[]} */ labels) =>
  labels.map((label, query) => (answers[query] === label ? 0 : 1));

/**
 * Figure 7: the errors of each model, of the ensemble, and of the queries for which four or five
 * models agree with the ensemble.
 *
 * @param {Answers} answers
 * @param {readonly number[]} labels
 */
async function ensemble(answers, labels) {
  const record = (/** @type {string} */ series, /** @type {readonly number[]} */ errors) => {
    if (errors.length > 0) point({ figure: 'clipper7', series, x: ERRORS, unit: ERRORS }, { median: mean(errors) });
    point(
      { figure: 'clipper7', series, x: 'share of queries', unit: ERRORS },
      { median: errors.length / labels.length },
    );
  };
  for (const name of FIVE) record(name, errorsOf(answers[name], labels));
  record('ensemble, equal weights', (await replay(answers, labels, { policy: exp4({ eta: 0 }) })).errors);
  const { errors, confidences } = await replay(answers, labels, { policy: exp4() });
  record('ensemble, exp4', errors);
  const agreeing = confidences.map((confidence) => Math.round(confidence * FIVE.length));
  for (const [count, name] of /** @type {const} */ ([
    [5, '5 agree'],
    [4, '4 agree'],
  ]))
    record(
      name,
      errors.filter((_, query) => agreeing[query] === count),
    );
  record(
    '3 or fewer agree',
    errors.filter((_, query) => agreeing[query] <= 3),
  );
}

/**
 * Figure 8: the cumulative error of each model and policy. The best model fails for a quarter of
 * the queries.
 *
 * @param {Answers} answers
 * @param {readonly number[]} labels
 */
async function failure(answers, labels) {
  const curves = {
    ...Object.fromEntries(FIVE.map((name) => [name, errorsOf(answers[name], labels)])),
    exp3: (await replay(answers, labels, { policy: exp3() })).errors,
    exp4: (await replay(answers, labels, { policy: exp4() })).errors,
  };
  for (const [series, errors] of Object.entries(curves)) {
    let sum = 0;
    for (const [query, error] of errors.entries()) {
      sum += error;
      if ((query + 1) % Math.round(QUERIES / 40) !== 0) continue;
      point(
        { figure: 'clipper8', series, x: query + 1, xUnit: 'queries', unit: ERRORS },
        { median: sum / (query + 1) },
      );
    }
  }
}

/**
 * The errors of Exp3 and Exp4 at the end of Figure 8, for each eta. The defaults of the policies
 * are chosen by this table.
 *
 * @param {Answers} answers
 * @param {readonly number[]} labels
 */
async function etas(answers, labels) {
  for (const eta of ETAS)
    for (const [series, policy, seeds] of /** @type {const} */ ([
      ['exp3', exp3, SEEDS],
      ['exp4', exp4, [1]],
    ])) {
      const ends = [];
      for (const seed of seeds)
        ends.push(mean((await replay(answers, labels, { policy: policy({ eta }), seed })).errors));
      const { median, min, max } = summary(ends);
      point({ figure: 'clipper8-eta', series, x: eta, xUnit: 'eta', unit: ERRORS }, { median, min, max });
    }
}

/**
 * Figure 10: the errors of a user's queries after some feedback of this user. Each user writes in
 * one of four ways, and each way has a model. The queries of the users arrive in random order.
 *
 * @param {Place} place
 */
async function dialects(place) {
  const { rows, labels: inFile, users: userOf, dialects: count } = queriesOf(place.folder, 'users');
  const perUser = userOf.filter((/** @type {number} */ user) => user === 0).length;
  const users = shuffled(randomOf(10), /** @type {number[]} */ (userOf));
  const seen = new Map(users.map((user) => [user, 0]));
  const feedbacks = users.map((user) => {
    const before = /** @type {number} */ (seen.get(user));
    seen.set(user, before + 1);
    return before;
  });
  const order = users.map((user, at) => user * perUser + feedbacks[at]);
  const labels = order.map((query) => inFile[query]);
  const own = Array.from({ length: count }, (_, dialect) => `dialect-${dialect}`);
  /** @type {Record<string, number[]>} */
  const answers = {};
  for (const name of [...own, 'all-dialects']) {
    const model = await openContainer(place, name);
    answers[name] = await model.many(order.map((query) => rows[query]));
    await model.close();
  }
  const selected = async (/** @type {number} */ eta, /** @type {boolean} */ isPerUser) =>
    (await replay(answers, labels, { policy: exp4({ eta }), contexts: isPerUser ? users : undefined })).errors;
  const series = {
    'one model for all': errorsOf(answers['all-dialects'], labels),
    'model of the dialect': labels.map((label, at) => (answers[own[users[at] % count]][at] === label ? 0 : 1)),
    'exp4 for all users': await selected(0.1, false),
    'exp4 per user, eta 0.1': await selected(0.1, true),
    'exp4 per user, eta 0.5': await selected(0.5, true),
  };
  for (const [name, errors] of Object.entries(series))
    for (let from = 0; from < perUser; from = 2 * from || 1) {
      const to = 2 * from || 1;
      const some = errors.filter((_, at) => feedbacks[at] >= from && feedbacks[at] < to);
      point({ figure: 'clipper10', series: name, x: from, xUnit: 'feedbacks', unit: ERRORS }, { median: mean(some) });
    }
}

// Batching: Figures 3, 4 and 5

/**
 * The latencies of HTTP requests in ms, from the start of a request to the end of its answer. The
 * option `sloMs` of the batching limits these latencies.
 *
 * @type {number[]}
 */
let requestTimes = [];
/** The clock of the container that is called. */
let clockNow = new CpuClock();
/** @type {WeakMap<object, number>} */
const starts = new WeakMap();
subscribe('undici:request:create', (/** @type {any} */ { request }) => starts.set(request, clockNow.now()));
subscribe('undici:request:trailers', (/** @type {any} */ { request }) => {
  clockNow.containerSeconds();
  requestTimes.push(clockNow.now() - /** @type {number} */ (starts.get(request)));
});

/**
 * Calls a model from concurrent callers for some time on the clock of its container. Each caller
 * sends its next row when it has an answer.
 *
 * @param {Container} model
 * @param {readonly Float32Array[]} rows
 * @param {number} callers
 * @param {number} [blockMs]
 */
async function saturate(model, rows, callers, blockMs = BLOCK_MS) {
  const { clock } = model;
  requestTimes = [];
  clockNow = clock;
  /** @type {number[]} */
  const calls = [];
  let [next, inTime] = [0, 0];
  const before = clock.containerSeconds();
  const start = clock.now();
  const caller = async () => {
    while (clock.now() < start + blockMs) {
      const begin = clock.now();
      await model.ask(rows[next++ % rows.length]);
      const end = clock.now();
      calls.push(end - begin);
      if (end < start + blockMs) inTime++;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const cpuRate = calls.length / (clock.containerSeconds() - before);
  return { rate: (inTime * 1000) / blockMs, cpuRate, calls, requests: requestTimes };
}

/** @param {Place} place */
async function batching(place) {
  const { rows, weights, biases } = queriesOf(place.folder, 'queries');
  const network = await openNetwork(/** @type {any} */ ({ weights, biases }));
  await profile('network', (count) => elapsed(() => network.many(rows.slice(0, count))));
  await network.close();
  for (const name of CONTAINERS) {
    const fitting = await containerProfile(place, name, rows);
    const models = await openStrategies(place, name, await byHand(place, name, rows, fitting));
    await throughput(name, models, rows, Math.min(2 * MAX_BATCH, Math.max(64, 4 * fitting)));
    if (name === 'linear-svm') await callersUnderObjective(models, rows);
    await Promise.all(Object.values(models).map((model) => model.close()));
    if (name === 'linear-svm' || name === 'kernel-svm') await delayed(place, name, rows, fitting);
  }
}

/**
 * Returns how many requests per second of real time one caller sends to a model.
 *
 * @param {Model} model
 * @param {readonly Float32Array[]} rows
 */
async function realRate(model, rows) {
  const count = isQuick ? 10 : 200;
  for (const x of rows.slice(0, 10)) await model.ask(x);
  return (
    (count * 1000) /
    (await elapsed(async () => {
      for (const x of rows.slice(0, count)) await model.ask(x);
    }))
  );
}

/** @param {() => Promise<unknown>} call */
async function elapsed(call) {
  const start = performance.now();
  await call();
  return performance.now() - start;
}

/**
 * Figure 3: the latency of a request by its number of rows. Returns the number of rows that fit in
 * 20 ms, by a line through the smallest latencies, which other processes disturb least.
 *
 * @param {string} series
 * @param {(count: number) => Promise<number>} latency of a request with `count` rows, in ms
 */
async function profile(series, latency) {
  const least = [];
  for (let count = 1; count <= MAX_BATCH; count *= 4) {
    const times = [];
    for (let repeat = -2; repeat < 5 * ROUNDS; repeat++) {
      const time = await latency(count);
      if (repeat >= 0) times.push(time);
    }
    const { median, p99, min } = summary(times);
    point({ figure: 'clipper3', series, x: count, xUnit: 'rows', unit: 'ms' }, { median, p99, min });
    least.push({ count, min });
    if (min > 3 * SLO_MS) break;
  }
  const [first, last] = [least[0], /** @type {typeof least[0]} */ (least.at(-1))];
  const perRow = Math.max(1e-4, (last.min - first.min) / Math.max(1, last.count - first.count));
  const fitting = Math.max(1, Math.floor((SLO_MS - first.min) / perRow) + 1);
  point({ figure: 'clipper3-rows', series, x: `${SLO_MS} ms`, unit: 'rows' }, { median: fitting });
  return Math.min(MAX_BATCH, fitting);
}

/**
 * @param {Place} place
 * @param {string} name
 * @param {readonly Float32Array[]} rows
 */
async function containerProfile(place, name, rows) {
  const model = await openContainer(place, name, {
    batching: { sloMs: SLO_MS, controller: 'fixed', maxWaitMs: 1 },
  });
  // The rows of one turn of the event loop share a request.
  const fitting = await profile(name, async (count) => {
    [requestTimes, clockNow] = [[], model.clock];
    model.clock.containerSeconds();
    await Promise.all(rows.slice(0, count).map((x) => model.ask(x)));
    return /** @type {number} */ (requestTimes.at(-1));
  });
  await model.close();
  return fitting;
}

/**
 * Finds a fixed batch as a developer would: tries a few sizes, and takes the largest whose requests
 * meet the objective at the p99.
 *
 * @param {Place} place
 * @param {string} name
 * @param {readonly Float32Array[]} rows
 * @param {number} fitting
 */
async function byHand(place, name, rows, fitting) {
  let size = fitting;
  for (const share of isQuick ? [1] : [1, 0.7, 0.4]) {
    size = Math.max(1, Math.round(fitting * share));
    const model = await openContainer(place, name, {
      maxBatch: size,
      batching: { sloMs: SLO_MS, controller: 'fixed' },
    });
    await saturate(model, rows, 2 * size);
    const { requests } = await saturate(model, rows, 2 * size, 2 * BLOCK_MS);
    await model.close();
    if (summary(requests).p99 <= SLO_MS) break;
  }
  say(`${name}: a fixed batch of ${size} rows`);
  return size;
}

/**
 * Opens a container for each way to batch rows.
 *
 * @param {Place} place
 * @param {string} name
 * @param {number} size of the fixed batch, and the largest size of the greedy rule
 */
async function openStrategies(place, name, size) {
  const adaptive = (
    /** @type {import('@brezel/external').AdaptiveBatching['controller']} */ controller,
    maxBatch = MAX_BATCH,
  ) => ({
    maxBatch,
    batching: { sloMs: SLO_MS, controller },
  });
  /** @type {Record<string, ContainerOptions>} */
  const options = {
    'one at a time': { maxBatch: 1 },
    'by hand': adaptive('fixed', size),
    aimd: adaptive('aimd'),
    quantile: adaptive('quantile'),
    greedy: adaptive('greedy', size),
  };
  const opened = await Promise.all(
    Object.entries(options).map(async ([strategy, one]) => [strategy, await openContainer(place, name, one)]),
  );
  return /** @type {Record<string, Awaited<ReturnType<typeof openContainer>>>} */ (Object.fromEntries(opened));
}

/** @typedef {Awaited<ReturnType<typeof openStrategies>>} Strategies */

/**
 * Figure 4: requests per second of a container for each way to batch rows, with more callers than
 * rows in a batch. All ways alternate in blocks.
 *
 * @param {string} name
 * @param {Strategies} models
 * @param {readonly Float32Array[]} rows
 * @param {number} callers
 */
async function throughput(name, models, rows, callers) {
  /** @type {Record<string, { rate: number, cpuRate: number, requests: number[] }[]>} */
  const blocks = Object.fromEntries(Object.keys(models).map((strategy) => [strategy, []]));
  for (const [strategy, model] of Object.entries(models)) {
    const isLearning = strategy === 'aimd' || strategy === 'quantile';
    await saturate(model, rows, callers, (isLearning ? 5 : 1) * BLOCK_MS);
  }
  for (let round = 0; round < ROUNDS; round++)
    for (const [strategy, model] of Object.entries(models)) blocks[strategy].push(await saturate(model, rows, callers));
  for (const [strategy, list] of Object.entries(blocks)) {
    const at = { series: strategy, x: name };
    const { median, p99 } = summary(list.flatMap(({ requests }) => requests));
    point({ figure: 'clipper4-latency', ...at, unit: 'ms' }, { median, p99 });
    const { rows: sent, requests, batchSize = sent / requests } = models[strategy].stats().replicas[0];
    point({ figure: 'clipper4-batch', ...at, unit: 'rows' }, { median: batchSize });
    recordRates('clipper4', strategy, name, RATE, (way) => blocks[way].map(({ rate }) => rate));
    if (list.every(({ cpuRate }) => Number.isFinite(cpuRate)))
      recordRates('clipper4-cpu', strategy, name, CPU_RATE, (way) => blocks[way].map(({ cpuRate }) => cpuRate));
  }
}

/**
 * Records the rates of a way to batch, and their ratios to one request at a time and to the batch
 * by hand in the same round.
 *
 * @param {string} figure
 * @param {string} strategy
 * @param {string} name
 * @param {string} unit
 * @param {(strategy: string) => number[]} ratesOf
 */
function recordRates(figure, strategy, name, unit, ratesOf) {
  const rates = ratesOf(strategy);
  const { median, min, max } = summary(rates);
  point({ figure, series: strategy, x: name, unit }, { median, min, max });
  if (strategy === 'one at a time') return;
  for (const rival of ['one at a time', 'by hand'].filter((way) => way !== strategy)) {
    const theirs = ratesOf(rival);
    const ratios = spread(rates.map((rate, round) => rate / Math.max(theirs[round], 1)));
    const what = `${name}, ${strategy}`;
    comparison({ goal: 'clipper', figure, what, rival, unit, ours: median, theirs: summary(theirs).median, ...ratios });
  }
}

/**
 * Finds for each way to batch the most requests per second whose p99 at the caller is at most
 * 20 ms, with different numbers of callers.
 *
 * @param {Strategies} models
 * @param {readonly Float32Array[]} rows
 */
async function callersUnderObjective(models, rows) {
  /** @type {Record<string, number>} */
  const best = {};
  for (const callers of [1, 8, 32, 64, 128, 256]) {
    /** @type {Record<string, Awaited<ReturnType<typeof saturate>>[]>} */
    const blocks = Object.fromEntries(Object.keys(models).map((strategy) => [strategy, []]));
    for (let round = 0; round < 1; round++)
      for (const [strategy, model] of Object.entries(models))
        blocks[strategy].push(await saturate(model, rows, callers));
    for (const [series, list] of Object.entries(blocks)) {
      const { median } = summary(list.map(({ rate }) => rate));
      const { p99 } = summary(list.flatMap(({ calls }) => calls));
      point({ figure: 'clipper4-callers', series, x: callers, xUnit: 'callers', unit: RATE }, { median });
      point({ figure: 'clipper4-callers p99', series, x: callers, xUnit: 'callers', unit: 'ms' }, { median: p99 });
      if (p99 <= SLO_MS) best[series] = Math.max(best[series] ?? 0, median);
    }
  }
  const theirs = best['one at a time'];
  for (const [strategy, ours] of Object.entries(best).filter(
    ([name]) => name !== 'one at a time' && theirs !== undefined,
  ))
    comparison({
      ...{
        goal: 'clipper',
        figure: 'clipper4-callers',
        what: `linear-svm, ${strategy}, p99 at the caller at most ${SLO_MS} ms`,
      },
      ...{ rival: 'one at a time', unit: RATE, ours, theirs, ratio: ours / theirs },
    });
}

/**
 * Figure 5: rows per second of CPU time of the container, by the time that rows wait for other
 * rows. Rows arrive at half of the rate that the container answers one at a time.
 *
 * @param {Place} place
 * @param {string} name
 * @param {readonly Float32Array[]} rows
 * @param {number} size
 */
async function delayed(place, name, rows, size) {
  const waits = [0, 1, 2, 4, 8];
  const models = await Promise.all(
    waits.map(async (maxWaitMs) => {
      const batching = { sloMs: SLO_MS, controller: /** @type {const} */ ('fixed'), maxWaitMs };
      const options = { maxBatch: size, batching, clock: systemClock };
      return { maxWaitMs, model: await openContainer(place, name, options) };
    }),
  );
  const rate = (await realRate(models[0].model, rows)) / 2;
  const random = randomOf(5);
  const seconds = isQuick ? 0.2 : 2;
  const runs = models.map(() => ({ latencies: /** @type {number[]} */ ([]), rows: 0, cpu: 0, requests: 0 }));
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, { model }] of models.entries()) {
      const run = runs[index];
      const [before, { requests }] = [model.clock.containerSeconds(), model.stats().replicas[0]];
      const arrivals = poissonArrivals(random, rate, seconds);
      const { latencies } = await openLoop(arrivals, (query) => model.ask(rows[query % rows.length]));
      run.latencies.push(...latencies);
      run.rows += arrivals.length;
      run.cpu += model.clock.containerSeconds() - before;
      run.requests += model.stats().replicas[0].requests - requests;
    }
  for (const [index, { maxWaitMs: x }] of models.entries()) {
    const { latencies, rows: count, cpu, requests } = runs[index];
    if (count === 0) continue; // no row arrived in the short time of a smoke run
    const { median, p99 } = summary(latencies);
    const at = { series: name, x, xUnit: 'ms wait' };
    if (cpu > 0) point({ figure: 'clipper5', ...at, unit: CPU_RATE }, { median: count / cpu });
    point({ figure: 'clipper5-rows', ...at, unit: 'rows per request' }, { median: count / requests });
    point({ figure: 'clipper5-latency', ...at, unit: 'ms' }, { median, p99 });
  }
  if (runs.every(({ cpu }) => cpu === 0))
    missing(`${name}, Figure 5`, 'the system does not report the CPU time of processes');
  await Promise.all(models.map(({ model }) => model.close()));
}

// Stragglers: Figure 9, and the cost of the selection

/** @param {Place} place */
async function stragglers(place) {
  const { rows, labels } = queriesOf(place.folder, 'queries');
  const models = [];
  for (let index = 0; index < FORESTS; index++)
    models.push(await openContainer(place, `forest-${index}`, { batching: { sloMs: SLO_MS }, clock: systemClock }));
  const alone = await realRate(models[0], rows);
  const rate = 0.6 * (alone / FORESTS);
  say(`random forests: ${Math.round(alone)} ${RATE} of one forest, ${Math.round(rate)} ${RATE} of the ensemble`);
  for (let size = 1; size <= FORESTS; size *= 2) await ensembleOf(models.slice(0, size), rows, labels, rate);
  await Promise.all(models.map((model) => model.close()));
  await costs();
}

/**
 * Answers queries with an ensemble that waits for all answers, and with one that has a deadline.
 *
 * @param {readonly Model[]} models
 * @param {readonly Float32Array[]} rows
 * @param {readonly number[]} labels
 * @param {number} rate
 */
async function ensembleOf(models, rows, labels, rate) {
  const ask =
    (/** @type {Model} */ model) =>
    (/** @type {number} */ query, /** @type {{ signal?: AbortSignal }} */ { signal }) =>
      model.ask(rows[query], signal);
  const candidates = Object.fromEntries(models.map((model, index) => [`forest ${index}`, ask(model)]));
  const loss = (/** @type {number} */ truth, /** @type {number} */ answer) => (truth === answer ? 0 : 1);
  const modes = [
    { name: 'all answers', app: createSelection({ candidates, loss }) },
    { name: 'deadline of 20 ms', app: createSelection({ candidates, loss, deadlineMs: SLO_MS, fallback: -1 }) },
  ].map((mode) => ({ ...mode, latencies: /** @type {number[]} */ ([]), errors: 0, lost: 0 }));
  const random = randomOf(9);
  let first = 0;
  for (let round = 0; round < ROUNDS; round++)
    for (const mode of modes) {
      const arrivals = poissonArrivals(random, rate, isQuick ? 0.2 : 3);
      const { latencies } = await openLoop(arrivals, async (index) => {
        const query = (first + index) % rows.length;
        const { answer, missing: late } = await mode.app.predict(query);
        mode.lost += late.length;
        mode.errors += loss(labels[query], answer);
      });
      first += arrivals.length;
      mode.latencies.push(...latencies);
    }
  for (const { name: series, latencies, errors, lost } of modes) {
    if (latencies.length === 0) continue; // no query arrived in the short time of a smoke run
    const at = { series, x: models.length, xUnit: 'models' };
    const { median, p99 } = summary(latencies);
    point({ figure: 'clipper9-latency', ...at, unit: 'ms' }, { median, p99 });
    point(
      { figure: 'clipper9-missing', ...at, unit: '%' },
      { median: (100 * lost) / (latencies.length * models.length) },
    );
    point({ figure: 'clipper9-errors', ...at, unit: ERRORS }, { median: errors / latencies.length });
  }
}

/** The time of a selection over plans that Brezel runs itself, beyond their predictions. */
async function costs() {
  const { runtime, load, close } = await openBrezel();
  const plans = [await load(forestFile(100, 6)), await load(forestFile(10, 6))];
  const values = forestRows(1000);
  const rows = Array.from({ length: 1000 }, (_, row) => ({ x: values.slice(row * FEATURES, (row + 1) * FEATURES) }));
  const [one, other] = plans.map((plan) => (/** @type {typeof rows[0]} */ row) => {
    const score = Object.values(/** @type {Record<string, any>} */ (runtime.predictSync(plan, row)))[0];
    return Number([score].flat()[0] > 0);
  });
  const candidates = { one, other };
  const loss = () => 0;
  const apps = {
    exp3: createSelection({ candidates, loss, policy: exp3() }),
    exp4: createSelection({ candidates, loss, policy: exp4() }),
  };
  const rowOf = (/** @type {number} */ index) => rows[index % rows.length];
  const learn = async (/** @type {typeof apps.exp3} */ app, /** @type {number} */ index) =>
    app.feedback((await app.predict(rowOf(index))).query, 0);
  const calls = isQuick ? 50 : 1000;
  const times = await interleave(
    [
      { name: 'exp3 alone', calls, call: (index) => (index % 2 === 0 ? one : other)(rowOf(index)) },
      { name: 'exp4 alone', calls, call: (index) => [one(rowOf(index)), other(rowOf(index))] },
      ...Object.entries(apps).flatMap(([name, app]) => [
        {
          name: `${name} predict`,
          calls,
          isAsync: true,
          call: (/** @type {number} */ index) => app.predict(rowOf(index)),
        },
        {
          name: `${name} predict and feedback`,
          calls,
          isAsync: true,
          call: (/** @type {number} */ index) => learn(app, index),
        },
      ]),
    ],
    { rounds: 10 * ROUNDS },
  );
  for (const name of Object.keys(apps))
    for (const x of ['predict', 'predict and feedback']) {
      const [with_, without] = [times[`${name} ${x}`].blocks, times[`${name} alone`].blocks];
      const beyond = summary(with_.map((time, round) => time - without[round]));
      point({ figure: 'clippercost', series: name, x, unit: 'µs' }, beyond);
    }
  measure('two plans without a selection', 'µs', times['exp4 alone']);
  await close();
}
