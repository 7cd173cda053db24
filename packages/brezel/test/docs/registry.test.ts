import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as brezel from 'brezel';
import { afterAll, expect, test } from 'vitest';
import { temporaryFolder } from '../fleet/folder.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const page = readFileSync(`${root}docs/registry.md`, 'utf8');
const files = temporaryFolder();
afterAll(() => files.remove());

/** Converts a line `expression; // => value` of the page to an assertion. */
const checked = (line: string) => line.replace(/^(.*); \/\/ => (.*)$/, 'expect(await ($1)).toEqual($2);');

test('the code of docs/registry.md runs, in order, and gives what the page says', async () => {
  mkdirSync(files.path('incoming'));
  for (const [model, name] of [
    ['00', 'sentiment-a'],
    ['01', 'sentiment-b'],
    ['02', 'incoming/spam@9'],
    ['03', 'incoming/spam@10'],
  ])
    copyFileSync(`${root}examples/models/sa-fam-a-${model}.onnx`, files.path(`${name}.onnx`));
  const blocks = [...page.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code]) => code!);
  expect(blocks.length).toBeGreaterThan(8);
  const lines = blocks.join('\n').split('\n');
  const code = lines.filter((line) => !line.startsWith('import ')).map(checked);
  expect(code.filter((line) => line.startsWith('expect'))).toHaveLength(16);
  const AsyncFunction = (async () => {}).constructor as new (
    ...parts: string[]
  ) => (...values: unknown[]) => Promise<unknown>;
  const names = { ...brezel, expect, folder: files.path('.'), console: { log() {} } };
  await new AsyncFunction(...Object.keys(names), `"use strict"; ${code.join('\n')}`)(...Object.values(names));
});
