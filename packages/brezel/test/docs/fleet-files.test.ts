import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as brezel from 'brezel';
import { afterAll, expect, test } from 'vitest';
import { temporaryFolder } from '../fleet/folder.js';

const page = readFileSync(new URL('../../../../docs/fleet-files.md', import.meta.url), 'utf8');
const files = temporaryFolder();
afterAll(() => files.remove());

test('the code of docs/fleet-files.md runs in order', async () => {
  const blocks = [...page.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code]) => code!);
  expect(blocks.length).toBeGreaterThan(1);
  const lines = blocks.join('\n').split('\n');
  const code = lines.filter((line) => !line.startsWith('import '));
  const flour = await brezel.createFlour();
  const words = flour.columns({ text: 'string' }).select('text').tokenize();
  const compiled = words.wordNgram({ vocabulary: [['good']] }).plan({ name: 'film' });
  const AsyncFunction = (async () => {}).constructor as new (
    ...parts: string[]
  ) => (...values: unknown[]) => Promise<unknown>;
  const names = { ...brezel, generateKeyPairSync, flour, compiled, folder: files.path('.') };
  await new AsyncFunction(...Object.keys(names), `"use strict"; ${code.join('\n')}`)(...Object.values(names));
});
