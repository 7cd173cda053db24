import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFlour, defaultImportLimits, importModel } from 'brezel';
import { afterAll, expect, test } from 'vitest';
import { corpus } from './corpus.js';

// The default limits of an import must allow ten times as much as any known model needs.

const flour = await createFlour();
afterAll(() => flour.dispose());

const folders = [
  fileURLToPath(new URL('own/', import.meta.url)),
  fileURLToPath(new URL('../../../../examples/models/', import.meta.url)),
  ...(corpus === undefined ? [] : [corpus]),
];
const files = folders.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.onnx'))
    .map((name) => join(folder, name)),
);
const { nodes, elements, bytes, steps } = defaultImportLimits;
const tenth = Object.fromEntries(
  Object.entries({ nodes, elements, bytes, steps }).map(([name, limit]) => [name, Math.floor(limit / 10)]),
);

test('there are models', () => expect(files.length).toBeGreaterThanOrEqual(corpus === undefined ? 25 : 700));

test('a tenth of the default limits takes every model', () => {
  const rejected = files.filter((file) => {
    try {
      flour.attempt(() => importModel(readFileSync(file), flour, { limits: tenth }));
      return false;
    } catch {
      return true;
    }
  });
  expect(rejected).toEqual([]);
});
