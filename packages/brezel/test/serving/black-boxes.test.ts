import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DataType,
  makeGraph,
  makeModel,
  makeNode,
  makeTensor,
  type NodeProto,
  tensorInput,
  writeModel,
} from '@brezel/onnx';
import {
  type Backend,
  type BackendStage,
  type BlackBoxOptions,
  createFlour,
  createRuntime,
  explain,
  type OwnedPlan,
  onnxruntimeBackend,
  openFleet,
  packFleet,
  tensor,
  vector,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';

// Whole models of another runtime inside row programs.

const backend = onnxruntimeBackend({ workers: 1 });
const { available, why } = await backend.probe();
if (!available) console.warn(`black boxes are not run: ${why}`);
const flour = await createFlour();
const runtime = createRuntime({ store: flour.store, backends: [backend] });
afterAll(async () => {
  await runtime.close();
  await backend.dispose();
  flour.dispose();
});

type Shape = readonly (number | string)[];
const file = (nodes: readonly NodeProto[], input: Shape, output: Shape, dataType: number = DataType.FLOAT) =>
  writeModel(
    makeModel(
      makeGraph({
        node: [...nodes],
        initializer: [makeTensor('w', 'float32', [3, 2], Float32Array.of(1, 0, 0, 2, 3, 3))],
        input: [tensorInput('x', dataType, input)],
        output: [tensorInput('y', DataType.FLOAT, output)],
      }),
      { '': 17 },
    ),
  );
/** The last layer of a model: `x w` of three numbers, with negative results replaced by 0. */
const head = file([makeNode('MatMul', ['x', 'w'], ['a']), makeNode('Relu', ['a'], ['y'])], ['N', 3], ['N', 2]);
const one = file([makeNode('MatMul', ['x', 'w'], ['y'])], [1, 3], [1, 2]);
const images = file(
  [makeNode('ReduceMax', ['x'], ['y'], { axes: { ints: [2, 3] }, keepdims: { i: 0 } })],
  ['N', 2, 4, 4],
  ['N', 2],
);

const words = () =>
  flour
    .columns({ text: 'string' })
    .select('text')
    .tokenize()
    .wordNgram({ vocabulary: [['good'], ['bad'], ['film']] });

async function answers(plan: OwnedPlan, rows: readonly never[] | readonly object[], run = runtime) {
  const registered = run.register(plan);
  plan.release();
  try {
    return await run.predictBatch(registered, rows as never);
  } finally {
    run.unregister(registered);
  }
}

const rows = [{ text: 'good good film' }, { text: 'bad' }, { text: '' }];
const expected = [{ output: [5, 3] }, { output: [0, 2] }, { output: [0, 0] }];

describe.skipIf(!available)('plans with a whole model', () => {
  test('a featurizer before a head: every asynchronous verb, every engine', async () => {
    const plan = words().blackBox(head, { size: 2 }).plan();
    const registered = runtime.register(plan);
    plan.release();
    const plain = (given: readonly object[]) => JSON.parse(JSON.stringify(given));
    expect(await runtime.predict(registered, rows[0]!)).toMatchObject({ output: expected[0]!.output });
    expect(plain(await runtime.predictBatch(registered, rows))).toEqual(plain(expected));
    expect(plain(await runtime.predictBatch(registered, rows, { engine: 'reference' }))).toEqual(plain(expected));
    const streamed = [];
    for await (const answer of runtime.predictStream(registered, rows)) streamed.push(answer);
    expect(plain(streamed)).toEqual(plain(expected));
    expect(registered.engine).toBe('mixed');
    for (const sync of [
      () => runtime.predictSync(registered, rows[0]!),
      () => runtime.predictManySync([registered], rows[0]!),
    ])
      expect(sync).toThrow(
        expect.objectContaining({ code: 'ERR_FLOUR_BLACK_BOX', hint: expect.stringContaining('predictBatch') }),
      );
    runtime.unregister(registered);
  });

  test('a model between supported operators, with more rows than a block', async () => {
    const scores = words()
      .blackBox(head, { size: 2 })
      .linear({ weights: [1, -1], bias: 0.5 });
    const many = Array.from({ length: 613 }, (_, at) => rows[at % 3]!);
    const got = await answers(scores.plan(), many);
    expect(got.map(({ output }) => (output as number[])[0])).toEqual(many.map((_, at) => [2.5, -1.5, 0.5][at % 3]));
  });

  test('images: a network before a linear model', async () => {
    const x = flour.input('x', tensor('float32', [2, 4, 4]));
    const plan = flour
      .program({ output: x.blackBox(images, { size: 2, input: 'x', output: 'y' }).linear({ weights: [1, 10] }) })
      .plan();
    const row = (most: number) => ({ x: Array.from({ length: 32 }, (_, at) => (at === 20 ? most : 1)) });
    const got = await answers(plan, [row(7), row(3)]);
    expect(got.map(({ output }) => (output as number[])[0])).toEqual([71, 31]);
  });

  test('a model for one row at a time', async () => {
    const plan = words().blackBox(one, { size: 2 }).plan();
    const got = await answers(plan, rows);
    expect(got.map(({ output }) => [...(output as number[])])).toEqual(expected.map(({ output }) => output));
  });

  test('invalid rows, signals and deadlines', async () => {
    const plan = words().blackBox(head, { size: 2 }).plan();
    const registered = runtime.register(plan);
    plan.release();
    await expect(runtime.predictBatch(registered, [rows[0]!, { text: 1 } as never])).rejects.toMatchObject({
      code: 'ERR_RUNTIME_INPUT',
    });
    const controller = new AbortController();
    const given = runtime.predictBatch(registered, rows, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    const late = runtime.predictBatch(registered, rows);
    runtime.unregister(registered);
    await expect(late).rejects.toThrow();
    await expect(runtime.predict(registered, rows[0]!)).rejects.toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
    expect(runtime.stats().queue).toMatchObject({ rows: 0, bytes: 0 });
  });

  test('EXPLAIN shows the model, and a fleet file stores it', async () => {
    const program = flour.program({
      output: words()
        .blackBox(head, { size: 2 })
        .linear({ weights: [1, -1] }),
    });
    const text = explain(program);
    expect(text).toContain('stage 2 runs in a backend: use predict, predictBatch or predictStream');
    expect(text).toContain(`brezel/black-box(s1.3)  onnx model of ${head.length} bytes, 2 numbers`);
    expect(text).toContain('kernels: none: runs in a backend');
    const folder = mkdtempSync(join(tmpdir(), 'brezel-boxes-'));
    const path = join(folder, 'fleet.brezel');
    const plan = program.plan();
    await packFleet([plan], path, { store: flour.store });
    plan.release();
    using fleet = await openFleet(path);
    expect(await fleet.replay()).toEqual({ plans: 1, rows: 0, differences: [] });
    const served = createRuntime({ store: fleet.store, backends: [backend] });
    const [got] = await answers(fleet.plan(fleet.names[0]!), rows, served);
    expect((got!.output as number[])[0]).toBe(2);
    await served.close();
    rmSync(folder, { recursive: true });
  });

  const wrong: [string, Uint8Array, BlackBoxOptions, RegExp][] = [
    ['another size', head, { size: 3 }, /expected 9 numbers of float32.*received float32\[3,2\]/],
    ['another element type', head, { size: 2, dtype: 'float64' }, /expected 6 numbers of float64/],
    ['no such output', head, { size: 2, output: 'z' }, /expected output "z".*received y/],
    ['no such input', head, { size: 2, input: 'z' }, /expected input "z".*received x/],
    ['no model', Uint8Array.of(1, 2, 3), { size: 2 }, /cannot open the model/],
    ['other inputs', images, { size: 2 }, /float32\[N, 2, 4, 4\]/],
  ];
  test.each(wrong)('%s: reported at the first answer', async (_, model, options, message) => {
    await expect(answers(words().blackBox(model, options).plan(), rows)).rejects.toThrow(message);
  });
});

/** A custom backend that returns the sum of each row. It fails if a number of the rows is 13. */
function sums(): Backend & { readonly calls: number[] } {
  const calls: number[] = [];
  const port = { kind: 'tensor', element: 'float32' } as const;
  const stage: BackendStage = {
    inputs: [{ ...port, name: 'x', shape: ['N', 3] }],
    outputs: [{ ...port, name: 'y', shape: ['N', 1] }],
    provider: 'sums',
    device: 'cpu',
    bytes: 0,
    async run({ x }) {
      const [rows, size] = x!.shape as [number, number];
      calls.push(rows);
      const values = x!.data as Float32Array;
      if (values.includes(13)) throw new Error('a number that brings bad luck');
      const data = Float32Array.from({ length: rows }, (_, row) =>
        values.subarray(row * size, (row + 1) * size).reduce((sum, value) => sum + value, 0),
      );
      return { y: { element: 'float32', shape: [rows, 1], data } };
    },
    dispose: async () => {},
  };
  return {
    name: 'sums',
    formats: ['onnx'],
    calls,
    probe: async () => ({ name: 'sums', available: true, formats: ['onnx'], providers: [] }),
    open: async () => stage,
    dispose: async () => {},
  };
}

test('a custom backend whose session throws during a batch does not affect other plans', async () => {
  const mine = sums();
  await using run = createRuntime({ store: flour.store, backends: [mine] });
  const x = () => flour.input('x', vector('float32', 3)).blackBox(Uint8Array.of(0), { size: 1 });
  const [one, two] = [1, 2].map((factor) => {
    const plan = flour.program({ y: x().arithmetic('multiply', factor) }).plan();
    const registered = run.register(plan, { name: `times ${factor}` });
    plan.release();
    return registered;
  });
  const many = Array.from({ length: 700 }, (_, at) => ({ x: [at === 600 ? 13 : 1, 2, 3] }));
  const [failed, answered] = await Promise.allSettled([
    run.predictBatch(one!, many),
    run.predictBatch(two!, many.slice(0, 600)),
  ]);
  expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'a number that brings bad luck' } });
  expect(
    (answered as PromiseFulfilledResult<object[]>).value.map(({ y }: { y?: unknown }) => [...(y as number[])]),
  ).toEqual(new Array(600).fill([12]));
  expect(mine.calls.filter((rows) => rows === 256).length, 'blocks before the fault ran').toBeGreaterThanOrEqual(4);
  expect([...((await run.predict(one!, { x: [1, 1, 1] })).y as number[])], 'nor is the plan itself').toEqual([3]);
  expect(run.stats().queue).toMatchObject({ rows: 0, bytes: 0 });
});

test.each([0, Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY, null])(
  'a backend whose stage has the concurrency %j gives an error, and never no answers',
  async (concurrency) => {
    const mine = sums();
    let disposed = 0;
    const dispose = async () => {
      disposed++;
      throw new Error('cannot dispose');
    };
    const open: Backend['open'] = async (model) => ({ ...(await mine.open(model)), concurrency, dispose }) as never;
    await using run = createRuntime({ store: flour.store, backends: [{ ...mine, open }] });
    const plan = flour.input('x', vector('float32', 3)).blackBox(Uint8Array.of(0), { size: 1 }).plan();
    const registered = run.register(plan);
    plan.release();
    const error = {
      code: 'ERR_BACKEND_MODEL',
      details: { received: String(concurrency), at: 'backend sums, black box of plan program' },
    };
    await expect(run.predictBatch(registered, [{ x: [1, 2, 3] }])).rejects.toMatchObject(error);
    await expect(run.predict(registered, { x: [1, 2, 3] })).rejects.toMatchObject(error);
    expect(mine.calls).toEqual([]);
    expect(disposed, 'each stage that was opened is released').toBeGreaterThan(0);
  },
);

describe('attach', () => {
  const named = (name: string, attach: Backend['attach'] | undefined): Backend =>
    ({ ...sums(), name, attach }) as never;

  test('that fails leaves nothing registered', async () => {
    await using run = createRuntime({ store: flour.store });
    const fails = () => {
      throw new Error('cannot attach');
    };
    expect(() => run.registerBackend(named('mine', fails))).toThrow('cannot attach');
    for (const result of [null, 7, Promise.resolve(async () => undefined)])
      expect(() => run.registerBackend(named('mine', () => result as never))).toThrow(
        expect.objectContaining({ code: 'ERR_RUNTIME_BACKEND' }),
      );
    expect(run.backends).toEqual([]);
    run.registerBackend(named('mine', undefined));
    expect(run.backends.map(({ name }) => name)).toEqual(['mine']);
  });

  test('of a runtime that is not created is undone', async () => {
    const events: string[] = [];
    let detached = () => {};
    const end = new Promise<void>((resolve) => {
      detached = resolve;
    });
    const counting = named('counting', () => {
      events.push('attached');
      return async () => {
        events.push('detached');
        detached();
      };
    });
    const { store } = flour;
    expect(() => createRuntime({ store, backends: [counting], materialization: { maxBytes: -1 } })).toThrow(/maxBytes/);
    expect(events, 'the runtime checks its options before it attaches').toEqual([]);
    expect(() => createRuntime({ store, backends: [counting, named('counting', undefined)] })).toThrow(/a second/);
    await end;
    expect(events).toEqual(['attached', 'detached']);
  });

  test('is undone for every backend by close, which then throws the first error', async () => {
    const events: string[] = [];
    const run = createRuntime({ store: flour.store });
    const detaches = [
      () => {
        throw new Error('one');
      },
      async () => {
        throw new Error('two');
      },
      async () => {
        events.push('three');
      },
    ];
    for (const [at, detach] of detaches.entries()) run.registerBackend(named(`b${at}`, () => detach));
    await expect(run.close()).rejects.toThrow('one');
    expect(events).toEqual(['three']);
    await run.close();
    expect(events).toEqual(['three']);
  });
});

test('expensive rows are sent to a box in smaller blocks, and the event loop runs between the blocks', async () => {
  const mine = sums();
  await using run = createRuntime({ store: flour.store, backends: [mine] });
  const layer = { weights: new Array(256 * 256).fill(0), bias: new Array(256).fill(1), activation: 'none' as const };
  const wide = flour.input('x', vector('float32', 256)).mlp({ layers: Array.from({ length: 4 }, () => layer) });
  const dear = wide.selectColumns([0, 1, 2]).blackBox(Uint8Array.of(0), { size: 1 });
  const plan = flour.program({ y: dear }).plan();
  const registered = run.register(plan);
  plan.release();
  const answers = await run.predictBatch(registered, new Array(300).fill({ x: new Array(256).fill(1) }));
  expect(answers.map(({ y }) => (y as ArrayLike<number>)[0])).toEqual(new Array(300).fill(3));
  expect(Math.max(...mine.calls)).toBeLessThan(256);
  expect(mine.calls.reduce((sum, rows) => sum + rows, 0)).toBe(300);
});

describe('rejected', () => {
  test('models that cannot be black boxes', () => {
    expect(() => words().blackBox('model.onnx' as never, { size: 2 })).toThrow(/the bytes of a model/);
    for (const options of [{ size: 0 }, { size: 1.5 }, { size: 2, dtype: 'float16' }, { size: 2, input: 7 }])
      expect(() => words().blackBox(head, options as never)).toThrow(
        expect.objectContaining({ code: 'ERR_FLOUR_PARAM' }),
      );
    const tokens = flour.columns({ text: 'string' }).select('text').tokenize();
    expect(() => tokens.blackBox(head, { size: 2 })).toThrow(expect.objectContaining({ code: 'ERR_FLOUR_TYPE' }));
    expect(flour.input('v', vector('float32', 3)).blackBox(head, { size: 2 }).type).toEqual(vector('float32', 2));
  });

  test('no backend, a cache, batching: nothing stays registered', async () => {
    const plan = words().blackBox(head, { size: 2 }).plan();
    const without = createRuntime({ store: flour.store });
    expect(() => without.register(plan)).toThrow(expect.objectContaining({ code: 'ERR_BACKEND_MISSING' }));
    const opened: string[] = [];
    const other: Backend = {
      name: 'other',
      formats: ['onnx'],
      probe: async () => ({ name: 'other', available: true, formats: ['onnx'], providers: [] }),
      open: async ({ name }) => {
        opened.push(name!);
        throw new Error('not here');
      },
      dispose: async () => undefined,
    };
    without.registerBackend(other);
    for (const options of [{ cache: { maxBytes: 4096 } }, { batching: { maxDelayMs: 1 } }])
      expect(() => without.register(plan, options)).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_OPTION' }));
    expect(opened).toEqual([]);
    expect(without.stats()).toMatchObject({ plans: [], stages: { distinct: 0 } });
    const registered = without.register(plan);
    await expect(without.predict(registered, rows[0]!)).rejects.toThrow('not here');
    await without.close();
    plan.release();
  });
});
