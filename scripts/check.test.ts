import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runChecks } from './check.mjs';

test('prints a check before it runs, its time after, and the command that fixes a failure', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'check-'));
  writeFileSync(join(folder, 'good.mjs'), 'console.log("nothing to see");');
  writeFileSync(join(folder, 'bad.mjs'), 'console.error(process.argv[2], "differs"); process.exitCode = 3;');
  const printed: string[] = [];
  const list = [
    ['first', 'good.mjs', 'npm run one'],
    ['second', 'bad.mjs page.md', 'npm run two'],
    ['third', 'good.mjs', 'npm run three'],
  ];
  expect(await runChecks(list, folder, (text: string) => printed.push(text) > 0)).toEqual(['second']);
  const text = printed.join('').replaceAll(/\d+\.\d s/g, 'n s');
  expect(printed[0]).toBe('first ... ');
  expect(text).toBe(
    'first ... ok, n s\nsecond ... FAILED, n s\npage.md differs\nto mend it: npm run two\nthird ... ok, n s\n',
  );
});
