import type { Worker } from 'node:worker_threads';
import { afterAll, expect, test } from 'vitest';
import { Random } from '../conformance/random-forests.js';
import { seed } from '../conformance/seed.js';
import { dear, flour, hasAddon, oneByOne, runtimeWith, textPlan, textRows } from './fleets.js';
import { words } from './thread-operators.mjs';

/**
 * Runs everything at once: batches of all sizes, batches for several plans, single rows, caches,
 * delayed batching, aborts, deadlines, reservations, plans that are registered and removed, and
 * threads that are terminated or run out of memory. Every request ends exactly once: with its
 * answers, or with an error that one of these events explains. BREZEL_CHAOS_REQUESTS scales the
 * number of requests.
 */

const REQUESTS = Number(process.env.BREZEL_CHAOS_REQUESTS ?? 8000);
/** The number of requests to plans in JavaScript. Such a request takes about ten times as long. */
const IN_JAVASCRIPT = Math.ceil(REQUESTS / 8);
/**
 * Each disturbance and each large batch takes about a second. A run with more requests than this
 * makes them rarer, so that their number does not grow.
 */
const DISTURBED = 20_000;
console.info(`BREZEL_CHAOS_REQUESTS=${REQUESTS}`);
const AT_ONCE = 60;
const EXECUTORS = 3;

const random = new Random(seed);
const models = Array.from({ length: 6 }, (_, n) => dear(textPlan(n), 60));
const rows = textRows(2000);
const wanted = models.map((model) => oneByOne(model, rows).map((answer) => JSON.stringify(answer)));
const threads = new Set<Worker>();
const onWorker = (worker: Worker) => {
  threads.add(worker);
  worker.on('exit', () => threads.delete(worker));
};
process.on('worker', onWorker);

const limits = { maxQueuedRows: 200_000 };
let isNative = true;
/** A plan with rows that end their thread. It runs in JavaScript only. */
const deadly = dear(flour.columns({ text: 'string' }).select('text').custom(words).plan(), 100);
let deadlyPlan: ReturnType<typeof runtime.register> | undefined;
function newRuntime() {
  const operatorModules = [new URL('./thread-operators.mjs', import.meta.url)];
  const created = runtimeWith(EXECUTORS, {
    limits,
    vectors: [{}, { perClass: 1 }, { maxBytes: 0 }, { maxBytes: 20_000 }][random.below(4)]!,
    ...(random.below(2) === 0 && { latencies: { stagesEvery: 1 + random.below(3) } }),
    ...(!isNative && { native: false, operatorModules, workerHeapBytes: 128 * 2 ** 20 }),
  });
  deadlyPlan = isNative ? undefined : created.register(deadly);
  return created;
}
let runtime = runtimeWith(0);
afterAll(async () => {
  process.off('worker', onWorker);
  await runtime.close();
  for (const model of [...models, deadly]) model.release();
  flour.dispose();
});

interface Place {
  readonly model: number;
  plan: ReturnType<typeof runtime.register>;
  /** How often another plan has replaced the plan of this place. */
  era: number;
}

const place = (model: number): Place => ({ model, era: 0, plan: register(model) });

function register(model: number) {
  const priority = (['high', 'normal', 'low'] as const)[random.below(3)]!;
  const options = {
    name: `model ${model}`,
    priority,
    weight: 0.5 + random.below(4),
    ...(random.below(3) === 0 && { cache: { maxBytes: 2 ** (12 + random.below(10)) } }),
    ...(random.below(3) === 0 && { batching: { maxDelayMs: random.below(4), maxBatch: 1 + random.below(256) } }),
  };
  try {
    return runtime.register(
      models[model]!,
      random.below(4) === 0
        ? { ...options, reserve: { executors: 1, rows: random.below(2) === 0 ? 'all' : 'batches' } }
        : options,
    );
  } catch (error) {
    expect(error).toMatchObject({ code: 'ERR_RUNTIME_RESERVATION' });
    return runtime.register(models[model]!, options);
  }
}

const nothing = {
  answered: 0,
  many: 0,
  aborted: 0,
  late: 0,
  gone: 0,
  overloaded: 0,
  lost: 0,
  terminated: 0,
  deadly: 0,
  replaced: 0,
  runtimes: 1,
};
let tally = nothing;
let closings = 0;
/** The factor by which disturbances and large batches are rarer than in a short run. */
let rarity = 1;
const killers: Promise<void>[] = [];

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

/** Sends one request, and checks that it ends in an expected way. */
async function request(places: readonly Place[]): Promise<void> {
  const one = places[random.below(places.length)]!;
  const { era, model } = one;
  const closed = closings;
  const isLarge = random.below(Math.round(8 * rarity)) < 3;
  const count = isLarge ? [200, 700, 2000][random.below(3)]! : [1, 1, 2, 10, 61][random.below(5)]!;
  const first = random.below(rows.length - count + 1);
  const controller = random.below(10) === 0 ? new AbortController() : undefined;
  const deadlineMs = random.below(20) === 0 ? 1 + random.below(20) : undefined;
  if (controller !== undefined) setTimeout(() => controller.abort(), random.below(10));
  const options = { signal: controller?.signal, ...(deadlineMs !== undefined && { deadlineMs }) };
  const others = count > 1 && random.below(4) === 0 ? someOthers(places) : [];
  try {
    if (others.length > 0) {
      await requestMany([one, ...others], first, count, options as never);
      tally.answered++;
      tally.many++;
      return;
    }
    const answers =
      count === 1
        ? [await runtime.predict(one.plan, rows[first]!, options as never)]
        : count === 700 && deadlineMs === undefined
          ? await all(
              runtime.predictStream(one.plan, rows.slice(first, first + count), {
                signal: controller?.signal,
              } as never),
            )
          : await runtime.predictBatch(one.plan, rows.slice(first, first + count), options as never);
    expect(answers).toHaveLength(count);
    answers.forEach((answer, at) => {
      if (JSON.stringify(answer) !== wanted[model]![first + at]) throw new Error(`row ${first + at} of model ${model}`);
    });
    tally.answered++;
  } catch (error) {
    const { code, name } = error as { code?: string; name: string };
    if (name === 'AbortError' && controller !== undefined) tally.aborted++;
    else if (code === 'ERR_RUNTIME_DEADLINE' && deadlineMs !== undefined) tally.late++;
    else if (code === 'ERR_RUNTIME_UNKNOWN_PLAN' && (one.era !== era || others.some(isReplaced))) tally.gone++;
    else if (code === 'ERR_RUNTIME_CLOSED' && closings !== closed) tally.gone++;
    else if (code === 'ERR_RUNTIME_OVERLOADED') tally.overloaded++;
    // In JavaScript, a chunk is run again if its thread ends. The chunk fails when this happens for
    // the third time. A deadly batch ends four threads.
    else if (code === 'ERR_RUNTIME_WORKER' && !isNative && tally.terminated + 4 * tally.deadly > 2) tally.lost++;
    else throw error;
  }
}

interface Other {
  readonly place: Place;
  readonly era: number;
  readonly model: number;
  readonly plan: Place['plan'];
}

/** Returns up to three more plans for one batch. A plan may be in the list twice. */
const someOthers = (places: readonly Place[]): Other[] =>
  Array.from({ length: 1 + random.below(3) }, () => {
    const place = places[random.below(places.length)]!;
    return { place, era: place.era, model: place.model, plan: place.plan };
  });

const isReplaced = ({ place, era }: Other): boolean => place.era !== era;

/** Sends one batch to several plans, and checks the answers of each plan. */
async function requestMany(
  plans: readonly Pick<Place, 'plan' | 'model'>[],
  first: number,
  count: number,
  options: Parameters<typeof runtime.predictManyBatch>[2],
): Promise<void> {
  const given = rows.slice(first, first + count);
  const models = plans.map(({ model }) => model);
  const lists = await runtime.predictManyBatch(
    plans.map(({ plan }) => plan),
    given as never,
    options,
  );
  expect(lists.map((list) => list.length)).toEqual(plans.map(() => count));
  lists.forEach((list, index) => {
    const model = models[index]!;
    list.forEach((answer, at) => {
      if (JSON.stringify(answer) !== wanted[model]![first + at])
        throw new Error(`row ${first + at} of model ${model}, which is plan ${index} of ${plans.length}`);
    });
  });
}

/**
 * Sends a batch with a row that ends every thread that runs it, or takes all memory of the thread.
 * When no thread is left, the calling thread answers.
 */
async function kill(plan: NonNullable<typeof deadlyPlan>): Promise<void> {
  tally.deadly++;
  const closed = closings;
  const given = rows.slice(0, 150).with(random.below(150), ['exit', 'grow'][random.below(2)]!);
  try {
    expect(await runtime.predictBatch(plan, given)).toHaveLength(150);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ERR_RUNTIME_CLOSED' && closings !== closed) return;
    if (code !== 'ERR_RUNTIME_WORKER' && code !== 'ERR_RUNTIME_OVERLOADED') throw error;
  }
}

/** Runs a random disturbance. */
function disturb(places: Place[]): void {
  const dice = random.below(Math.round(1000 * rarity));
  if (dice < 12) {
    const [thread] = [...threads].slice(random.below(threads.size + 1));
    if (thread === undefined) return;
    threads.delete(thread);
    tally.terminated++;
    void thread.terminate();
  } else if (dice < 20) {
    const one = places[random.below(places.length)]!;
    one.era++;
    runtime.unregister(one.plan);
    one.plan = register(one.model);
    tally.replaced++;
  } else if (dice < 22) {
    if (deadlyPlan !== undefined) killers.push(kill(deadlyPlan));
  } else if (dice === 999) {
    closings++;
    tally.runtimes++;
    void runtime.close();
    runtime = newRuntime();
    places.splice(0, places.length, ...models.map((_, model) => place(model)));
  }
}

/** Runs all requests with plans in the addon or in JavaScript. */
async function chaos(requests: number): Promise<void> {
  tally = { ...nothing };
  rarity = Math.max(1, requests / DISTURBED);
  runtime = newRuntime();
  const places = models.map((_, model) => place(model));
  let started = 0;
  const caller = async () => {
    while (started++ < requests) {
      disturb(places);
      await request(places);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  await Promise.all(killers.splice(0));
  const { hits, misses } = runtime.stats().materialization!;
  const counts = JSON.stringify({ ...tally, hits, misses });
  console.info(`${requests} requests, ${isNative ? 'native' : 'in JavaScript'} ${counts}`);
  const { answered, aborted, late, gone, overloaded, lost } = tally;
  expect(answered + aborted + late + gone + overloaded + lost).toBe(requests);
  expect(answered).toBeGreaterThan(requests / 2);
  expect(runtime.stats().queue).toMatchObject({ rows: 0, bytes: 0 });
  for (const one of places) {
    const answers = await runtime.predictBatch(one.plan, rows);
    expect(answers.map((answer) => JSON.stringify(answer))).toEqual(wanted[one.model]);
  }
  await runtime.close();
}

test.skipIf(!hasAddon)(`${REQUESTS} requests while plans, deadlines and executors change`, () => chaos(REQUESTS));

test(`${IN_JAVASCRIPT} requests to plans in JavaScript while plans, deadlines and executors change`, async () => {
  isNative = false;
  await chaos(IN_JAVASCRIPT);
});
