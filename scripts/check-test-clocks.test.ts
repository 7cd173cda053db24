import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clocksIn, violations } from './check-test-clocks.mjs';

// Written in two halves, because this file is itself a test file that the check reads.
const timer = 'set' + 'Timeout(resolve, 5)';
const clock = 'performance' + '.now()';
const limit = 'timeout' + ': 5000';

test.each([
  timer,
  clock,
  `const signal = AbortSignal${'.timeout'}(5);`,
  limit,
  `}, ${60}_000);`,
  `expect(wait${'Ms'}).toBeLessThan(5)`,
])('refuses %s', (line) => {
  expect(clocksIn(`const fine = 1;\n${line}\n`)).toEqual([expect.stringMatching(/^2: /)]);
});

test.each(['await until(() => done)', 'clock.advance(5)', 'setImmediate(resolve)', 'timeout: GUARD_MS'])(
  'accepts %s',
  (line) => expect(clocksIn(line)).toEqual([]),
);

test('names the place, accepts a file with a reason, and reports a reason without a use', () => {
  const root = mkdtempSync(join(tmpdir(), 'clocks-'));
  mkdirSync(join(root, 'packages/one/test'), { recursive: true });
  mkdirSync(join(root, 'packages/one/src'));
  writeFileSync(join(root, 'packages/one/test/a.test.ts'), `${timer};\n`);
  writeFileSync(join(root, 'packages/one/src/a.ts'), `${timer};\n`);
  expect(violations(root, {})).toEqual([expect.stringMatching(/^packages\/one\/test\/a\.test\.ts:1: /)]);
  expect(violations(root, { 'packages/one/test/a.test.ts': 'a reason' })).toEqual([]);
  expect(violations(root, { 'packages/one/test/a.test.ts': 'a reason', 'packages/one/test/b.ts': 'gone' })).toEqual([
    expect.stringContaining('b.ts: uses no clock'),
  ]);
});
