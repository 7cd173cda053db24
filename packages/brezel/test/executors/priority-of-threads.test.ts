import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, platform } from 'node:os';
import { afterAll, expect, test } from 'vitest';
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

/** The `nice` of each thread of this process. */
const threads = () =>
  new Map(
    readdirSync('/proc/self/task').map((id) => {
      const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8');
      return [id, Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])] as const;
    }),
  );

/** Starts the executors of a runtime and returns how much lower the priority of new threads is. */
async function newThreads(options: { executors: number; executorNice?: number }, reserve?: { executors: number }) {
  const before = threads();
  const base = before.get(`${process.pid}`)!;
  await using runtime = createRuntime({ store: flour.store, ...options });
  const plan = runtime.register(compiled, { ...(reserve && { reserve }) });
  await runtime.warm(plan);
  await runtime.predictBatch(plan, new Array(5000).fill('good'));
  return [...threads()].filter(([id]) => !before.has(id)).map(([, nice]) => nice - base);
}

test.skipIf(!hasAddon || !isLinux)('shared executors have a lower priority, reserved ones have not', async () => {
  expect((await newThreads({ executors: 2 })).filter((nice) => nice === 5)).toHaveLength(2);
  expect((await newThreads({ executors: 2, executorNice: 7 })).filter((nice) => nice === 7)).toHaveLength(2);
  expect(await newThreads({ executors: 1, executorNice: 0 })).not.toContain(5);
  expect(await newThreads({ executors: 2 }, { executors: 1 })).not.toContain(5);
});

test.skipIf(!hasAddon)('the event loop has a core, unless there is only one', async () => {
  await using runtime = createRuntime({ store: flour.store });
  expect(runtime.stats().executors.limit).toBe(Math.max(1, availableParallelism() - 1));
});

test('a priority out of range is rejected', () => {
  for (const executorNice of [-1, 20, 1.5, '5' as never])
    expect(() => createRuntime({ store: flour.store, executorNice })).toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_OPTION' }),
    );
});
