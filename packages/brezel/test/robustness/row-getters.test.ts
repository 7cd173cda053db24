import {
  type CompiledPlan,
  createFlour,
  createRegistry,
  createRuntime,
  defineOperator,
  type Flow,
  loadNative,
  type RegisteredPlan,
  type RegisterOptions,
  type Row,
  type Runtime,
  type RuntimeOptions,
  vector,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import type { TextOperator } from '../../../../testing/untyped.js';

/**
 * Getters of rows remove the plan, close the runtime or detach the out-array while Brezel reads the
 * row. Each call fails with the code for this case, and never with ERR_INTERNAL.
 */

const flour = await createFlour();
const module = new URL('../isolation/endless-operators.mjs', import.meta.url);
const { moody }: { moody: TextOperator } = await import(module.href);
const identity = defineOperator({
  name: 'test-getters/identity',
  inputs: ['float64[2]'],
  output: 'float64[2]',
  run: (numbers) => Array.from(numbers),
});
const two = { kind: 'vector', dtype: 'float64', size: 2 } as const;
const a = flour.input('a', two) as Flow<'vector'>;
const b = flour.input('b', vector('float64', 2)) as Flow<'vector'>;
const text = flour.columns({ text: 'string' }).select('text');
const scored = text.tokenize().wordNgram({ vocabulary: [['good']] });
const plans: Record<string, readonly [CompiledPlan & { release(): void }, string, unknown]> = {
  'one vector': [flour.program({ y: a.map('abs') }, { name: 'vector' }).plan(), 'a', Float64Array.of(-1, 2)],
  'two vectors': [flour.program({ y: b.map('abs'), z: a.map('negate') }, { name: 'vectors' }).plan(), 'a', [1, 2]],
  'a text': [flour.program({ y: scored.linear({ weights: [2], bias: 1 }) }, { name: 'text' }).plan(), 'text', 'good'],
  'stages in the addon and in JavaScript': [
    flour.program({ y: a.map('abs').custom(identity).concat(a.map('negate')) }, { name: 'mixed' }).plan(),
    'a',
    [1, 2],
  ],
};
afterAll(() => {
  for (const [plan] of Object.values(plans)) plan.release();
  flour.dispose();
});

const row = (input: string, value: unknown, onRead: () => void): Row => ({
  ...(input === 'a' && { b: [3, 4] }),
  get [input]() {
    onRead();
    return value;
  },
});
const rowOf = (plan: RegisteredPlan, input: string, value: unknown, onRead: () => void): Row => {
  const made = row(input, value, onRead);
  if (plan.inputs.length > 1) return made;
  Object.defineProperty(made, 'b', { enumerable: false });
  return made;
};

type Way = readonly [name: string, runtime: Omit<RuntimeOptions, 'store'>, register: RegisterOptions];
const cache = { maxBytes: 2 ** 16 };
const waysOf = (native: boolean | undefined): Way[] => [
  ['plain', { native, executors: 0 }, {}],
  ['with a cache', { native, executors: 0 }, { cache }],
  ['with batching', { native, executors: 0 }, { batching: { maxDelayMs: 0 } }],
  ['on executors', { native, executors: 2 }, { reserve: { executors: 1 } }],
  ['with latencies', { native, executors: 0, latencies: { stagesEvery: 1 } }, {}],
];
const natives = loadNative().addon === undefined ? [] : waysOf(undefined).map((way) => ['native', ...way] as const);
const cases = [...natives, ...waysOf(false).map((way) => ['javascript', ...way] as const)].flatMap((way) =>
  Object.keys(plans).map((plan) => [plan, ...way] as const),
);

/** Every verb that answers one row, as a function that returns a promise. */
const verbs: Record<string, (runtime: Runtime, plan: RegisteredPlan, row: Row) => Promise<unknown>> = {
  predictSync: async (runtime, plan, row) => runtime.predictSync(plan, row),
  'predictSync with out': async (runtime, plan, row) => runtime.predictSync(plan, row, new Float64Array(plan.width)),
  predict: (runtime, plan, row) => runtime.predict(plan, row),
  'predict in the queue': (runtime, plan, row) => runtime.predict(plan, row, { engine: 'batch' }),
  'predictBatch request-response': (runtime, plan, row) =>
    runtime.predictBatch(plan, [row, row], { engine: 'request-response' }),
  predictBatch: (runtime, plan, row) => runtime.predictBatch(plan, [row, row], { engine: 'batch' }),
  'predictBatch reference': (runtime, plan, row) => runtime.predictBatch(plan, [row, row], { engine: 'reference' }),
  predictManySync: async (runtime, plan, row) => runtime.predictManySync([plan, plan], row),
  'predictManySync with out': async (runtime, plan, row) =>
    runtime.predictManySync([plan, plan], row, new Float64Array(2 * plan.width)),
  predictMany: (runtime, plan, row) => runtime.predictMany([plan, plan], row),
  predictManyBatch: (runtime, plan, row) => runtime.predictManyBatch([plan, plan], [row, row]),
  'predictManyBatch request-response': (runtime, plan, row) =>
    runtime.predictManyBatch([plan, plan], [row, row], { engine: 'request-response' }),
  predictStream: async (runtime, plan, row) => {
    for await (const _ of runtime.predictStream(plan, [row, row]));
  },
  'predict with contributions': (runtime, plan, row) => runtime.predict(plan, row, { contributions: true }),
  'predictBatch with contributions': (runtime, plan, row) =>
    runtime.predictBatch(plan, [row, row], { contributions: true }),
  'predictStream with contributions': async (runtime, plan, row) => {
    for await (const _ of runtime.predictStream(plan, [row, row], { contributions: true }));
  },
  profile: (runtime, plan, row) => runtime.profile(plan, [row], { durationMs: 1, blockRows: 1 }),
  'profile blocks': (runtime, plan, row) => runtime.profile(plan, [row, row], { durationMs: 1 }),
  warm: (runtime, plan, row) => runtime.warm(plan, { rows: [row] }),
};

describe.each(cases)('%s, %s, %s', (name, _, way, options, register) => {
  const [compiled, input, value] = plans[name]!;
  const isMixedWithReserve = name.startsWith('stages') && way === 'on executors';
  const served = () => {
    const runtime = createRuntime({ store: flour.store, ...options });
    const quarantine = { failures: 1 };
    return {
      runtime,
      plan: runtime.register(compiled, isMixedWithReserve ? { quarantine } : { ...register, quarantine }),
    };
  };

  test.each(Object.keys(verbs))('unregister and close in %s', async (verb) => {
    {
      const { runtime, plan } = served();
      let isThere = true;
      const onRead = () => {
        if (isThere) runtime.unregister(plan);
        isThere = false;
      };
      await expect(verbs[verb]!(runtime, plan, rowOf(plan, input, value, onRead))).rejects.toMatchObject({
        code: 'ERR_RUNTIME_UNKNOWN_PLAN',
      });
      const again = runtime.register(compiled);
      expect(
        runtime.predictSync(
          again,
          rowOf(again, input, value, () => {}),
        ),
      ).toBeDefined();
      expect(runtime.stats()).toMatchObject({ queue: { rows: 0, bytes: 0 }, plans: [{ name: compiled.name }] });
      await runtime.close();
    }
    const { runtime, plan } = served();
    let closed: Promise<void> | undefined;
    const onRead = () => {
      closed ??= runtime.close();
    };
    await expect(verbs[verb]!(runtime, plan, rowOf(plan, input, value, onRead))).rejects.toMatchObject({
      code: 'ERR_RUNTIME_CLOSED',
    });
    await closed;
  });

  test('a getter that throws is an error of the row', async () => {
    const { runtime, plan } = served();
    const mine = new TypeError('mine');
    const onRead = () => {
      throw mine;
    };
    for (const [verb, run] of Object.entries(verbs))
      await expect(run(runtime, plan, rowOf(plan, input, value, onRead)), verb).rejects.toMatchObject({
        code: 'ERR_RUNTIME_INPUT',
        cause: expect.anything(),
        message: expect.stringContaining('mine'),
      });
    expect(runtime.stats().plans[0]!.calls).toMatchObject({ failed: 0, quarantined: 0 });
    expect(runtime.stats().plans[0]!.calls.refused).toBeGreaterThan(8);
    await runtime.close();
  });

  test('out-arrays that are detached or shrunk', async () => {
    const { runtime, plan } = served();
    const width = 2 * plan.width;
    for (const take of ['detach', 'shrink'] as const)
      for (const many of [false, true]) {
        const buffer = new ArrayBuffer(width * 8, { maxByteLength: width * 8 });
        const out = new Float64Array(buffer);
        const onRead = () => {
          if (take === 'shrink') buffer.resize(8 * (plan.width - 1));
          else if (buffer.byteLength > 0) structuredClone(buffer, { transfer: [buffer] });
        };
        const given = rowOf(plan, input, value, onRead);
        expect(
          () => (many ? runtime.predictManySync([plan, plan], given, out) : runtime.predictSync(plan, given, out)),
          `${take} ${many}`,
        ).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_OUTPUT' }));
      }
    expect(runtime.stats().plans[0]!.calls).toMatchObject({ refused: 4, failed: 0, quarantined: 0 });
    await runtime.close();
  });
});

test.each([undefined, false])('a getter that evicts the merged plans in use, native: %s', async (native) => {
  const [compiled, input, value] = plans['one vector']!;
  const runtime = createRuntime({ store: flour.store, native, executors: 0 });
  const plan = runtime.register(compiled);
  const plain = rowOf(plan, input, value, () => {});
  const wanted = runtime.predictManySync([plan, plan], plain);
  const evict = () => {
    for (let count = 3; count < 70; count++) runtime.predictManySync(new Array(count).fill(plan), plain);
  };
  let isFirst = true;
  const given = rowOf(plan, input, value, () => {
    if (isFirst) evict();
    isFirst = false;
  });
  expect(runtime.predictManySync([plan, plan], given)).toEqual(wanted);
  isFirst = true;
  expect(await runtime.predictMany([plan, plan], given)).toEqual(wanted);
  await runtime.close();
});

test('a plan on isolated workers', async () => {
  const isolated = flour.program({ y: text.custom(moody) }, { name: 'isolated' }).plan();
  for (const verb of ['predict', 'predictBatch', 'predictStream']) {
    const runtime = createRuntime({ store: flour.store, operatorModules: [module] });
    const plan = runtime.register(isolated);
    let isThere = true;
    const onRead = () => {
      if (isThere) runtime.unregister(plan);
      isThere = false;
    };
    await expect(verbs[verb]!(runtime, plan, rowOf(plan, 'text', 'abc', onRead)), verb).rejects.toMatchObject({
      code: 'ERR_RUNTIME_UNKNOWN_PLAN',
    });
    await runtime.close();
  }
  isolated.release();
});

test('a registry: a getter that removes the version or closes the runtime', async () => {
  const [compiled, input, value] = plans['one vector']!;
  for (const engine of ['predictSync', 'predict', 'predictBatch'] as const) {
    const runtime = createRuntime({ store: flour.store });
    const registry = await createRegistry({ runtime, quarantineAfter: 1 });
    registry.add('m', compiled);
    const [plan] = runtime.stats().plans;
    let closed: Promise<void> | undefined;
    const given = rowOf({ inputs: [plan] } as never, input, value, () => {
      closed ??= runtime.close();
    });
    const call = async () =>
      engine === 'predictBatch' ? registry.predictBatch('m', [given]) : registry[engine]('m', given);
    await expect(call(), engine).rejects.toMatchObject({ code: 'ERR_RUNTIME_CLOSED' });
    expect(registry.stats()).toMatchObject({ versions: [{ failures: 0 }] });
    await closed;
    await registry.close();
  }
});
