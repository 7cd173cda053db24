import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { conditionsIn, reasonFor } from '../testing/skip-reporter.js';

const root = fileURLToPath(new URL('..', import.meta.url));

test('the reporter has a reason for every condition under which a test is skipped', () => {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.test.ts'], {
    cwd: root,
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .filter((file) => file !== 'scripts/skip-reporter.test.ts' && existsSync(join(root, file)));
  const found = files.flatMap((file) =>
    conditionsIn(readFileSync(join(root, file), 'utf8')).map((condition) => ({ file, condition })),
  );
  expect(found.length).toBeGreaterThan(80);
  expect(found.filter(({ condition }) => reasonFor(condition) === undefined)).toEqual([]);
});

test('conditions are read whole, each once', () => {
  const text = 'test.skipIf(!load().addon)("a"); describe.runIf(ort); it.skipIf(!load().addon).each([f(g(1))])("b")';
  expect(conditionsIn(text)).toEqual(['!load().addon', 'ort']);
  expect(reasonFor('!load().addon')).toContain('npm run build:native');
  expect(reasonFor('isFullMoon')).toBeUndefined();
});
