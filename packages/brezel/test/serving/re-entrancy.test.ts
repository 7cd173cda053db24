import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  createFlour,
  defineOperator,
  type Flow,
  type RegisteredPlan,
  type RegisterOptions,
  type Runtime,
  vector,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { runtimes } from './runtimes.js';

/**
 * Predictions inside predictions. Custom operators and listeners may call the runtime that calls
 * them.
 */

const flour = await createFlour();
let inside: (() => void) | undefined;
/** An operator that doubles numbers. It first calls `inside`, but not in nested calls. */
const twice = defineOperator({
  name: 'test-inside/twice',
  inputs: ['float64[3]'],
  output: 'float64[3]',
  run: (numbers) => {
    const then = inside;
    inside = undefined;
    then?.();
    inside = then;
    return Array.from(numbers, (number) => 2 * number);
  },
});
const x = flour.input('x', vector('float64', 3)) as Flow<'vector'>;
const around = x.map('negate').custom(twice).concat(x.map('abs')).concat(x.custom(twice)).plan();
const row = (at: number) => ({ x: Float64Array.of(at, at + 0.5, -at) });
const answer = (at: number) => {
  const [a, b, c] = row(at).x as unknown as [number, number, number];
  return { output: [-2 * a, -2 * b, -2 * c, at, at + 0.5, at, 2 * a, 2 * b, 2 * c] };
};
const ways: [string, RegisterOptions][] = [
  ['plain', {}],
  ['with a cache', { cache: { maxBytes: 2 ** 16 } }],
  ['with delayed batching', { batching: { maxDelayMs: 0 } }],
];

const all = runtimes(flour, { latencies: { stagesEvery: 1 } });
afterAll(async () => {
  for (const [, runtime] of all) await runtime.close();
  around.release();
  flour.dispose();
});

/** Calls several verbs. Each run of the operator `twice` calls `inside`, except in nested calls. */
async function everyVerb(runtime: Runtime, plan: RegisteredPlan) {
  const rows = [1, 2, 3, 2, 1].map(row);
  const wanted = [1, 2, 3, 2, 1].map(answer);
  for (const at of [1, 2, 1]) expect(runtime.predictSync(plan, row(at))).toEqual(answer(at));
  expect(await Promise.all(rows.map((one) => runtime.predict(plan, one)))).toEqual(wanted);
  for (const engine of ['request-response', 'batch', 'auto', 'reference'] as const)
    expect(await runtime.predictBatch(plan, rows, { engine })).toEqual(wanted);
  expect(runtime.predictManySync([plan, plan], row(3))).toEqual([answer(3), answer(3)]);
}

describe.each(all)('%s', (_, runtime) => {
  test.each(ways)('in a function of a plan %s, the same plan predicts', async (_, options) => {
    const plan = runtime.register(around, options);
    let times = 0;
    inside = () => {
      times++;
      expect(runtime.predictSync(plan, row(7))).toEqual(answer(7));
    };
    await everyVerb(runtime, plan);
    expect(times).toBeGreaterThan(5);
    inside = undefined;
    runtime.unregister(plan);
  });

  test('in a function, plans are registered and removed', async () => {
    const plan = runtime.register(around);
    const before = runtime.stats().stages;
    inside = () => {
      const other = runtime.register(around, { cache: { maxBytes: 2 ** 16 } });
      expect(runtime.predictSync(other, row(8))).toEqual(answer(8));
      runtime.unregister(other);
    };
    await everyVerb(runtime, plan);
    inside = undefined;
    expect(runtime.stats().stages).toEqual(before);
    runtime.unregister(plan);
  });

  test('in a listener of the channels, plans predict', async () => {
    const plan = runtime.register(around, { cache: { maxBytes: 2 ** 16 } });
    let depth = 0;
    const listener = () => {
      if (depth > 0) return;
      depth++;
      expect(runtime.predictSync(plan, row(9))).toEqual(answer(9));
      depth--;
    };
    for (const step of ['start', 'end']) subscribe(`brezel:predict:${step}`, listener);
    await everyVerb(runtime, plan);
    for (const step of ['start', 'end']) unsubscribe(`brezel:predict:${step}`, listener);
    runtime.unregister(plan);
  });
});
