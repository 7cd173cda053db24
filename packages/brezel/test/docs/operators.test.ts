/// <reference types="vite/client" />
import { bake, createFlour, loadNative, operators } from 'brezel';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type OperatorCases, programOf } from '../../../flour/src/case.js';
import { seed } from '../conformance/seed.js';

// Compares the field `doc` of each operator with the programs of its cases. docs/operators.md is
// written from `doc`.

const modules = import.meta.glob<{ cases: OperatorCases }>('../../../flour/src/{ops,compositions}/*/cases.ts', {
  eager: true,
});
/**
 * The number of random cases of an operator. All of them show attributes, and some are also
 * compiled.
 */
const RANDOM_CASES = 20;
const COMPILED_CASES = 2;

interface Used {
  readonly attributes: Set<string>;
  readonly parameters: Set<string>;
  readonly kernels: Set<string>;
}

/**
 * Returns the attributes, parameters and kernels that the programs of all cases use, by operator.
 */
async function uses(): Promise<Map<string, Used>> {
  const used = new Map<string, Used>(
    [...operators.keys()].map((name) => [name, { attributes: new Set(), parameters: new Set(), kernels: new Set() }]),
  );
  using flour = await createFlour();
  const all = Object.values(modules).flatMap(({ cases }) => [
    ...cases.named.map((one) => ({ one, isCompiled: true })),
    ...fc
      .sample(cases.random, { numRuns: RANDOM_CASES, seed })
      .map((one, at) => ({ one, isCompiled: at < COMPILED_CASES })),
  ]);
  for (const { one, isCompiled } of all) {
    const program = programOf(flour, one);
    for (const { operator, attributes, parameters } of program.nodes()) {
      const of = used.get(operator?.name ?? '');
      for (const name of Object.keys(attributes)) of?.attributes.add(name);
      for (const name of Object.keys(parameters)) of?.parameters.add(name.replace(/\d+$/, '#'));
    }
    if (!isCompiled) continue;
    const plan = bake(program, { exact: true });
    for (const { stage } of plan.stages)
      for (const { kernel, steps } of stage.calls ?? [])
        for (const step of steps) used.get(stage.steps[step]!.operator)!.kernels.add(kernel);
    plan.release();
  }
  return used;
}

test('`doc` of each operator lists what the programs of its cases use', async () => {
  const native = loadNative().addon?.kernels();
  for (const [name, { attributes, parameters, kernels }] of await uses()) {
    const { doc, annotations } = operators.get(name)!;
    expect(doc?.does, name).toMatch(/^[A-Z0-9(].*\.$/);
    expect(doc!.types, name).toMatch(/ [→↔] /);
    expect(Object.keys(doc!.attributes ?? {}).sort(), `attributes of ${name}`).toEqual([...attributes].sort());
    expect(Object.keys(doc!.parameters ?? {}).sort(), `parameters of ${name}`).toEqual([...parameters].sort());
    for (const [parameter, rule] of Object.entries(operators.get(name)!.parameters ?? {}))
      for (const type of Array.isArray(rule) ? rule : rule === 'input' ? ['of the type of the input'] : [])
        expect(doc!.parameters![parameter], `parameter ${parameter} of ${name}`).toContain(type);
    const chosen = [...kernels].filter((kernel) => kernel !== 'alias');
    expect(doc!.kernels ?? [], `kernels of ${name}`).toEqual(expect.arrayContaining(chosen));
    if (native) expect(native, `kernels of ${name}`).toEqual(expect.arrayContaining([...(doc!.kernels ?? [])]));
    expect(annotations.alias === true || doc!.kernels !== undefined || annotations.javascript === true, name).toBe(
      true,
    );
  }
});
