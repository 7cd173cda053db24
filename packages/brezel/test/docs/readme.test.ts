import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

// Runs the TypeScript of the README unchanged, from the root of a clone.

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'brezel-readme-'));
afterAll(() => rmSync(folder, { recursive: true }));

const blocks = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map(
  ([, code]) => code!,
);

function run(code: string): string {
  const file = join(folder, 'readme.mjs');
  writeFileSync(file, code);
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { cwd: root, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return stdout.trim();
}

it('runs its examples', () => {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const [tenLines, pipeline] = blocks as [string, string];
  expect(blocks).toHaveLength(2);
  expect(tenLines.trim().split('\n').length).toBeLessThanOrEqual(10);
  expect(tenLines).toContain('// label is 1');
  expect(run(`${tenLines}\nconsole.log(label);`)).toBe('1');
  const predict = `console.log(Object.values(runtime.predictSync(plan, '4,not bad'))[0] > 0.5);`;
  const prelude = tenLines.split('\n').filter((line) => !/const plan|const \{ (program|label) \}/.test(line));
  expect(run(`${prelude.join('\n')}\n${pipeline}\n${predict}`)).toMatch(/^(true|false)$/);
});
