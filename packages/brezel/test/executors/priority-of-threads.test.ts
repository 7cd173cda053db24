import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, platform } from 'node:os';
import { afterAll, expect, test } from 'vitest';
import { until } from '../../../../testing/until.js';
import { createFlour, createRuntime, loadNative } from '../../src/index.js';

const isLinux = platform() === 'linux';
const hasAddon = loadNative().addon !== undefined;
const flour = await createFlour();
const words = flour.columns({ text: 'string' }).select('text').tokenize();
const compiled = words
  .wordNgram({ vocabulary: [['good'], ['bad']] })
  .linear({ weights: [1, -1] })
  .plan();
afterAll(() => flour.dispose());

/** Returns the `nice` value of each thread of this process. */
const threads = () =>
  new Map(
    readdirSync('/proc/self/task').map((id) => {
      const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8');
      return [id, Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])] as const;
    }),
  );

/** For each thread that the process started after `before`: how much lower its priority is. */
const lowered = (before: ReturnType<typeof threads>) =>
  [...threads()].filter(([id]) => !before.has(id)).map(([, nice]) => nice - before.get(`${process.pid}`)!);

/**
 * Starts the executors of a runtime until `isDone` returns true. `isDone` receives how much lower
 * the priority of each new thread is, and the number of executors that were ready at the same time.
 * Returns how much lower the priorities are at the end.
 */
async function startUntil(
  options: { executors: number; executorNice?: number; reserve?: { executors: number } },
  isDone: (nice: number[], ready: number) => boolean,
) {
  const { reserve, ...rest } = options;
  const before = threads();
  await using runtime = createRuntime({ store: flour.store, ...rest });
  const plan = runtime.register(compiled, { ...(reserve && { reserve }) });
  await until(async () => {
    const { executors } = await runtime.warm(plan);
    return isDone(lowered(before), executors);
  });
  return lowered(before);
}

test.skipIf(!hasAddon || !isLinux)('shared executors have a lower priority', async () => {
  const are = (nice: number) => (list: number[]) => list.filter((one) => one === nice).length === 2;
  await startUntil({ executors: 2 }, are(5));
  await startUntil({ executors: 2, executorNice: 7 }, are(7));
});

test.skipIf(!hasAddon || !isLinux)(
  'executors with nice 0 and reserved executors have the priority of the process',
  async () => {
    const isReady = (_: number[], ready: number) => ready === 1;
    expect(await startUntil({ executors: 1, executorNice: 0 }, isReady)).not.toContain(5);
    expect(await startUntil({ executors: 2, reserve: { executors: 1 } }, isReady)).not.toContain(5);
  },
);

test.skipIf(!hasAddon)('one core remains for the event loop, unless there is only one core', async () => {
  await using runtime = createRuntime({ store: flour.store });
  expect(runtime.stats().executors.limit).toBe(Math.max(1, availableParallelism() - 1));
});

test('a nice value out of range is rejected', () => {
  for (const executorNice of [-1, 20, 1.5, '5' as never])
    expect(() => createRuntime({ store: flour.store, executorNice })).toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_OPTION' }),
    );
});
