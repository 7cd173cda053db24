import { type CompiledPlan, type ContributionOptions, createFlour, createRuntime, vector } from 'brezel';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let flour: Awaited<ReturnType<typeof createFlour>>;
let runtime: ReturnType<typeof createRuntime>;
let plan: ReturnType<typeof register>;
const register = (flow: { plan(): unknown }) => runtime.register(flow.plan() as CompiledPlan);
beforeAll(async () => {
  flour = await createFlour();
  runtime = createRuntime({ store: flour.store, executors: 0 });
  const input = flour.columns({ income: 'float32', city: 'string' });
  const city = input.select('city').oneHot({ categories: ['Rome', 'Oslo'] });
  const numbers = input
    .select('income')
    .asVector()
    .concat(city, flour.input('x', vector('float32', 4)));
  plan = register(numbers.linear({ weights: [1, 2, -4, 3, -3, 3, 0.5], bias: 1 }));
});
afterAll(async () => {
  await runtime.close();
  flour.dispose();
});

const row = { income: -2, city: 'Rome', x: [1, 1, 1, 1] };
const reasonsOf = (options: ContributionOptions, one: object = row) =>
  runtime.contributions(plan, one as typeof row, options).reasons!;

describe('reasons', () => {
  test('are the greatest contributions on each side, and ties keep their order', () => {
    const { toward, away } = reasonsOf({ reasons: 3 });
    expect(toward).toEqual([
      { input: 'x', index: 0, received: 1, value: 3 },
      { input: 'x', index: 2, received: 1, value: 3 },
      { input: 'city', feature: 'Rome', value: 2 },
    ]);
    expect(away).toEqual([
      { input: 'x', index: 1, received: 1, value: -3 },
      { input: 'income', received: -2, value: -2 },
    ]);
    // `top` limits only the list of contributions.
    expect(reasonsOf({ reasons: 1, top: 0 }).toward).toEqual(toward.slice(0, 1));
    expect(runtime.contributions(plan, row)).not.toHaveProperty('reasons');
  });

  test('with texts use the most specific text, and add up values with the same text', () => {
    const texts = { income: 'Income is low', x: 'Other values', 'x[2]': 'Third', 'city: Rome': 'Lives in Rome' };
    const { toward, away } = reasonsOf({ reasons: 4, texts });
    expect(toward.map(({ text, value }) => [text, value])).toEqual([
      ['Third', 3],
      ['Lives in Rome', 2],
      ['Other values', 0.5],
    ]);
    expect(away).toEqual([{ text: 'Income is low', input: 'income', received: -2, value: -2 }]);
    const oslo = reasonsOf({ reasons: 1, texts: { 'city: Rome': 'Rome' } }, { ...row, city: 'Oslo' });
    expect(oslo.away).toEqual([{ input: 'city', feature: 'Oslo', value: -4 }]);
  });

  test('are empty for NaN, and work in batches and predictions', async () => {
    const { toward, away } = reasonsOf({ reasons: 9 }, { ...row, income: Number.NaN });
    expect([...toward, ...away].some(({ input }) => input === 'income')).toBe(false);
    const options = { reasons: 2, texts: { income: 'Income is low' } };
    const [why] = await runtime.contributionsBatch(plan, [row as never], options);
    expect(why!.reasons).toEqual(reasonsOf(options));
    const { contributions } = await runtime.predict(plan, row as never, { contributions: options });
    expect(contributions).toEqual(why);
  });

  test('refuse invalid options, and names of Object.prototype are no texts', () => {
    for (const reasons of [0, -1, 1.5, '3', Number.NaN])
      expect(() => reasonsOf({ reasons } as never)).toThrow(/reasons/);
    expect(() => reasonsOf({ texts: { income: 'x' } })).toThrow(/reasons beside texts/);
    for (const texts of ['x', null, ['x'], { income: 1 }])
      expect(() => reasonsOf({ reasons: 1, texts } as never)).toThrow(/texts/);
    expect(() => reasonsOf({ reasons: 1, texts: { incom: 'low' } })).toThrow(/income, city, x/);
    expect(() => reasonsOf({ reasons: 1, texts: JSON.parse('{"__proto__": "x"}') })).toThrow(/__proto__/);
    const custom = flour
      .columns({ constructor: 'float32' })
      .select('constructor')
      .asVector()
      .linear({ weights: [1] });
    const why = runtime.contributions(register(custom), { constructor: 2 } as never, { reasons: 1, texts: {} });
    expect(why.reasons!.toward).toEqual([{ input: 'constructor', received: 2, value: 2 }]);
  });
});
