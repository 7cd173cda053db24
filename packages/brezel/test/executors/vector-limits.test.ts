import type { VectorOptions, VectorPoolStatistics } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { dear, flour, hasAddon, numberPlan, oneByOne, runtimeWith, textPlan, textRows } from './fleets.js';

/**
 * `createRuntime({ vectors })` limits the vectors that executors hold between chunks, and `stats`
 * reports these vectors.
 */

const compiled = dear(textPlan(), 10);
const numbers = dear(numberPlan(), 10);
/** A plan with 64 numbers per row, whose vectors have another size class. */
const wideNumbers = dear(numberPlan(64), 10);
const rows = textRows(100);
const answers = oneByOne(compiled, rows);
const numberRows = Array.from({ length: 100 }, (_, at) => ({ x: [at, 1, 2, 3] }));
const numberAnswers = oneByOne(numbers, numberRows);
const wideAnswers = oneByOne(wideNumbers, numberRows);

afterAll(() => {
  compiled.release();
  numbers.release();
  wideNumbers.release();
  flour.dispose();
});

const NOTHING = { vectors: 0, bytes: 0, classes: [], made: 0, raised: 0, overflows: 0, released: 0, releasedBytes: 0 };

/**
 * Checks that the classes add up to the totals, and that each allocated vector is in the pool or
 * freed.
 */
function expectSound(pool: VectorPoolStatistics) {
  const sum = (of: 'vectors' | 'bytes') => pool.classes.reduce((total, one) => total + one[of], 0);
  expect([sum('vectors'), sum('bytes')]).toEqual([pool.vectors, pool.bytes]);
  // The pool may hold fewer vectors, because threads that ended freed theirs.
  expect(pool.made - pool.overflows - pool.released).toBeGreaterThanOrEqual(pool.vectors);
}

describe.skipIf(!hasAddon)('executors', () => {
  async function served(vectors?: VectorOptions) {
    const runtime = runtimeWith(1, vectors === undefined ? {} : { vectors });
    const plan = runtime.register(compiled);
    await runtime.warm(plan, { rows });
    for (let round = 0; round < 20; round++) expect(await runtime.predictBatch(plan, rows)).toEqual(answers);
    const pool = runtime.stats().pools.shared;
    expectSound(pool);
    await runtime.close();
    expect(runtime.stats().pools.shared).toMatchObject({ vectors: 0, bytes: 0 });
    return pool;
  }

  test('cache the vectors of chunks', async () => {
    const pool = await served();
    expect(pool).toMatchObject({ perClass: 16, maxBytes: undefined, released: 0, releasedBytes: 0 });
    // One vector of the executor, and one of the calling thread from before the executor started.
    expect(pool.made).toBeLessThanOrEqual(2);
    expect(pool.bytes).toBeGreaterThan(0);
    expect(pool.classes).toEqual([{ classBytes: 16 * 1024, vectors: pool.vectors, bytes: pool.bytes }]);
  });

  test.each([{ perClass: 0 }, { maxBytes: 0 }, { maxBytes: 100 }])(
    'cache no vectors with %j, and answers are the same',
    async (vectors) => {
      const pool = await served(vectors);
      expect(pool).toMatchObject({ perClass: 16, maxBytes: undefined, ...vectors, vectors: 0, bytes: 0 });
      expect(pool.made).toBeGreaterThan(20);
      expect(pool.released).toBe(pool.made);
      expect(pool.releasedBytes).toBeGreaterThan(pool.released);
    },
  );

  test('release the vectors of the plan that ran least recently', async () => {
    const [small, large] = await Promise.all([served(), servedWide()]);
    // On a busy machine the calling thread runs chunks too, and the pool holds two vectors.
    const oneOf = ({ bytes, vectors }: VectorPoolStatistics) => Math.floor(bytes / vectors);
    const maxBytes = oneOf(large) + Math.floor(oneOf(small) / 2);
    const runtime = runtimeWith(1, { vectors: { maxBytes } });
    const [narrow, wide] = [runtime.register(compiled), runtime.register(wideNumbers)];
    await runtime.warm(narrow);
    const released = () => runtime.stats().pools.shared.released;
    // On a busy machine the calling thread runs some of the chunks, so the number of rounds varies.
    while (released() <= 5) {
      expect(await runtime.predictBatch(narrow, rows)).toEqual(answers);
      expect(await runtime.predictBatch(wide, numberRows)).toEqual(wideAnswers);
    }
    // The limit applies to each executor. The executor and the calling thread each hold the vectors
    // of one plan, and a third vector may be lent to a chunk.
    expect(runtime.stats().pools.shared.bytes).toBeLessThan(3 * maxBytes);
    // A plan without competing plans keeps its vectors.
    for (let calm = 0, before = released(); calm < 5; before = released()) {
      await runtime.predictBatch(wide, numberRows);
      calm = released() === before ? calm + 1 : 0;
    }
    const stays = runtime.stats().pools.shared;
    expectSound(stays);
    await runtime.close();
  });

  async function servedWide() {
    const runtime = runtimeWith(1);
    const plan = runtime.register(wideNumbers);
    await runtime.warm(plan);
    await runtime.predictBatch(plan, numberRows);
    const pool = runtime.stats().pools.shared;
    expect(pool.classes).toMatchObject([{ classBytes: 256 * 1024 }]);
    await runtime.close();
    return pool;
  }

  test('of a plan with a reservation have separate limits, or the limits of the runtime', async () => {
    const runtime = runtimeWith(3, { vectors: { maxBytes: 2 ** 20 } });
    const own = runtime.register(compiled, { name: 'own', reserve: { executors: 1, vectors: { perClass: 0 } } });
    const same = runtime.register(numbers, { name: 'same', reserve: { executors: 1 } });
    expect(await runtime.predictBatch(own, rows)).toEqual(answers);
    expect(await runtime.predictBatch(same, numberRows)).toEqual(numberAnswers);
    const { shared, reserved } = runtime.stats().pools;
    expect(shared).toMatchObject({ ...NOTHING, perClass: 16, maxBytes: 2 ** 20 });
    expect(reserved).toMatchObject([
      { plan: 'own', perClass: 0, maxBytes: undefined, vectors: 0 },
      { plan: 'same', perClass: 16, maxBytes: 2 ** 20, released: 0 },
    ]);
    expect(reserved[1]!.vectors).toBeGreaterThan(0);
    for (const pool of reserved) expectSound(pool);
    runtime.unregister(own);
    expect(runtime.stats().pools.reserved.map(({ plan }) => plan)).toEqual(['same']);
    await runtime.close();
  });
});

test('a runtime without executors has no pools, and reports the options', () => {
  const runtime = runtimeWith(0, { vectors: { perClass: 3 } });
  expect(runtime.stats().pools).toEqual({
    shared: { ...NOTHING, overflowBytes: 0, perClass: 3, maxBytes: undefined },
    reserved: [],
  });
});

test.each([
  [{ perClass: -1 }, 'vectors.perClass'],
  [{ perClass: 1025 }, 'vectors.perClass'],
  [{ maxBytes: 0.5 }, 'vectors.maxBytes'],
  [{ maxBytes: Number.NaN }, 'vectors.maxBytes'],
  [{ maxBytes: 2e15 }, 'vectors.maxBytes'],
  [null, 'vectors'],
  [3, 'vectors'],
])('%j is rejected', (vectors, told) => {
  const refused = expect.objectContaining({ code: 'ERR_RUNTIME_OPTION', message: expect.stringContaining(told) });
  expect(() => runtimeWith(1, { vectors: vectors as never })).toThrow(refused);
  if (vectors === null || typeof vectors !== 'object') return;
  const runtime = runtimeWith(2);
  expect(() => runtime.register(compiled, { reserve: { executors: 1, vectors } })).toThrow(refused);
  expect(runtime.stats().plans).toEqual([]);
});
