import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  BrezelError,
  bake,
  createFlour,
  createRuntime,
  importOnnx,
  loadNative,
  type OwnedPlan,
  type RegisteredPlan,
} from 'brezel';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { turns } from '../../../../testing/turns.js';
import { seed } from '../conformance/seed.js';
import { corpusFolders } from '../corpus/corpus.js';
import { settled } from './survive.js';

const NOTHING = { objects: 0, bytes: 0, references: 0, bytesShared: 0 };
const examples = fileURLToPath(new URL('../../../../examples/models/', import.meta.url));
const files = existsSync(examples)
  ? readdirSync(examples)
      .filter((name) => name.endsWith('.onnx'))
      .map((name) => join(examples, name))
  : corpusFolders('family')
      .slice(0, 10)
      .map((folder) => join(folder, 'model.onnx'));
const models = files.map((file) => readFileSync(file));
const { addon } = loadNative();

describe.skipIf(models.length === 0)('a family of models', () => {
  test('registered and removed 200 times frees its memory', async () => {
    const before = addon?.parameterStats();
    const flour = await createFlour();
    const runtime = createRuntime({ store: flour.store });
    const plans = models.map((bytes) => importOnnx(bytes, flour).program.plan());
    flour.dispose();
    const held = flour.store.stats();
    let first: unknown;
    for (let round = 0; round < 200; round++) {
      const registered = plans.map((plan) => runtime.register(plan));
      if (round % 50 === 0) {
        const answers = registered.map((plan) => runtime.predictSync(plan, rowOf(plan)));
        first ??= answers;
        expect(answers).toEqual(first);
        const { stages } = runtime.stats();
        expect(stages.distinct).toBeLessThan(stages.used);
      }
      const order =
        round % 3 === 0
          ? registered.toReversed()
          : round % 3 === 1
            ? registered
            : registered.toSorted((a, b) => a.name.localeCompare(b.name) || (round % 2) - 0.5);
      for (const plan of order) runtime.unregister(plan);
      expect(flour.store.stats()).toEqual(held);
    }
    expect(runtime.stats().parameters.objects).toBe(0);
    for (const plan of plans) plan.release();
    expect(flour.store.stats()).toEqual(NOTHING);
    expect(addon?.parameterStats()).toEqual(before);
    expect(addon?.contextStats().grows ?? 0).toBeLessThan(1000);
  });

  test('imported, compiled and released 20 times frees its memory', async () => {
    const before = addon?.parameterStats();
    const flour = await createFlour();
    for (let round = 0; round < 20; round++) {
      const plan = importOnnx(models[round % models.length]!, flour).program.plan();
      plan.release();
      plan.release(); // a second release changes nothing
      flour.dispose();
    }
    expect(await settled(flour.store)).toEqual(NOTHING);
    expect(addon?.parameterStats()).toEqual(before);
  });

  test.skipIf(globalThis.gc === undefined)(
    'dispose immediately frees the parameters of collected programs',
    async () => {
      const flour = await createFlour();
      for (const bytes of models) importOnnx(bytes, flour);
      const held = flour.store.stats().references;
      await turns(); // the collector does not free objects of the current turn
      globalThis.gc!();
      expect(flour.store.stats().references).toBe(held); // finalizers run in a later turn
      flour.dispose();
      expect(flour.store.stats()).toEqual(NOTHING);
    },
  );

  test('any order of release: programs, plans, registrations', async () => {
    const flour = await createFlour();
    const few = models.slice(0, 4);
    const property = fc.asyncProperty(
      fc.shuffledSubarray(
        Array.from({ length: few.length * 2 + 1 }, (_, at) => at),
        { minLength: few.length * 2 + 1 },
      ),
      async (order) => {
        const runtime = createRuntime({ store: flour.store });
        const plans = few.map((bytes) => importOnnx(bytes, flour).program.plan());
        const registered = plans.map((plan) => runtime.register(plan));
        const want = registered.map((plan) => runtime.predictSync(plan, rowOf(plan)));
        const alive = new Set(registered);
        for (const step of order) {
          if (step === few.length * 2) flour.dispose();
          else if (step < few.length) plans[step]!.release();
          else {
            runtime.unregister(registered[step - few.length]!);
            alive.delete(registered[step - few.length]!);
          }
          // Registered plans give the same answers as before.
          registered.forEach((plan, at) => {
            if (alive.has(plan)) expect(runtime.predictSync(plan, rowOf(plan))).toEqual(want[at]);
          });
        }
        expect(await settled(flour.store)).toEqual(NOTHING);
      },
    );
    await fc.assert(property, { numRuns: 25, seed });
  });

  test('closing the runtime frees everything', async () => {
    const flour = await createFlour();
    const runtime = createRuntime({ store: flour.store });
    for (const bytes of models) {
      const plan = importOnnx(bytes, flour).program.plan();
      runtime.register(plan);
      plan.release();
    }
    flour.dispose();
    expect(flour.store.stats().objects).toBeGreaterThan(0);
    await runtime.close();
    await runtime.close();
    expect(await settled(flour.store)).toEqual(NOTHING);
    expect(() => runtime.register({} as OwnedPlan)).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_CLOSED' }));
  });
});

test('a failed registration frees its memory', async () => {
  const flour = await createFlour();
  const words = flour
    .columns({ text: 'string' })
    .select('text')
    .tokenize()
    .wordNgram({ vocabulary: [['a'], ['b']] });
  const program = flour.program({
    y: words.linear({ weights: [1, 2] }),
    z: words.normalize('l2').linear({ weights: [3, 4] }),
  });
  const plan = bake(program);
  const runtimes = [createRuntime({ store: flour.store }), createRuntime({ store: flour.store, native: false })];
  const before = flour.store.stats();
  const native = addon?.parameterStats();
  const last = plan.stages.at(-1)!;
  const missing = {
    ...last.stage,
    key: 'another',
    calls: last.stage.calls?.map((call) => ({ ...call, parameters: call.parameters.map(() => 'no such parameter') })),
    steps: last.stage.steps.map((step) => ({ ...step, parameters: { bias: 'no such parameter' } })),
  };
  const broken: readonly [string, unknown][] = [
    ['of another version', { ...plan, version: 99 }],
    ['with a missing parameter', { ...plan, stages: [...plan.stages.slice(0, -1), { ...last, stage: missing }] }],
    ['after released parameters', undefined],
  ];
  for (const runtime of runtimes) {
    for (const [, compiled] of broken.slice(0, 2)) {
      expect(() => runtime.register(compiled as OwnedPlan)).toThrow(BrezelError);
      expect(flour.store.stats()).toEqual(before);
      expect(addon?.parameterStats()).toEqual(native);
      expect(runtime.stats().stages).toEqual({ distinct: 0, used: 0 });
    }
  }
  // The addon rejects a plan whose wiring names missing slots.
  if (addon !== undefined) {
    const wired = { ...plan, stages: plan.stages.map((stage) => ({ ...stage, inputs: stage.inputs.map(() => 77) })) };
    expect(() => runtimes[0]!.register(wired)).toThrow(BrezelError);
    const instructions = {
      ...plan,
      stages: plan.stages.map((one) => ({
        ...one,
        stage: {
          ...one.stage,
          key: `${one.stage.key}!`,
          calls: one.stage.calls?.map((call) => ({ ...call, attributes: [99, 99, 99, 99] })),
        },
      })),
    };
    expect(() => runtimes[0]!.register(instructions)).toThrow(BrezelError);
    expect(flour.store.stats()).toEqual(before);
    expect(addon.parameterStats()).toEqual(native);
    expect(runtimes[0]!.stats().stages).toEqual({ distinct: 0, used: 0 });
  }
  const good = runtimes[0]!.register(plan);
  expect(runtimes[0]!.predictSync(good, 'a b b')).toMatchObject({ y: [5] });
  runtimes[0]!.unregister(good);
  plan.release();
  flour.dispose();
  expect(await settled(flour.store)).toEqual(NOTHING);
  for (const runtime of runtimes)
    expect(() => runtime.register(plan)).toThrow(expect.objectContaining({ code: 'ERR_STORE_MISSING' }));
  expect(runtimes[0]!.stats().stages).toEqual({ distinct: 0, used: 0 });
});

test('a failed import frees its own parameters only', async () => {
  const flour = await createFlour();
  const kept = flour
    .columns({ text: 'string' })
    .select('text')
    .tokenize()
    .wordNgram({ vocabulary: [['a']] });
  const before = flour.store.stats();
  for (const bytes of models.slice(0, 3)) {
    for (let end = 0; end < bytes.length; end += Math.ceil(bytes.length / 40))
      expect(() => importOnnx(bytes.subarray(0, end), flour)).toThrow(BrezelError);
    expect(flour.store.stats()).toEqual(before);
  }
  expect(kept.linear({ weights: [2] }).plan().stages).toHaveLength(1 + 1);
});

const rowOf = ({ inputs }: RegisteredPlan) =>
  Object.fromEntries(
    inputs.map(({ name, type }) => [
      name,
      type.kind === 'scalar' ? 'a very good film, not bad' : ['a very good film, not bad'],
    ]),
  );
