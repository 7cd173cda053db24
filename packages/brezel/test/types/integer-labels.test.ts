import { readFileSync } from 'node:fs';
import {
  type CompiledPlan,
  createFlour,
  importModelAsync,
  importOnnx,
  type Labels,
  openFleet,
  packFleet,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { plain, stores, temporaryFolder } from '../fleet/folder.js';

// Outputs of plans list the integer labels of classifiers, for every origin of the plan.

const flour = await createFlour();
const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
  flour.dispose();
});

const features = flour.columns({ x: 'float32' }).select('x').asVector();
const planOf = (labels: Labels, scale = 1) => {
  const weights = Array.from({ length: labels.length }, (_, index) => index * scale);
  const scores = features.softmax({ weights, bias: weights });
  return flour.program({ label: scores.argMax().labels(labels), scores }, { name: `${labels[0]}` }).plan();
};
const listed = ({ outputs }: CompiledPlan) => outputs.map(({ integerLabels }) => integerLabels);

describe('a program', () => {
  test.each([
    ['positions', [0, 1, 2], [0, 1, 2]],
    ['other integers', [7, -1, 2 ** 53 - 1], [7, -1, 2 ** 53 - 1]],
    ['a label twice', [3, 3], [3, 3]],
    ['texts', ['a', 'b'], undefined],
    ['integers beyond 2^53', BigInt64Array.of(1n, 2n ** 53n + 1n), undefined],
    ['more than 1000 integers', Array.from({ length: 1001 }, (_, index) => index), undefined],
  ])('with %s', (_, labels, expected) => {
    const plan = planOf(labels);
    expect(listed(plan)).toEqual([expected, undefined]);
    plan.release();
  });
});

test('an imported model lists its labels, on every thread', async () => {
  const bytes = readFileSync(new URL('../../../../examples/models/sa-fam-a-00.onnx', import.meta.url));
  const plans = [importOnnx(bytes, flour).program.plan(), await importModelAsync(bytes, flour)];
  for (const plan of plans) expect(plan.outputs[0]).toMatchObject({ name: 'label', integerLabels: [0, 1] });
});

test('plans of a fleet file with equal labels share their list of outputs', async () => {
  const plans = [3, 4, 5].map((weight) => planOf(weight === 5 ? [8, 9, 10] : [0, 1, 2], weight));
  const path = folder.path('shared-labels.brezel');
  await packFleet(
    plans.map((plan, at) => ({ plan, name: `m${at}` })),
    path,
    { store: flour.store },
  );
  for (const [, store] of await stores()) {
    using fleet = await openFleet(path, { store, verify: false });
    const [first, second, other] = fleet.names.map((name) => fleet.plan(name).outputs);
    expect(second).toBe(first);
    expect(other![0]!.integerLabels).toEqual([8, 9, 10]);
  }
});

test('plans of a fleet file list the same labels as the packed plans', async () => {
  const plans = [
    [0, 1, 2],
    [5, 6, 7],
    ['a', 'b'],
    [1, 0],
  ].map((labels) => planOf(labels as Labels));
  const path = folder.path('labels.brezel');
  await packFleet(
    plans.map((plan) => ({ plan, rows: [{ x: 1 }] })),
    path,
    { store: flour.store },
  );
  for (const [, store] of await stores())
    for (const verify of [true, false]) {
      using fleet = await openFleet(path, { store, verify });
      for (const plan of plans) {
        expect(plain(fleet.describe(plan.name))).toMatchObject({ outputs: plan.outputs });
        expect(listed(fleet.plan(plan.name))).toEqual(listed(plan));
      }
    }
});
