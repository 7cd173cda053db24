/// <reference types="vite/client" />
import { bake, createFlour, createRuntime, defineOperator, type FlourContext, type Flow, loadNative } from 'brezel';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { type OperatorCase, type OperatorCases, programOf } from '../../../flour/src/case.js';
import { type Answers, Engines, expectSame, isas } from '../conformance/engines.js';
import { seed } from '../conformance/seed.js';

// A custom operator runs before and after every operator. Stages of the addon alternate with stages
// in JavaScript, and the answers do not change.

const modules = import.meta.glob<{ cases: OperatorCases }>('../../../flour/src/{ops,compositions}/*/cases.ts', {
  eager: true,
});
const RANDOM_RUNS = Number(process.env.BREZEL_CASE_RUNS ?? 1);
const flour: FlourContext = await createFlour();
// One instruction set: test/conformance compares the kernels of all sets.
const engines = new Engines(flour.store, isas.slice(-1));
afterAll(() => flour.dispose());

const elements = ['text', 'float32', 'float64', 'int64', 'int32', 'bool'] as const;
const same = new Map<string, unknown>(
  elements.flatMap((element) => {
    const one = defineOperator({
      name: `test/same-${element}`,
      inputs: [element],
      output: element,
      run: (value) => value as never,
    });
    const list = defineOperator({
      name: `test/same-${element}-list`,
      inputs: [`${element}[]`],
      output: ({ sizes: [size] }) => `${element}[${size}]`,
      run: (values) => values as never,
    });
    return [[element as string, one] as const, [`${element}[]`, list] as const];
  }),
);

/** Passes a value through a custom operator, which returns the same value. */
function through(flow: Flow): Flow {
  const { type } = flow;
  if (type.kind === 'map' || type.kind === 'tokens' || type.kind === 'dictionary') return flow;
  if (type.kind === 'tensor') {
    const list = through((flow as Flow<'tensor'>).asVector()) as Flow<'vector'>;
    return list.asTensor(type.shape);
  }
  const element = type.kind === 'sparse' ? 'float32' : type.dtype === 'string' ? 'text' : type.dtype;
  return flour.custom(
    same.get(type.kind === 'scalar' ? element : `${element}[]`) as never,
    [flow] as never,
    undefined as never,
  );
}

/** Returns a case whose inputs and outputs pass through custom operators. */
function surrounded(one: OperatorCase): Readonly<Record<string, Flow>> {
  const inputs = Object.create(flour, {
    input: { value: (...args: Parameters<FlourContext['input']>) => through(flour.input(...args)) },
    csv: { value: flour.csv.bind(flour) },
  }) as FlourContext;
  return Object.fromEntries(Object.entries(one.build(inputs)).map(([name, flow]) => [name, through(flow)]));
}

/**
 * Converts integers to numbers. Custom operators return wide integers as bigints, and some
 * operators round them to float64.
 */
const asNumbers = (answers: Answers): Answers =>
  JSON.parse(
    JSON.stringify(answers, (_, one) => (typeof one === 'bigint' ? Number(one) : odd(one))),
    (_, one) => (typeof one === 'string' && one.startsWith('odd ') ? Number(one.slice(4)) : one),
  );
/** Converts values that JSON does not support. */
const odd = (one: unknown) =>
  typeof one === 'number' && (!Number.isFinite(one) || Object.is(one, -0))
    ? `odd ${Object.is(one, -0) ? '-0' : one}`
    : one;

async function conform(one: OperatorCase): Promise<string> {
  const [alone, between] = [programOf(flour, one), programOf(flour, { build: () => surrounded(one) })];
  const plans = [bake(alone, { exact: true }), bake(between, { exact: true })] as const;
  try {
    const want = await engines.reference(plans[0], one.rows);
    const { answers, engine } = await engines.answers(plans[1], one.rows);
    expectSame(new Map([...answers].map(([name, list]) => [name, asNumbers(list)])), asNumbers(want));
    return engine;
  } finally {
    for (const plan of plans) plan.release();
  }
}

const found = new Set<string>();
for (const [path, { cases }] of Object.entries(modules)) {
  test(`between custom operators: ${path.split('/').at(-2)}`, async () => {
    for (const one of cases.named) {
      const engine = await conform(one);
      found.add(engine);
      if (one.engine === 'native' && engines.native) expect(engine, one.name).toBe('mixed');
    }
    await fc.assert(
      fc.asyncProperty(cases.random, async (one) => void (await conform(one))),
      { numRuns: RANDOM_RUNS, seed },
    );
  });
}

test('a long batch gives the answers of single rows, also for sparse rows and texts', async () => {
  const words = defineOperator({
    name: 'test/word-columns',
    inputs: ['text'],
    output: 'sparse[64]',
    run: (text) => new Map([...text].map((letter, at) => [letter.codePointAt(0)! % 64, at + 0.5])),
  });
  const shouted = defineOperator({
    name: 'test/shouted',
    inputs: ['text'],
    output: 'text',
    run: (text) => `${text}!`.repeat(3),
  });
  const text = flour.columns({ text: 'string' }).select('text');
  const counts = text
    .custom(shouted)
    .tokenize()
    .wordNgram({ vocabulary: [['good'], ['bad'], ['film', 'good']], maxN: 2 });
  const features = text.custom(words).concat(counts).normalize('l2');
  const weights = Array.from({ length: 67 }, (_, at) => Math.sin(at));
  const program = flour.program({
    score: features.logistic({ weights }),
    features: features.custom(same.get('float32[]') as never, undefined as never),
  });
  const plan = bake(program);
  const random = fc.sample(fc.string({ unit: 'grapheme', maxLength: 400 }), { numRuns: 1000, seed });
  const { answers, engine } = await engines.answers(
    plan,
    random.map((one, at) => ({ text: at % 3 ? one : `good film ${one}` })),
  );
  if (loadNative().addon !== undefined) expect(engine).toBe('mixed');
  expectSame(answers, answers.get('reference')!);
  plan.release();
});

describe.skipIf(loadNative().addon === undefined)('rows that a stage of the addon refuses', () => {
  test('are reported with their index, in single predictions and batches', async () => {
    const same = defineOperator({ name: 'test/same-color', inputs: ['text'], output: 'text', run: (text) => text });
    const flow = flour
      .columns({ color: 'string' })
      .select('color')
      .custom(same)
      .indexOf(['red', 'green'], { unknown: 'error' });
    const compiled = bake(flour.program({ y: flow }));
    const runtime = createRuntime({ store: flour.store });
    const plan = runtime.register(compiled);
    expect(plan.engine).toBe('mixed');
    expect(runtime.predictSync(plan, 'green')).toEqual({ y: 1 });
    expect(() => runtime.predictSync(plan, 'blue')).toThrow(/row 0/);
    const rows = Array.from({ length: 700 }, (_, row) => (row === 555 ? 'blue' : 'red'));
    await expect(runtime.predictBatch(plan, rows)).rejects.toMatchObject({
      code: 'ERR_RUNTIME_INPUT',
      message: expect.stringContaining('row 555'),
    });
    const measured = await runtime.profile(plan, ['red', 'green'], { durationMs: 5 });
    expect(measured.engine).toBe('mixed');
    expect(measured.stages.map((stage) => stage.engine)).toEqual(['javascript', 'native']);
    expect(measured.stages.every((stage) => stage.nanoseconds.median > 0)).toBe(true);
    runtime.unregister(plan);
    compiled.release();
  });
});
