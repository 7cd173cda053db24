/// <reference types="vite/client" />
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bake, createFlour, createRuntime, importOnnx, openFleet, openStore, packFleet, type Row } from 'brezel';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { type OperatorCases, programOf } from '../../../flour/src/case.js';
import { Engines, expectSame, isas } from '../conformance/engines.js';
import { anyText, buildPipeline, pipelineShape } from '../conformance/random-programs.js';
import { seed } from '../conformance/seed.js';
import { plain, stores, temporaryFolder } from './folder.js';

const folder = temporaryFolder();
afterAll(folder.remove);
const examples = fileURLToPath(new URL('../../../../examples/models/', import.meta.url));
const texts = [
  'a good film',
  '',
  'Bad! "Awful" acting.\n',
  'naïve café 😀',
  'nul \0 inside',
  'half \ud83d',
  'İSTANBUL ẞ',
];

describe('a fleet of trained models', () => {
  test('the opened plans equal the packed plans, and give the same bits on every engine', async () => {
    const flour = await createFlour();
    const models = readdirSync(examples).filter((name) => name.endsWith('.onnx'));
    expect(models).toHaveLength(10);
    const plans = models.map((name) => importOnnx(readFileSync(`${examples}${name}`), flour).program.plan());
    const path = folder.path('family.brezel');
    const written = await packFleet(plans, path, { store: flour.store });
    const distinct = new Set(plans.flatMap((plan) => plan.parameters));
    expect(written.parameters.objects).toBe(distinct.size);
    expect(written.parameters.bytes).toBe([...distinct].reduce((sum, id) => sum + flour.store.info(id).bytes, 0));
    const packed = new Engines(flour.store);
    const expected = await Promise.all(plans.map((plan) => packed.reference(plan, texts)));
    for (const plan of plans) plan.release();
    flour.dispose();
    expect(flour.store.stats().objects).toBe(0);

    for (const [kind, store] of await stores()) {
      for (const verify of [true, false]) {
        using fleet = await openFleet(path, { store, verify });
        expect(fleet.names).toEqual(plans.map((plan) => plan.name));
        const engines = new Engines(store);
        for (const [at, name] of fleet.names.entries()) {
          const plan = fleet.plan(name);
          expect(plain(plan), `${kind}, ${name}`).toEqual(plain(plans[at]!));
          // equal plans give equal answers, so only the verified pass runs every verb
          const { answers } = await engines.answers(plan, texts, verify ? 'all' : 'batch');
          expectSame(answers, expected[at]!);
          plan.release();
        }
        expect(await fleet.replay()).toEqual({ plans: 10, rows: 70, differences: [] });
        fleet.close();
        expect(store.stats().objects, `${kind}, verify ${verify}`).toBe(0);
      }
    }
  });

  test('plans outlive the fleet, and registrations outlive the plans', async () => {
    const path = folder.path('family.brezel');
    const store = await openStore();
    const fleet = await openFleet(path, { store });
    const runtime = createRuntime({ store });
    const [first, second] = fleet.names.map((name) => fleet.plan(name));
    const registered = runtime.register(first!);
    const before = runtime.predictSync(registered, texts[0]!);
    fleet.close();
    first!.release();
    expect(runtime.predictSync(registered, texts[0]!)).toEqual(before);
    runtime.unregister(registered);
    const later = runtime.register(second!);
    expect(runtime.predictSync(later, texts[0]!)).toHaveProperty('label');
    second!.release();
    await runtime.close();
    expect(() => fleet.plan(fleet.names[0]!)).toThrow(expect.objectContaining({ code: 'ERR_STORE_CLOSED' }));
    fleet.close(); // a second close changes nothing
  });

  test('a plan of a file shares stages and parameters with a compiled plan', async () => {
    const flour = await createFlour();
    const runtime = createRuntime({ store: flour.store });
    const compiled = importOnnx(readFileSync(`${examples}sa-fam-a-00.onnx`), flour).program.plan();
    runtime.register(compiled);
    const { parameters, stages } = runtime.stats();
    using fleet = await openFleet(folder.path('family.brezel'), { store: flour.store });
    const again = runtime.register(fleet.plan('sa-fam-a-00'));
    expect(runtime.stats()).toMatchObject({
      parameters: { objects: parameters.objects, bytes: parameters.bytes },
      stages: { distinct: stages.distinct, used: stages.used * 2 },
    });
    runtime.unregister(again);
    runtime.register(fleet.plan('sa-fam-a-01'));
    expect(runtime.stats().stages.distinct).toBe(stages.distinct + 1);
  });
});

describe('every operator', () => {
  const modules = import.meta.glob<{ cases: OperatorCases }>('../../../flour/src/{ops,compositions}/*/cases.ts', {
    eager: true,
  });
  const named = Object.values(modules).flatMap(({ cases }) => cases.named);

  test('is read as it was packed, with its attributes and answers', async () => {
    const flour = await createFlour();
    const engines = new Engines(flour.store);
    const members = named.map((one, at) => ({
      name: `${at}`,
      plan: bake(programOf(flour, one)),
      rows: one.rows as readonly Row[],
    }));
    const path = folder.path('operators.brezel');
    await packFleet(members, path, { store: flour.store });
    const expected = await Promise.all(members.map(({ plan, rows }) => engines.reference(plan, rows)));
    for (const [kind, store] of await stores()) {
      using fleet = await openFleet(path, { store });
      // The plans are equal as data, and test/conformance compares verbs and instruction sets.
      const there = new Engines(store, isas.slice(-1));
      for (const [at, { name, plan, rows }] of members.entries()) {
        const opened = fleet.plan(name);
        expect(plain({ ...opened, name: plan.name }), `${kind}: ${named[at]!.name}`).toEqual(plain(plan));
        expectSame((await there.answers(opened, rows, 'batch')).answers, expected[at]!);
        opened.release();
      }
      const rows = members.reduce((sum, member) => sum + member.rows.length, 0);
      expect(await fleet.replay()).toEqual({ plans: members.length, rows, differences: [] });
    }
  });
});

test('random pipelines', async () => {
  const flour = await createFlour();
  const engines = new Engines(flour.store);
  const path = folder.path('random.brezel');
  const property = fc.asyncProperty(
    pipelineShape,
    fc.array(anyText, { minLength: 1, maxLength: 8 }),
    async (shape, texts) => {
      const rows = texts.map((text) => ({ text }));
      const plan = bake(buildPipeline(flour, shape));
      await packFleet([{ plan, rows }], path, { store: flour.store });
      const expected = await engines.reference(plan, rows);
      for (const store of (await stores()).values()) {
        using fleet = await openFleet(path, { store });
        const opened = fleet.plan(plan.name);
        expectSame((await new Engines(store).answers(opened, rows)).answers, expected);
        expect((await fleet.replay()).differences).toEqual([]);
        opened.release();
      }
      plan.release();
      flour.dispose();
    },
  );
  await fc.assert(property, { numRuns: Number(process.env.BREZEL_CASE_RUNS ?? 4), seed });
});

describe('contents of a packed file', () => {
  const packed = async (members: Parameters<typeof packFleet>[0], store: Parameters<typeof packFleet>[2]['store']) => {
    const path = folder.path('packed.brezel');
    await packFleet(members, path, { store });
    return openFleet(path);
  };

  test('statistics and rows that the caller passes; answers without numbers', async () => {
    const flour = await createFlour();
    const text = flour.columns({ text: 'string' }).select('text');
    const tokens = flour.program({ tokens: text.tokenize() }, { name: 'tokens' }).plan();
    const statistics = { rows: 12, mean: [0.5, -1] };
    const rows = [{ text: 'a b' }, { text: 'half \ud83d' }, { text: Buffer.from('é') }];
    using fleet = await packed(
      [
        { plan: tokens, statistics, rows },
        { plan: tokens, name: 'none', rows: [] },
      ],
      flour.store,
    );
    expect(fleet.statistics('tokens')).toEqual(statistics);
    expect(fleet.statistics('none')).toBeUndefined();
    const golden = fleet.golden('tokens')!;
    expect(golden.columns).toEqual([['a b', 'half \ufffd', 'é']]);
    expect(golden.answers[0]).toBe('{"tokens":["a","b"]}');
    expect(await fleet.replay()).toEqual({ plans: 2, rows: 3, differences: [] });
  });

  test('generated rows contain words of the vocabulary', async () => {
    const flour = await createFlour();
    const text = flour.columns({ text: 'string' }).select('text');
    const counts = text.tokenize().wordNgram({ vocabulary: [['good'], ['bad'], ['film']] });
    const plan = counts.linear({ weights: [1, 10, 100], bias: [0.25] }).plan();
    using fleet = await packed([plan], flour.store);
    const { numbers, rows } = fleet.golden('program')!;
    expect(rows).toBeGreaterThan(4);
    expect(new Set(numbers).size).toBeGreaterThan(2);
    expect(numbers).toContain(0.25); // the text contains no known word
  });

  test('after two plans with one name, invalid rows or released parameters, the old file stays', async () => {
    const flour = await createFlour();
    const text = flour.columns({ text: 'string' }).select('text');
    const plan = text
      .tokenize()
      .wordNgram({ vocabulary: [['good']] })
      .plan();
    const path = folder.path('kept.brezel');
    await packFleet([plan], path, { store: flour.store });
    const old = readFileSync(path);
    const refused = (members: Parameters<typeof packFleet>[0], code: string) =>
      expect(packFleet(members, path, { store: flour.store })).rejects.toMatchObject({ code });
    await refused([plan, plan], 'ERR_FLEET_NAME');
    await refused([{ plan, name: '' }], 'ERR_FLEET_NAME');
    await refused([{ plan, rows: [{ text: 5 }] }], 'ERR_RUNTIME_INPUT');
    plan.release();
    flour.dispose();
    await refused([plan], 'ERR_STORE_MISSING');
    expect(readFileSync(path).equals(old)).toBe(true);
    expect(readdirSync(folder.path('')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(existsSync(path)).toBe(true);
  });
});
