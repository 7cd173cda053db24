import { setImmediate as nextTurn } from 'node:timers/promises';
import { DataType, makeGraph, makeModel, makeNode, makeTensor, tensorInput, writeModel } from '@brezel/onnx';
import { createFlour, createRegistry, createRuntime, type FlourContext, importOnnx, type Runtime } from 'brezel';
import { describe, expect, test } from 'vitest';

/** A linear model of `count` numbers, each in a separate input: one stage with many parameters. */
function numbers(count: number): Uint8Array {
  const input = Array.from({ length: count }, (_, at) => tensorInput(`x${at}`, DataType.FLOAT, [undefined, 1]));
  const weights = Float32Array.from({ length: count }, (_, at) => at + 1);
  const names = input.map(({ name }) => name);
  const node = [makeNode('Concat', names, ['all'], { axis: { i: 1 } }), makeNode('MatMul', ['all', 'w'], ['y'])];
  const initializer = [makeTensor('w', 'float32', [count, 1], weights)];
  const output = [tensorInput('y', DataType.FLOAT, [undefined, 1])];
  return writeModel(makeModel(makeGraph({ node, initializer, input, output }), { '': 17 }));
}

/** A linear model of `count` categories, each in a separate input: many stages. */
function categories(count: number): Uint8Array {
  const input = Array.from({ length: count }, (_, at) => tensorInput(`x${at}`, DataType.STRING, [undefined, 1]));
  const initializer = [
    makeTensor('shape', 'int64', [2], BigInt64Array.of(-1n, 2n)),
    makeTensor(
      'w',
      'float32',
      [2 * count, 1],
      Float32Array.from({ length: 2 * count }, (_, at) => at),
    ),
  ];
  const node = input.flatMap(({ name }, at) => [
    makeNode('OneHotEncoder', [name!], [`h${at}`], { cats_strings: { strings: ['a', `b${at}`] } }, 'ai.onnx.ml'),
    makeNode('Reshape', [`h${at}`, 'shape'], [`r${at}`]),
  ]);
  node.push(
    makeNode(
      'Concat',
      input.map((_, at) => `r${at}`),
      ['all'],
      { axis: { i: 1 } },
    ),
  );
  node.push(makeNode('MatMul', ['all', 'w'], ['y']));
  const output = [tensorInput('y', DataType.FLOAT, [undefined, 1])];
  const graph = makeGraph({ node, initializer, input, output });
  return writeModel(makeModel(graph, { '': 17, 'ai.onnx.ml': 3 }));
}

const models = { numbers: numbers(1500), categories: categories(300) };
const rows = {
  numbers: Object.fromEntries(Array.from({ length: 1500 }, (_, at) => [`x${at}`, 1])),
  categories: Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`x${at}`, 'a'])),
};

const plansOf = (runtime: Runtime) => runtime.stats().plans.map(({ name }) => name);

/** Counts the calls of `store.retain` in each turn of the event loop, until the work ends. */
async function retainsPerTurn(flour: FlourContext, work: () => unknown): Promise<number[]> {
  const { store } = flour;
  const retain = store.retain.bind(store);
  const turns = [0];
  store.retain = (id) => {
    turns[turns.length - 1]!++;
    retain(id);
  };
  let isOver = false;
  const working = Promise.resolve(work()).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await nextTurn();
    turns.push(0);
  }
  await working;
  store.retain = retain;
  return turns;
}

describe.each([
  ['numbers', undefined],
  ['numbers', false],
  ['categories', undefined],
  ['categories', false],
] as const)('registerAsync, %s, native: %s', (kind, native) => {
  async function withPlan(use: (flour: FlourContext, runtime: Runtime) => Promise<void>): Promise<void> {
    using flour = await createFlour(native === false ? { native } : {});
    await using runtime = createRuntime({ store: flour.store, ...(native === false && { native }), executors: 0 });
    await use(flour, runtime);
  }

  test('gives the plan of register', () =>
    withPlan(async (flour, runtime) => {
      const plan = importOnnx(models[kind], flour).program.plan();
      for (const options of [{}, { missing: 'accept', quality: { sampleEvery: 1 } }] as const) {
        const expected = runtime.register(plan, { ...options, name: 'at once' });
        const received = await runtime.registerAsync(plan, { ...options, name: 'in turns' });
        for (const field of ['inputs', 'outputs', 'width', 'engine', 'nanosPerRow'] as const)
          expect(received[field]).toEqual(expected[field]);
        const row = rows[kind] as never;
        expect(runtime.predictSync(received, row)).toEqual(runtime.predictSync(expected, row));
        expect(runtime.quality(received)).toEqual(runtime.quality(expected));
        for (const one of [expected, received]) runtime.unregister(one);
      }
    }));

  test('a turn does a part of the work, and register does all in one turn', () =>
    withPlan(async (flour, runtime) => {
      const plan = importOnnx(models[kind], flour).program.plan();
      const atOnce = await retainsPerTurn(flour, () => runtime.unregister(runtime.register(plan)));
      const inTurns = await retainsPerTurn(flour, () => runtime.registerAsync(plan));
      const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
      expect(atOnce[0]).toBe(sum(atOnce));
      expect(sum(inTurns)).toBe(sum(atOnce));
      expect(Math.max(...inTurns)).toBeLessThanOrEqual(1000);
      expect(inTurns.length).toBeGreaterThan(3);
    }));

  test('a plan is invisible until it is registered, except for its name', () =>
    withPlan(async (flour, runtime) => {
      const plan = importOnnx(models[kind], flour).program.plan();
      const adding = runtime.registerAsync(plan, { name: 'm' });
      expect(plansOf(runtime)).toEqual([]);
      expect(() => runtime.register(plan, { name: 'm' })).toThrow(
        expect.objectContaining({ code: 'ERR_RUNTIME_NAME' }),
      );
      await expect(runtime.registerAsync(plan, { name: 'm' })).rejects.toMatchObject({ code: 'ERR_RUNTIME_NAME' });
      const other = runtime.register(plan, { name: 'other' });
      expect(plansOf(runtime)).toEqual(['other']);
      const registered = await adding;
      expect(plansOf(runtime)).toEqual(['other', 'm']);
      const { stages } = runtime.stats();
      expect(stages.used).toBe(2 * stages.distinct);
      runtime.unregister(other);
      const row = rows[kind] as never;
      expect(Number.isFinite(runtime.predictSync(registered, row, new Float64Array(1))[0])).toBe(true);
      runtime.unregister(registered);
      plan.release();
      flour.dispose();
      expect(flour.store.stats().objects).toBe(0);
    }));

  test('close ends the call, and nothing stays', () =>
    withPlan(async (flour, runtime) => {
      const plan = importOnnx(models[kind], flour).program.plan();
      const adding = runtime.registerAsync(plan).catch((error) => error);
      await runtime.close();
      expect(await adding).toMatchObject({ code: 'ERR_RUNTIME_CLOSED' });
      plan.release();
      flour.dispose();
      expect(flour.store.stats().objects).toBe(0);
    }));

  test('an error in any piece reverts the pieces before it', () =>
    withPlan(async (flour, runtime) => {
      const { store } = flour;
      const plan = importOnnx(models[kind], flour).program.plan();
      const retain = store.retain.bind(store);
      let count = 0;
      store.retain = (id) => {
        if (++count === plan.parameters.length - 1) throw new Error('a lost parameter');
        retain(id);
      };
      await expect(runtime.registerAsync(plan, { name: 'm' })).rejects.toThrow('a lost parameter');
      store.retain = retain;
      expect(runtime.stats()).toMatchObject({ plans: [], stages: { distinct: 0 } });
      const registered = await runtime.registerAsync(plan, { name: 'm' });
      runtime.unregister(registered);
      plan.release();
      flour.dispose();
      expect(store.stats().objects).toBe(0);
    }));
});

test('a registry loads large models in turns, and drops a version that is removed meanwhile', async () => {
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store });
  await using registry = await createRegistry({ runtime });
  const program = importOnnx(models.numbers, flour).program;
  const plan = program.plan();
  registry.add('large', { load: () => ({ plan }) });
  const turns = await retainsPerTurn(flour, () => registry.load('large'));
  expect(Math.max(...turns)).toBeLessThanOrEqual(1000);
  expect(registry.stats().versions[0]!.parameterBytes).toBe(registry.stats().bytes);

  let unloaded = 0;
  registry.add('removed', { load: () => ({ plan: program.plan(), unloaded: () => void unloaded++ }) });
  const loading = registry.load('removed').catch((error) => error);
  await nextTurn();
  await registry.remove('removed', { drainMs: 0 });
  expect(await loading).toMatchObject({ code: 'ERR_REGISTRY_REMOVED' });
  while (unloaded === 0) await nextTurn();
  expect(plansOf(runtime)).toEqual(['large@1']);
  expect(unloaded).toBe(1);
});
