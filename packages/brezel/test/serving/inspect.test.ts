import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { createFlour, createRegistry, createRuntime, openFleet, packFleet } from 'brezel';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'brezel-inspect-'));
const flour = await createFlour();
const program = flour.program(
  {
    score: flour
      .columns({ text: 'string' })
      .select('text')
      .tokenize()
      .wordNgram({ vocabulary: [['good'], ['bad']] })
      .linear({ weights: [1, -1] }),
  },
  { name: 'reviews' },
);
const plan = program.plan();
afterAll(() => {
  plan.release();
  flour.dispose();
  rmSync(folder, { recursive: true });
});

const ports = "inputs: { text: 'text' }, outputs: { score: 'float32[1]' }";
const shown = (value: unknown) => inspect(value, { breakLength: Number.POSITIVE_INFINITY });

test('a program shows its inputs, outputs and operators', () => {
  expect(shown(program)).toBe(
    `Program { name: 'reviews', ${ports}, operators: [ 'tokenize', 'ngram', 'count-linear' ] }`,
  );
});

test('a compiled plan shows the number of its stages and parameters', () => {
  const counts = `stages: ${plan.stages.length}, parameters: ${plan.parameters.length}`;
  expect(shown(plan)).toBe(`CompiledPlan { name: 'reviews', ${ports}, ${counts}, nanosPerRow: ${plan.nanosPerRow} }`);
});

test('a registered plan and a runtime show no handles', async () => {
  const runtime = createRuntime({ store: flour.store, native: false });
  const registered = runtime.register(plan);
  const { nanosPerRow } = registered;
  expect(shown(registered)).toBe(
    `RegisteredPlan { name: 'reviews', ${ports}, engine: 'wasm', nanosPerRow: ${nanosPerRow} }`,
  );
  expect(shown(runtime)).toBe("Runtime { plans: [ 'reviews' ], backends: [], isa: undefined }");
  expect(shown([[[registered]]])).toBe('[ [ [ [RegisteredPlan] ] ] ]');
  await runtime.close();
});

test('an open and a closed fleet show their path and plans', async () => {
  const path = join(folder, 'reviews.brezel');
  await packFleet([plan], path, { store: flour.store });
  const fleet = await openFleet(path);
  const text = `Fleet { path: '${path}', bytes: ${fleet.bytes}, plans: [ 'reviews' ] }`;
  expect(shown(fleet)).toBe(text);
  fleet.close();
  expect(shown(fleet)).toBe(text);
});

test('a registry shows its models', async () => {
  const registry = await createRegistry({ store: flour.store });
  registry.add('sentiment', plan, { version: 1, aliases: ['production'] });
  expect(shown(registry)).toBe(
    "Registry { versions: [ 'sentiment@1' ], aliases: [ 'sentiment:default', 'sentiment:production' ], budgetBytes: Infinity }",
  );
  await registry.close();
});
