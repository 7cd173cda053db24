import { createFlour, openFleet, packFleet } from 'brezel';
import { sampleRows } from 'brezel/internal';
import { afterAll, expect, test } from 'vitest';
import { temporaryFolder } from './folder.js';

const folder = temporaryFolder();
const flour = await createFlour();
afterAll(() => {
  flour.dispose();
  folder.remove();
});

const text = flour.columns({ text: 'string' }).select('text');
const categories = (...lists: string[][]) => {
  const encoded = lists.map((list) => text.oneHot({ categories: list, unknown: 'zeros' }));
  return flour.program({ y: encoded[0]!.concat(...encoded.slice(1)) }).plan();
};

test('generated texts contain words of every vocabulary of the plan, and of no other', () => {
  const [first, second] = [
    ['a', 'b'],
    ['c', 'd', 'e'],
  ];
  const plan = categories(first!, second!);
  const rows = sampleRows(plan, flour.store, 200) as { text: string }[];
  const words = new Set(rows.slice(0, 200).flatMap((row) => row.text.split(' ')));
  expect([...words].sort()).toEqual([...first!, ...second!]);
  expect(sampleRows(plan, flour.store, 200)).toEqual(rows);
  plan.release();
});

test('a plan without vocabulary gets a fixed text', () => {
  const plan = flour.program({ text }).plan();
  expect(sampleRows(plan, flour.store, 1)[0]).toEqual({ text: 'a text of some words' });
  plan.release();
});

test('golden rows of plans that share stages are those of each plan alone', async () => {
  const plans = [
    ['x', 'y'],
    ['x', 'y', 'z'],
    ['x', 'y'],
  ].map((list) => categories(list, ['shared']));
  const names = ['one', 'two', 'three'];
  const path = folder.path('together.brezel');
  await packFleet(
    plans.map((plan, at) => ({ plan, name: names[at]! })),
    path,
    { store: flour.store },
  );
  using together = await openFleet(path);
  expect((await together.replay()).differences).toEqual([]);
  for (const [at, plan] of plans.entries()) {
    const own = folder.path(`${names[at]}.brezel`);
    await packFleet([{ plan, name: names[at]! }], own, { store: flour.store });
    using alone = await openFleet(own);
    expect(together.golden(names[at]!)).toEqual(alone.golden(names[at]!));
  }
  await expect(
    packFleet(
      ['one', 'two', 'one', 'two'].map((name) => ({ plan: plans[0]!, name })),
      path,
      { store: flour.store },
    ),
  ).rejects.toMatchObject({ code: 'ERR_FLEET_NAME', message: expect.stringContaining('two plans named "one"') });
});
