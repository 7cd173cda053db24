import { readFileSync } from 'node:fs';
import * as brezel from 'brezel';
import { transform } from 'esbuild';
import { expect, test } from 'vitest';
import type { TextOperator } from '../../../../testing/untyped.js';

const page = readFileSync(new URL('../../../../docs/custom-operators.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!);

/** The declarations of the page that the test uses. */
interface Declared {
  readonly flour: brezel.FlourContext;
  readonly text: brezel.Flow<'text'>;
  readonly score: brezel.Flow;
  readonly weighted: brezel.Flow;
  readonly postcode: TextOperator;
  readonly matches: brezel.CustomOperator<
    readonly ['text'],
    'bool',
    { readonly pattern: string },
    Record<never, never>
  >;
  readonly region: brezel.CustomOperator<
    readonly ['text'],
    'float32[1]',
    { readonly digits: number },
    Record<never, never>
  >;
  readonly registry: brezel.ModelRegistry;
  readonly runtime: brezel.Runtime;
}
const AsyncFunction = (async () => {}).constructor as new (
  ...parts: string[]
) => (...values: unknown[]) => Promise<Declared>;

/** Runs all code blocks of the page, one after another. */
async function runPage(): Promise<Declared> {
  const code = blocks
    .join('\n')
    .replace(/^import .*$/gm, '')
    .replace(/^export /gm, '')
    .replaceAll('import.meta.url', JSON.stringify(import.meta.url));
  const names = 'flour, text, score, weighted, postcode, matches, region, registry, runtime';
  const wrapped = `async function example() {\n${code}\nreturn { ${names} };\n}\nreturn example();`;
  const { code: script } = await transform(wrapped, { loader: 'ts' });
  const { createFlour, createRegistry, createRuntime, defineOperator } = brezel;
  const given = { createFlour, createRegistry, createRuntime, defineOperator };
  return new AsyncFunction(...Object.keys(given), script)(...Object.values(given));
}

test('the code of docs/custom-operators.md runs, in order', async () => {
  expect(blocks.length).toBe(5);
  const { flour, text, score, weighted, postcode, matches, region, registry, runtime } = await runPage();
  await using served = brezel.createRuntime({ store: flour.store, isolated: true });
  const answer = (flow: brezel.Flow, row: string) => served.predictSync(served.register(flow.plan()), row).output;
  expect(answer(score, 'GOOD')).toEqual([expect.closeTo(1 / (1 + Math.exp(-2)))]);
  expect(answer(weighted, 'good bad bad bad')).toEqual([0.5, 5]);
  expect(answer(text.custom(postcode), '12345')).toBe(12345);
  const refused = expect.objectContaining({ code: 'ERR_RUNTIME_INPUT' });
  expect(() => answer(text.custom(postcode), '1234')).toThrow(refused);
  expect(answer(text.custom(matches, { attributes: { pattern: '^a+$' } }), 'aaa')).toBe(true);
  expect(answer(text.custom(region), '79100')).toEqual([79]);
  await registry.close();
  await runtime.close();
});
