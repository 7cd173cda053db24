/// <reference types="vite/client" />
import { bake, createFlour, type FlourContext, operators } from 'brezel';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { type OperatorCase, type OperatorCases, programOf } from '../../../flour/src/case.js';
import { Engines, expectSame, isSamePlan, rawAnswers } from './engines.js';
import { seed } from './seed.js';

const modules = import.meta.glob<{ cases: OperatorCases }>('../../../flour/src/{ops,compositions}/*/cases.ts', {
  eager: true,
});
const RANDOM_RUNS = Number(process.env.BREZEL_CASE_RUNS ?? 2);
/** More rows than the runtime's block of 256. The number is a prime. */
const LONG_BATCH = Number(process.env.BREZEL_CASE_BATCH ?? 293);

const flour: FlourContext = await createFlour();
const engines = new Engines(flour.store);
afterAll(() => flour.dispose());

/**
 * Runs one case on every engine. Exact plans give the bits of the program, default plans give near
 * answers, and all engines give equal answers.
 */
async function conform(one: OperatorCase): Promise<void> {
  const program = programOf(flour, one);
  const raw = rawAnswers(program, one.rows);
  if (one.expected !== undefined) expectSame(new Map([['the program as written', raw]]), one.expected);

  const exact = bake(program, { exact: true });
  const fast = bake(program);
  try {
    const exactly = await engines.answers(exact, one.rows);
    expectSame(exactly.answers, raw);
    if (one.engine !== undefined && engines.native) expect(exactly.engine).toBe(one.engine);
    if (isSamePlan(fast, exact)) return; // most operators: no rule changes their plan

    const { answers } = await engines.answers(fast, one.rows);
    expectSame(answers, answers.get('reference')!);
    const absolute = one.absolute ?? 1e-5;
    expectSame(new Map([['default rules', answers.get('reference')!]]), raw, (got, want) =>
      Number.isNaN(got) === Number.isNaN(want)
        ? Math.abs(got - want) <= absolute + 1e-5 * Math.abs(want) || absolute === Number.POSITIVE_INFINITY
        : absolute === Number.POSITIVE_INFINITY,
    );
  } finally {
    exact.release();
    fast.release();
  }
}

test('every operator has cases', () => {
  const covered = Object.values(modules).flatMap(({ cases }) => cases.operators);
  expect(covered.toSorted()).toEqual([...operators.keys()].toSorted());
});

for (const [path, { cases }] of Object.entries(modules)) {
  describe(path.split('/').at(-2)!, () => {
    for (const one of cases.named) test(one.name, () => conform(one));

    test('random rows and parameters', async () => {
      await fc.assert(fc.asyncProperty(cases.random, conform), { numRuns: RANDOM_RUNS, seed });
    });

    test('a long batch gives the answers of single rows', async () => {
      const one = cases.named.find((one) => one.engine === 'native') ?? cases.named[0]!;
      const plan = bake(programOf(flour, one));
      const few = (await engines.answers(plan, one.rows)).answers.get('reference')!;
      const long = await engines.answers(
        plan,
        Array.from({ length: LONG_BATCH }, (_, row) => one.rows[row % one.rows.length]!),
        'batch',
      );
      expectSame(
        long.answers,
        Array.from({ length: LONG_BATCH }, (_, row) => few[row % few.length]!),
      );
      plan.release();
    });
  });
}
