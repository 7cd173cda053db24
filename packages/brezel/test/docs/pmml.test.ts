import { readFileSync } from 'node:fs';
import { createFlour, createRuntime, importPmml } from 'brezel';
import { expect, test } from 'vitest';

const root = new URL('../../../../', import.meta.url);
const scorecard = readFileSync(new URL('packages/pmml/test/models/scorecard.pmml', root));

test('the code of docs/pmml.md runs, and its answer is right', async () => {
  const page = readFileSync(new URL('docs/pmml.md', root), 'utf8');
  const [, code] = /^```ts\n([\s\S]*?)^```$/m.exec(page)!;
  const [, shown] = /^\/\/ (\{.*\})$/m.exec(code!)!;
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store });
  const names = ['flour', 'runtime', 'readFileSync', 'importPmml'];
  const run = new Function(...names, `${code!.replace(/^import .*$/m, '')}; return [answer, ${shown}];`);
  const [answer, expected] = run(flour, runtime, () => scorecard, importPmml);
  expect(answer).toEqual(expected);
});
