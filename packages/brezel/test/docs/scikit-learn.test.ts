import { readFileSync } from 'node:fs';
import { createFlour, createRuntime, importScikitLearn } from 'brezel';
import { expect, test } from 'vitest';

const root = new URL('../../../../', import.meta.url);
const pipeline = readFileSync(new URL('packages/scikit-learn/test/models/churn.json', root));

test('the code of docs/scikit-learn.md runs', async () => {
  const page = readFileSync(new URL('docs/scikit-learn.md', root), 'utf8');
  const [, code] = /^```ts\n([\s\S]*?)^```$/m.exec(page)!;
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store });
  const names = ['flour', 'runtime', 'readFileSync', 'importScikitLearn'];
  const run = new Function(...names, `${code!.replace(/^import .*$/m, '')}; return program;`);
  const program = run(flour, runtime, () => pipeline, importScikitLearn);
  expect(program.outputs.map(({ name }: { name: string }) => name)).toEqual(['label', 'probabilities']);
  expect(runtime.stats().plans).toHaveLength(1);
});
