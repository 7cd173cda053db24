import { createFlour, createRuntime } from 'brezel';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { until } from '../../../../testing/until.js';
import type { TextOperator } from '../../../../testing/untyped.js';
import { seed } from '../conformance/seed.js';

const calls = Number(process.env.BREZEL_CHAOS_CALLS ?? 1000);
console.info(`BREZEL_CHAOS_CALLS=${calls}`);
const module = new URL('./endless-operators.mjs', import.meta.url);
const { endless, moody }: Record<'endless' | 'moody', TextOperator> = await import(module.href);

/** A call: what its operator does, and whether the caller aborts the call early. */
const call = fc.record({
  does: fc.oneof(
    { weight: 100, arbitrary: fc.array(fc.stringMatching(/^[a-z]{0,6}$/), { maxLength: 150 }) },
    { weight: 8, arbitrary: fc.constantFrom('throw', 'refuse') },
    { weight: 1, arbitrary: fc.constantFrom('hang', 'exit') },
  ),
  leaves: fc.oneof({ weight: 9, arbitrary: fc.constant('never') }, fc.constantFrom('deadline', 'signal')),
  one: fc.boolean(),
});
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

const expectedCode = {
  throw: 'ERR_RUNTIME_CUSTOM',
  refuse: 'ERR_RUNTIME_INPUT',
  hang: 'ERR_RUNTIME_STUCK',
  exit: 'ERR_RUNTIME_WORKER',
} as const;
const leftEarly = { never: [], deadline: ['ERR_RUNTIME_DEADLINE'], signal: ['AbortError'] } as const;

test('every call has its own answer, beside calls that hang, throw, exit and abort', async () => {
  const flour = await createFlour();
  const runtime = createRuntime({ store: flour.store, operatorModules: [module], operatorThreads: 2 });
  const text = flour.columns({ text: 'string' }).select('text');
  const good = runtime.register(flour.program({ y: text.custom(moody) }).plan(), { name: 'good' });
  const bad = runtime.register(flour.program({ y: text.custom(endless) }).plan(), { name: 'bad' });

  /** Makes a call, and checks that it ends in the expected way. */
  const run = async ({ does, leaves, one }: Call): Promise<void> => {
    const rows = typeof does === 'string' ? [does] : one ? [does[0] ?? ''] : does;
    const controller = new AbortController();
    const limits = {
      ...(leaves === 'deadline' && { deadlineMs: 1 }),
      ...(leaves === 'signal' && { signal: controller.signal }),
    };
    const plan = does === 'hang' ? bad : good;
    const answers = one
      ? runtime.predict(plan, rows[0]!, limits).then((answer) => [answer])
      : runtime.predictBatch(plan, rows, limits);
    if (leaves === 'signal') setImmediate(() => controller.abort());
    const outcome = await answers.then(
      (value) => ({ value, code: undefined }),
      (error) => ({ value: undefined, code: error.code === 20 ? error.name : error.code }),
    );
    if (leftEarly[leaves].includes(outcome.code as never)) return;
    if (typeof does === 'string') expect(outcome.code).toBe(expectedCode[does as keyof typeof expectedCode]);
    else expect(outcome).toEqual({ value: rows.map((row) => ({ y: row.length })), code: undefined });
  };

  const planned = fc.sample(call, { seed, numRuns: calls });
  for (let from = 0; from < planned.length; from += 20) await Promise.all(planned.slice(from, from + 20).map(run));
  // Tasks of aborted calls also end.
  await until(() => runtime.stats().isolation!.tasks === 0);
  const { isolation, queue } = runtime.stats();
  console.info(`${isolation!.ended} workers ended, ${isolation!.died} died`);
  expect(queue).toMatchObject({ rows: 0, bytes: 0 });
  expect(isolation!.workers).toBeLessThanOrEqual(2);
  await runtime.close();
  flour.dispose();
});
