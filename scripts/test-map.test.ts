import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { differences } from './check-test-map.mjs';
import { testsFor } from './test-map.mjs';

const map = {
  'packages/one/src/': ['packages/one/test'],
  'packages/one/src/deep/': ['packages/one/test/deep.test.ts'],
};

test('the longest folder names the tests; a test names itself; an operator filters by its name', () => {
  expect(testsFor('packages/one/src/a.ts', map)).toEqual({ tests: ['packages/one/test'] });
  expect(testsFor('packages/one/src/deep/a.ts', map)).toEqual({ tests: ['packages/one/test/deep.test.ts'] });
  expect(testsFor('packages/one/src/deep', map)).toEqual({ tests: ['packages/one/test/deep.test.ts'] });
  expect(testsFor('packages/one/test/b.test.ts', map)).toEqual({ tests: ['packages/one/test/b.test.ts'] });
  expect(testsFor('packages/flour/src/ops/scale/kernel.hpp')).toMatchObject({ name: 'scale' });
  expect(() => testsFor('packages/two/src/a.ts', map)).toThrow('packages/two/src/a.ts');
});

test('a test in src is next to its unit, and its package does not build it', () => {
  const root = mkdtempSync(join(tmpdir(), 'test-map-'));
  const write = (path: string, text = '') => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const one = { 'packages/one/src/': ['packages/one/src'] };
  write('packages/one/src/a.ts');
  write('packages/one/src/a.test.ts');
  write('packages/one/tsconfig.json', '{ "exclude": ["src/**/*.test.ts"] }');
  expect(differences(root, one)).toEqual([]);
  write('packages/one/src/b.test.ts');
  write('packages/one/tsconfig.json', '{}');
  expect(differences(root, one)).toEqual([
    expect.stringMatching(/^packages\/one\/src\/b\.test\.ts: no unit of this name/),
    expect.stringMatching(/^packages\/one\/tsconfig\.json: "exclude" must contain/),
  ]);
});

test('reports folders without tests, tests without a folder, and entries without files', () => {
  const root = mkdtempSync(join(tmpdir(), 'test-map-'));
  const write = (path: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '');
  };
  for (const path of ['packages/one/src/a.ts', 'packages/one/src/deep/b.ts', 'packages/one/test/deep.test.ts'])
    write(path);
  expect(differences(root, map)).toEqual([]);
  write('packages/two/src/a.ts');
  write('packages/two/test/a.test.ts');
  expect(differences(root, { ...map, 'packages/three/src/': ['packages/three/test'] })).toEqual([
    expect.stringContaining('packages/two/src/a.ts: its folder has no tests'),
    expect.stringContaining('packages/two/test/a.test.ts: no folder names this test'),
    expect.stringContaining('packages/three/src/: in scripts/test-map.mjs, but has no files'),
    expect.stringContaining('packages/three/test: in scripts/test-map.mjs, but has no tests'),
  ]);
});
