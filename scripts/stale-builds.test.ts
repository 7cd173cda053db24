import { mkdirSync, mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { kernelFiles } from '../native/scripts/list-kernels.mjs';
import { readSources } from '../native/scripts/source-times.mjs';
import { staleBuilds } from './stale-builds.mjs';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'stale-'));
  for (const folder of ['src', 'include', 'isa', 'primitives', 'fused', 'tensors', 'generated', 'build'])
    mkdirSync(join(root, 'native', folder), { recursive: true });
  write('packages/text/tsconfig.json', 100, '{ "exclude": ["src/**/*.test.ts", "src/case.ts", "src/ops/*/cases.ts"] }');
  write('packages/text/src/index.ts', 100);
  write('packages/text/dist/.tsbuildinfo', 200);
});

function write(path: string, seconds: number, text = ''): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  utimesSync(join(root, path), seconds, seconds);
}

/** Writes the record of a build with the current sources. */
const build = () =>
  write('native/build/stamp.json', 1, JSON.stringify({ sources: readSources(join(root, 'native'), kernelFiles()) }));

test('builds that are newer than their sources pass; tests are no sources', () => {
  write('packages/text/src/index.test.ts', 300);
  expect(staleBuilds(root)).toEqual([]);
});

test('files that tsconfig.json excludes are no sources', () => {
  for (const file of ['case.ts', 'ops/map/cases.ts', 'deep/down.test.ts']) write(`packages/text/src/${file}`, 300);
  expect(staleBuilds(root)).toEqual([]);
});

test.each([
  'ops/cases.ts',
  'ops/map/deep/cases.ts',
  'ops/map/other-cases.ts',
  'deep/case.ts',
  'suitcase.ts',
  'xtest.ts',
])('a name similar to an excluded file is a source: %s', (file) => {
  write(`packages/text/src/${file}`, 300);
  expect(staleBuilds(root)).toHaveLength(1);
});

test('a package is stale when a source is newer, or without a build', () => {
  write('packages/text/src/deep/down.ts', 300);
  write('packages/core/tsconfig.json', 100, '{}');
  write('packages/core/src/index.ts', 100);
  expect(staleBuilds(root)).toEqual([expect.stringMatching(/packages\/core, packages\/text; npm run build:ts$/)]);
});

test('the addon is stale when the content of a source differs, whatever its time', () => {
  write('native/src/addon.cpp', 100, 'int one;');
  build();
  write('native/src/addon.cpp', 900, 'int one;');
  expect(staleBuilds(root)).toEqual([]);
  write('native/src/addon.cpp', 50, 'int two;');
  expect(staleBuilds(root)).toEqual([expect.stringContaining('npm run build:native')]);
});
