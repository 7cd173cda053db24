import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, platform } from 'node:os';
import { createRuntime } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { turns } from '../../../../testing/turns.js';
import { until } from '../../../../testing/until.js';
import { dear, flour, hasAddon, oneByOne, rejection, runtimeWith, textPlan, textRows } from './fleets.js';
import { words } from './thread-operators.mjs';

/** Reserved executors, priorities and weights of plans, and the work of `warm`. */

const module = new URL('./thread-operators.mjs', import.meta.url);
const compiled = dear(textPlan(), 100);
const rows = textRows(1000);
const answers = oneByOne(compiled, rows);
const isLinux = platform() === 'linux';
const statusOf = (task: string) => readFileSync(`/proc/${task}/status`, 'utf8');
const cpusOf = (status: string) => /^Cpus_allowed_list:\s*(.*)$/m.exec(status)![1]!;
/** The lists of CPUs to which the threads of this process are pinned. */
const threadCpus = () => readdirSync('/proc/self/task').map((id) => cpusOf(statusOf(`self/task/${id}`)));
/** The CPUs of this process. */
const allowed = () =>
  cpusOf(statusOf('self'))
    .split(',')
    .flatMap((range) => {
      const [from, to = from] = range.split('-').map(Number) as [number, number?];
      return Array.from({ length: to! - from + 1 }, (_, at) => from + at);
    });
const refused = expect.objectContaining({ code: 'ERR_RUNTIME_RESERVATION' });
const wrong = expect.objectContaining({ code: 'ERR_RUNTIME_OPTION' });

afterAll(() => {
  compiled.release();
  flour.dispose();
});

describe.skipIf(!hasAddon)('a reservation', () => {
  test('is for one plan, which still shares parameters and stages', async () => {
    const runtime = runtimeWith(3);
    const [own, shared] = [
      runtime.register(compiled, { name: 'own', reserve: { executors: 2 } }),
      runtime.register(compiled, { name: 'shared' }),
    ];
    const { stages, executors } = runtime.stats();
    expect(stages.used).toBe(2 * stages.distinct);
    expect(executors.shared.limit).toBe(1);
    expect(executors.reserved).toMatchObject([{ plan: 'own', limit: 2 }]);
    const [one, other] = await Promise.all([runtime.predictBatch(own, rows), runtime.predictBatch(shared, rows)]);
    expect([one, other]).toEqual([answers, answers]);
    const after = runtime.stats().executors;
    expect([after.reserved[0]!.rows, after.shared.rows]).toEqual([1000, 1000]);
    // Reserved executors run even a few rows.
    expect(await runtime.predictBatch(own, rows.slice(0, 1))).toEqual(answers.slice(0, 1));
    expect(runtime.stats().executors.reserved[0]!.rows).toBe(1001);
    await runtime.close();
  });

  test('holds its vectors from the registration to the end of the plan', async () => {
    const runtime = runtimeWith(2);
    const reserve = { executors: 1 };
    const own = runtime.register(compiled, { name: 'own', reserve });
    const pool = () => runtime.stats().pools.reserved[0]!;
    expect(pool()).toMatchObject({ plan: 'own', vectors: 2, made: 2 });
    expect(pool().bytes).toBeGreaterThan(0);
    const made: number[] = [];
    for (let round = 0; round < 5; round++) {
      expect(await runtime.predictBatch(own, rows)).toEqual(answers);
      made.push(pool().made);
    }
    expect(pool().vectors).toBeGreaterThanOrEqual(2);
    expect(made).toEqual(new Array(5).fill(2)); // no batch allocates a vector
    runtime.unregister(own);
    expect(runtime.stats().pools.reserved).toEqual([]);
    for (const vectors of [{ perClass: 0 }, { maxBytes: 0 }]) {
      const none = runtime.register(compiled, { name: 'none', reserve: { ...reserve, vectors } });
      expect(pool()).toMatchObject({ vectors: 0, bytes: 0 });
      runtime.unregister(none);
    }
    await runtime.close();
  });

  test.skipIf(!isLinux)('pins its threads to CPUs', async () => {
    const [cpu] = allowed();
    const runtime = runtimeWith(3);
    const own = runtime.register(compiled, { name: 'own', reserve: { executors: 2, cpu: [cpu!] } });
    expect(runtime.stats().executors.reserved).toMatchObject([{ plan: 'own', cpu: [cpu] }]);
    expect(await runtime.warm(own, { rows: rows.slice(0, 100) })).toMatchObject({ executors: 2 });
    expect(await runtime.predictBatch(own, rows)).toEqual(answers);
    await until(() => threadCpus().filter((list) => list === `${cpu}`).length >= (allowed().length > 1 ? 2 : 0));
    await runtime.close();
  });

  test('rejects CPUs that the process may not use', async () => {
    const runtime = runtimeWith(3);
    for (const cpu of [[], [-1], [0.5], 0, ['0']])
      expect(() => runtime.register(compiled, { reserve: { executors: 1, cpu: cpu as never } })).toThrow(wrong);
    expect(() => runtime.register(compiled, { reserve: { executors: 1, cpu: [8000] } })).toThrow(refused);
    expect(runtime.stats().plans).toEqual([]);
    expect(runtime.stats().executors.reserved).toEqual([]);
    await runtime.close();
  });

  test('runs single rows too if it is registered for all rows', async () => {
    const runtime = runtimeWith(2);
    const [own, batches] = [
      runtime.register(compiled, { name: 'own', reserve: { executors: 1, rows: 'all' } }),
      runtime.register(compiled, { name: 'batches' }),
    ];
    const rowsOf = () => runtime.stats().executors.reserved[0]!.rows;
    const some = rows.slice(0, 20);
    expect(await Promise.all(some.map((row) => runtime.predict(own, row)))).toEqual(answers.slice(0, 20));
    expect(await Promise.all(some.map((row) => runtime.predict(batches, row)))).toEqual(answers.slice(0, 20));
    expect(rowsOf()).toBe(20);
    expect(runtime.predictSync(own, rows[0]!)).toEqual(answers[0]); // a synchronous call runs here
    expect(await runtime.predict(own, rows[0]!, { engine: 'request-response' })).toEqual(answers[0]);
    expect(rowsOf()).toBe(20);
    await expect(runtime.predict(own, { text: 1 } as never)).rejects.toMatchObject({ code: 'ERR_RUNTIME_INPUT' });
    const gone = rejection(runtime.predict(own, rows[0]!));
    runtime.unregister(own);
    expect(await gone).toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
    expect(() => runtime.register(compiled, { reserve: { executors: 1, rows: 'some' as never } })).toThrow(wrong);
    await runtime.close();
  });

  test('counts the chunks of both queues', async () => {
    const runtime = runtimeWith(1);
    const plan = runtime.register(compiled);
    await runtime.predictBatch(plan, rows);
    const { queues, chunks, preempted } = runtime.stats().executors.shared;
    expect(queues).toMatchObject({ low: { waiting: 0, taken: chunks }, high: { waiting: 0 } });
    // Chunks that the calling thread has paused also wait in the high queue.
    expect(queues.high.taken).toBeGreaterThanOrEqual(preempted);
    expect(chunks).toBeGreaterThan(0);
    await runtime.close();
  });

  test('leaves one executor for other plans, and ends with its plan', async () => {
    const runtime = runtimeWith(2);
    const first = runtime.register(compiled, { reserve: { executors: 1 } });
    const before = runtime.stats();
    expect(() => runtime.register(compiled, { reserve: { executors: 1 } })).toThrow(refused);
    const { plans, stages, parameters } = runtime.stats();
    expect({ plans, stages, parameters }).toEqual({
      plans: before.plans,
      stages: before.stages,
      parameters: before.parameters,
    }); // the failed registration leaves nothing behind
    const gone = rejection(runtime.predictBatch(first, Array.from({ length: 50 }, () => rows).flat()));
    runtime.unregister(first);
    expect(await gone).toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
    expect(runtime.stats().executors).toMatchObject({ reserved: [], limit: 2 });
    const second = runtime.register(compiled, { reserve: { executors: 1 } });
    expect(await runtime.predictBatch(second, rows)).toEqual(answers);
    await runtime.close();
  });

  test('that exceeds the executors is rejected', async () => {
    for (const executors of [0, 1]) {
      const runtime = runtimeWith(executors);
      expect(() => runtime.register(compiled, { reserve: { executors: 1 } })).toThrow(refused);
      expect(runtime.stats().plans).toEqual([]);
      await runtime.close();
    }
    const runtime = runtimeWith(4);
    expect(() => runtime.register(compiled, { reserve: { executors: 4 } })).toThrow(refused);
    expect(() => runtime.register(compiled, { reserve: { executors: 0 } })).toThrow(wrong);
    expect(runtime.stats().stages).toEqual({ distinct: 0, used: 0 });
    await runtime.close();
  });
});

describe('a reservation of a plan in JavaScript', () => {
  const text = flour.columns({ text: 'string' }).select('text');
  const mixed = dear(text.custom(words).plan(), 100);
  afterAll(() => mixed.release());

  test('starts separate threads before the first batch, and ends them with the plan', async () => {
    const runtime = runtimeWith(3, { native: false });
    const own = runtime.register(compiled, { name: 'own', reserve: { executors: 1 } });
    const of = () => runtime.stats().executors.javascript;
    expect(of()).toMatchObject({ limit: 2, threads: 0, reserved: [{ plan: 'own', limit: 1, threads: 1 }] });
    // Reserved executors run even a few rows.
    expect(await runtime.predictBatch(own, rows.slice(0, 3))).toEqual(answers.slice(0, 3));
    expect(of()).toMatchObject({ rows: 0, reserved: [{ rows: 3, helped: 0 }] });
    expect(await runtime.warm(own)).toMatchObject({ executors: 1 });
    const gone = rejection(runtime.predictBatch(own, rows));
    runtime.unregister(own);
    expect(await gone).toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
    expect(of()).toMatchObject({ limit: 3, reserved: [] });
    await runtime.close();
  });

  test.skipIf(!hasAddon)('shares the executors of the machine with reservations of native plans', async () => {
    const runtime = runtimeWith(3, { operatorModules: [module] });
    const [native, javascript] = [{ name: 'native' }, { name: 'javascript' }].map((name) => ({
      ...name,
      reserve: { executors: 1 },
    }));
    const first = runtime.register(compiled, native);
    const before = runtime.stats();
    const second = runtime.register(mixed, javascript);
    expect(runtime.stats().executors).toMatchObject({
      shared: { limit: 1 },
      reserved: [{ plan: 'native' }],
      javascript: { limit: 1, reserved: [{ plan: 'javascript' }] },
    });
    for (const plan of [compiled, mixed])
      expect(() => runtime.register(plan, { reserve: { executors: 1 } })).toThrow(refused);
    runtime.unregister(second);
    expect(runtime.stats()).toEqual(before); // the failed registration leaves nothing behind
    runtime.unregister(first);
    expect(runtime.stats().executors).toMatchObject({ shared: { limit: 3 }, javascript: { limit: 3 } });
    await runtime.close();
  });

  test('that is impossible is rejected with the reason', async () => {
    const reserve = { executors: 1 };
    for (const executors of [0, 1]) {
      const runtime = runtimeWith(executors, { native: false });
      expect(() => runtime.register(compiled, { reserve })).toThrow(refused);
      expect(runtime.stats().plans).toEqual([]);
      await runtime.close();
    }
    const runtime = runtimeWith(2);
    expect(() => runtime.register(mixed, { reserve })).toThrow(
      /received an operator of a user .* without operatorModules/,
    );
    expect(runtime.stats().executors.javascript).toMatchObject({ limit: 2, reserved: [] });
    await runtime.close();
  });
});

test('priority and weight are checked, and the number of executors', () => {
  const runtime = runtimeWith(0);
  expect(() => runtime.register(compiled, { priority: 'urgent' as never })).toThrow(wrong);
  for (const weight of [0, -1, Number.NaN, 1e9]) expect(() => runtime.register(compiled, { weight })).toThrow(wrong);
  for (const executors of [-1, 1.5, 1e6]) expect(() => runtimeWith(executors)).toThrow(wrong);
});

test.skipIf(!hasAddon)('the default is one executor less than there are cores', async () => {
  await using runtime = createRuntime({ store: flour.store });
  const { limit, shared, javascript } = runtime.stats().executors;
  expect([limit, shared.limit, javascript.limit]).toEqual(new Array(3).fill(Math.max(1, availableParallelism() - 1)));
});

describe.skipIf(!hasAddon)('priority', () => {
  test('high runs before all waiting work', async () => {
    const runtime = runtimeWith(1);
    const [slow, fast] = [
      runtime.register(compiled, { name: 'slow', priority: 'low' }),
      runtime.register(compiled, { name: 'fast', priority: 'high' }),
    ];
    await runtime.warm(slow);
    const order: string[] = [];
    const many = Array.from({ length: 60 }, () => rows).flat();
    const before = [1, 2, 3].map(() => runtime.predictBatch(slow, many).then(() => order.push('slow')));
    const urgent = runtime.predictBatch(fast, rows).then((got) => {
      order.push('fast');
      return got;
    });
    expect(await urgent).toEqual(answers);
    await Promise.all(before);
    expect(order).toEqual(['fast', 'slow', 'slow', 'slow']);
    await runtime.close();
  });
});

describe('warm', () => {
  test.skipIf(!hasAddon)('reads the parameters and starts the executors', async () => {
    const runtime = runtimeWith(2);
    const plan = runtime.register(compiled);
    const warm = await runtime.warm(plan, { rows: rows.slice(0, 100) });
    expect(warm.executors).toBeGreaterThan(0);
    expect(warm.parameterBytes).toBeGreaterThan(0);
    expect(runtime.stats().executors.shared.threads).toBeGreaterThanOrEqual(warm.executors);
    expect(await runtime.predictBatch(plan, rows)).toEqual(answers);
    await expect(runtime.warm(plan, { rows: [{ text: 1 }] })).rejects.toMatchObject({ code: 'ERR_RUNTIME_INPUT' });
    await runtime.close();
    await expect(runtime.warm(plan)).rejects.toMatchObject({ code: 'ERR_RUNTIME_CLOSED' });
  });

  test.each([
    [undefined, 0],
    [undefined, 5],
    [false, 0],
    [false, 50],
  ])('ends immediately when the runtime is closed (native: %s, after %i turns)', async (native, count) => {
    const runtime = runtimeWith(2, { native });
    const plan = runtime.register(compiled);
    const warming = runtime.warm(plan, { rows: rows.slice(0, 10) }).then(
      () => 'warm',
      ({ code }) => code,
    );
    if (count > 0) await turns(count);
    await runtime.close();
    expect(count > 0 ? ['warm', 'ERR_RUNTIME_CLOSED'] : ['ERR_RUNTIME_CLOSED']).toContain(await warming);
    expect(runtime.stats()).toMatchObject({ plans: [], stages: { distinct: 0 } });
  });

  test('works without executors', async () => {
    const runtime = runtimeWith(0, { native: false });
    const plan = runtime.register(compiled);
    expect(await runtime.warm(plan, { rows: rows.slice(0, 10) })).toEqual({ parameterBytes: 0, executors: 0 });
    expect(await runtime.predictBatch(plan, rows)).toEqual(answers);
    expect(runtime.stats().executors).toMatchObject({ limit: 0, chunks: 0, reserved: [] });
    await runtime.close();
  });
});
