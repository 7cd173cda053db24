import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createFlour, createRegistry, createRuntime, importScikitLearn } from 'brezel';
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

test('the code about the precision of a registry runs', async () => {
  const page = readFileSync(new URL('docs/scikit-learn.md', root), 'utf8');
  const [, code] = /^```js\n([\s\S]*?)^```$/m.exec(page)!;
  const file = fileURLToPath(new URL('packages/scikit-learn/test/models/churn.json', root));
  const here = code!.replace("'pipeline.json'", JSON.stringify(file));
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  await using registry = await new AsyncFunction('createRegistry', `${here}; return registry;`)(createRegistry);
  registry.add('fast', file);
  const typeOf = async (name: string) => (await registry.load(name)).outputs.at(-1).type.dtype;
  expect([await typeOf('exact'), await typeOf('fast')]).toEqual(['float64', 'float32']);
});
