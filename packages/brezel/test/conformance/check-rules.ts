import {
  bake,
  type CompiledPlan,
  createFlour,
  type FlourContext,
  optimize,
  type Program,
  profile,
  type Row,
  type RuleEvent,
  rules,
  withLogicalPlan,
} from 'brezel';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { type Answers, difference, Engines, expectSame, isSamePlan, rawAnswers } from './engines.js';
import { buildNumberProgram, numberProgramShape, rowsFor } from './random-numbers.js';
import { anyText, buildPipeline, pipelineShape } from './random-programs.js';
import { seed } from './seed.js';

const optional = rules.filter((rule) => !rule.required).map((rule) => rule.name);
const flour = await createFlour();
const engines = new Engines(flour.store);
afterAll(() => flour.dispose());

/** A random program and its rows. */
interface Sample {
  readonly name: string;
  build(context: FlourContext): Program;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /**
   * Returns whether a number of a plan with regrouped sums is near the number of the unoptimized
   * program.
   */
  near(got: number, want: number): boolean;
  /**
   * Returns copies of the row in which the numbers differ by about a rounding error. Samples of
   * texts lack this function.
   */
  nudged?(row: Sample['rows'][number]): Sample['rows'];
}

const texts = fc.record({ shape: pipelineShape, texts: fc.array(anyText, { minLength: 6, maxLength: 6 }) }).map(
  ({ shape, texts }): Sample => ({
    name: JSON.stringify(shape),
    build: (context) => buildPipeline(context, shape),
    rows: texts.map((text) => ({ text })),
    // The tolerance suits regrouped sums of up to a few hundred terms below 64.
    near: (got, want) => Math.abs(got - want) <= 2e-3 + 1e-4 * Math.abs(want),
  }),
);
const numbers = numberProgramShape
  .chain((shape) => fc.record({ shape: fc.constant(shape), rows: rowsFor(shape) }))
  .map(
    ({ shape, rows }): Sample => ({
      name: JSON.stringify(shape),
      build: (context) => buildNumberProgram(context, shape),
      rows,
      // The tolerance suits regrouped sums of a few terms of up to some thousands.
      near: (got, want) => Math.abs(got - want) <= 1e-2 + 1e-4 * Math.abs(want),
      nudged: (row) => [nudge(row, 1), nudge(row, -1)],
    }),
  );

const nudge = (row: Sample['rows'][number], direction: number) =>
  Object.fromEntries(
    Object.entries(row as Record<string, number[]>).map(([name, values]) => [
      name,
      values.map((value) => value + direction * 1e-6 * (1 + Math.abs(value))),
    ]),
  );

/**
 * Draws a program without a profile, or a program that is profiled with its rows, which lets Oven
 * apply more rules.
 */
const profiled = (sample: fc.Arbitrary<Sample>) =>
  fc.tuple(sample, fc.boolean()).map(([one, withStatistics]): Sample => {
    const build = (context: FlourContext) => {
      const program = one.build(context);
      return withStatistics ? profile(program, one.rows as readonly Row[]) : program;
    };
    return { ...one, build };
  });

/** Programs over numbers run fast, but rules change few of them, so the tests draw more of them. */
const families = [
  { name: 'texts', samples: profiled(texts), runs: 1 },
  { name: 'numbers', samples: profiled(numbers), runs: 6 },
];

/**
 * Labels may differ if two scores are nearly equal, so only numbers are compared with a tolerance.
 */
const withoutLabels = (answers: Answers) => answers.map(({ label, ...rest }) => rest);

/** A program with the answers of its unoptimized form, and the plans that were checked already. */
interface Subject {
  readonly sample: Sample;
  readonly program: Program;
  readonly raw: Answers;
  readonly checked: { plan: CompiledPlan; exact: boolean }[];
}

function subjectOf(sample: Sample): Subject {
  const program = sample.build(flour);
  return { sample, program, raw: rawAnswers(program, sample.rows), checked: [] };
}

/**
 * Compiles a program with some rules. Compares every engine with the reference implementation of
 * that plan, and this answer with the unoptimized program. A plan that was checked already does not
 * run again, because most rules do not change most programs.
 */
async function check(subject: Subject, disable: readonly string[], exact: boolean): Promise<void> {
  const { sample, program, raw, checked } = subject;
  const plan = bake(program, { disable, exact });
  try {
    if (checked.some((one) => one.exact === exact && isSamePlan(one.plan, plan))) return;
    checked.push({ plan, exact });
    const { answers } = await engines.answers(plan, sample.rows as readonly Row[]);
    expectSame(answers, answers.get('reference')!);
    if (exact) expectSame(answers, raw);
    const planned = withoutLabels(answers.get('reference')!);
    const wanted = withoutLabels(raw);
    sample.rows.forEach((row, at) => {
      const found = difference(planned[at], wanted[at], sample.near);
      if (found !== undefined && !jumps(sample, program, row, wanted[at]!))
        expect.fail(`row ${at}${found}, without ${disable}`);
    });
  } finally {
    plan.release();
  }
}

/**
 * Returns whether tiny changes of this row change the answer of the unoptimized program. At a
 * threshold of a forest, or at a division by a sum that cancels to zero, the last bit of a sum
 * decides. The answer after regrouping then shows nothing about a rule.
 */
function jumps(sample: Sample, program: Program, row: Sample['rows'][number], want: Answers[number]): boolean {
  const nearby = withoutLabels(rawAnswers(program, sample.nudged?.(row) ?? []));
  return nearby.some((answer) => difference(answer, want, sample.near) !== undefined);
}

/**
 * The properties of rules, over random programs.
 *
 * @param scale 1 for a few seconds.
 */
export function describeRules(scale: number): void {
  describe.each(families)('random programs over $name', ({ samples, runs }) => {
    test('give the answers of the program under all rules and any subset, and the same bits when exact', async () => {
      const property = fc.asyncProperty(
        samples,
        fc.subarray(optional),
        fc.boolean(),
        async (sample, disable, exact) => {
          const subject = subjectOf(sample);
          await check(subject, [], false);
          await check(subject, disable, exact);
          flour.dispose();
        },
      );
      await fc.assert(property, { numRuns: 80 * runs * scale, seed });
    });

    test('give the answers of the program under each rule alone', async () => {
      const property = fc.asyncProperty(samples, async (sample) => {
        const subject = subjectOf(sample);
        for (const alone of optional)
          await check(
            subject,
            optional.filter((name) => name !== alone),
            false,
          );
        flour.dispose();
      });
      await fc.assert(property, { numRuns: 12 * runs * scale, seed });
    });

    test('do not change when they are optimized a second time', () => {
      const property = fc.property(samples, fc.boolean(), (sample, exact) => {
        const events: RuleEvent[] = [];
        withLogicalPlan(sample.build(flour), { exact }, (plan, context) => {
          const { plan: again } = optimize(plan, context, { exact, observe: (event) => events.push(event) });
          expect(events.map(({ rule }) => rule)).toEqual([]);
          expect(again).toBe(plan);
        });
        flour.dispose();
      });
      fc.assert(property, { numRuns: 60 * runs * scale, seed });
    });

    test('are compiled to the same plan every time', () => {
      const property = fc.property(samples, fc.subarray(optional), fc.boolean(), (sample, disable, exact) => {
        const program = sample.build(flour);
        const plans = [bake(program, { disable, exact }), bake(program, { disable, exact })];
        expect(described(plans[1]!)).toBe(described(plans[0]!));
        for (const plan of plans) plan.release();
        flour.dispose();
      });
      fc.assert(property, { numRuns: 40 * scale, seed });
    });
  });
}

/** Returns all plain data of a plan. */
const described = (plan: CompiledPlan) => JSON.stringify(plan);

/** Returns the number of random programs at a scale. */
export const runsOf = (scale: number) =>
  families.reduce((sum, { runs }) => sum + (80 + 12 + 60) * runs * scale + 40 * scale, 0);
