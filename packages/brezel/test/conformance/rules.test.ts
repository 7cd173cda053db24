import { bake, type CompiledPlan, createFlour, rules } from 'brezel';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { difference, Engines, expectSame, rawAnswers } from './engines.js';
import { anyText, buildPipeline, pipelineShape } from './random-programs.js';
import { seed } from './seed.js';

const optional = rules.filter((rule) => rule.step === 'optimize-stages').map((rule) => rule.name);
const texts = (count: number) => fc.array(anyText, { minLength: count, maxLength: count });
const flour = await createFlour();
const engines = new Engines(flour.store);
afterAll(() => flour.dispose());

/** Keys of the stages, and all that is plain data in a plan. */
const described = (plan: CompiledPlan) => JSON.stringify(plan);

test('any subset of the rules gives the same answers: near by default, bit for bit under exact', async () => {
  const property = fc.asyncProperty(pipelineShape, texts(6), fc.subarray(optional), async (shape, list, disable) => {
    const rows = list.map((text) => ({ text }));
    const program = buildPipeline(flour, shape);
    const plans = [bake(program), bake(program, { disable }), bake(program, { disable, exact: true })];
    try {
      const raw = rawAnswers(program, rows);
      const [all, some, exact] = await Promise.all(plans.map((plan) => engines.answers(plan, rows)));
      expectSame(some!.answers, some!.answers.get('reference')!);
      expectSame(exact!.answers, raw);
      const numbers = (answers: readonly Readonly<Record<string, unknown>>[]) =>
        answers.map(({ probabilities }) => ({ probabilities }));
      // Sums of up to a few hundred terms below 64, regrouped.
      const near = (got: number, want: number) => Math.abs(got - want) <= 2e-3 + 1e-4 * Math.abs(want);
      expect(difference(numbers(some!.answers.get('reference')!), numbers(raw), near)).toBeUndefined();
      expect(difference(numbers(all!.answers.get('reference')!), numbers(raw), near)).toBeUndefined();
    } finally {
      for (const plan of plans) plan.release();
      flour.dispose();
    }
  });
  await fc.assert(property, { numRuns: 60, seed });
});

test('optimizing is deterministic', () => {
  const property = fc.property(pipelineShape, fc.subarray(optional), fc.boolean(), (shape, disable, exact) => {
    const program = buildPipeline(flour, shape);
    const plans = [bake(program, { disable, exact }), bake(program, { disable, exact })];
    expect(described(plans[1]!)).toBe(described(plans[0]!));
    for (const plan of plans) plan.release();
    flour.dispose();
  });
  fc.assert(property, { numRuns: 40, seed });
});

test('equal programs, written in another order or in another process, have the same stages', async () => {
  const other = await createFlour({ native: false });
  const property = fc.property(pipelineShape, (shape) => {
    const plans = [
      bake(buildPipeline(flour, shape)),
      bake(buildPipeline(flour, shape, true)),
      bake(buildPipeline(other, shape)),
    ];
    const keys = plans.map((plan) => plan.stages.map(({ stage }) => stage.key).toSorted());
    expect(keys[1]).toEqual(keys[0]);
    expect(keys[2]).toEqual(keys[0]);
    for (const plan of plans) plan.release();
    flour.dispose();
    other.dispose();
  });
  fc.assert(property, { numRuns: 40, seed });
});
