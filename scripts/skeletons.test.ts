import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { exportsOf } from './check-docstrings.mjs';
import { findings } from './check-prose.mjs';

const checkout = fileURLToPath(new URL('..', import.meta.url));
const flour = 'packages/flour/src';
const oven = 'packages/oven';
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skeletons-'));
  for (const path of [
    'native/README.md',
    'native/include/attributes.hpp',
    `${flour}/generated/ops.ts`,
    `${oven}/src/rules.ts`,
    `${oven}/test/rules.test.ts`,
  ]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(join(checkout, path), join(root, path));
  }
  for (const folder of ['ops/scale', 'compositions', '../../../packages/oven/src/steps/3-optimize-stages'])
    mkdirSync(join(root, flour, folder), { recursive: true });
  writeFileSync(join(root, flour, 'compositions/mlp.ts'), '');
});

const run = (script: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(checkout, 'scripts', script), ...args], {
    encoding: 'utf8',
    env: { ...process.env, BREZEL_ROOT: root },
  });
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Compiles if the method of the operator `clip-values` returns a flow with the same rows. */
const TYPED = `
import type { Flow } from './flow.js';
import './ops/clip-values/index.js';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Row = { readonly fare: number };
declare const features: Flow<'vector', Row>;
const clipped = features.clipValues();
export const same: Same<typeof clipped, Flow<'vector', Row>> = true;
`;

describe('new:op', () => {
  test('writes the folder and the list, and prints the next steps', () => {
    const { status, stdout, stderr } = run('new-op.mjs', 'clip-values');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('npm run test:for packages/flour/src/ops/clip-values');
    expect(read(`${flour}/ops/clip-values/index.ts`)).toContain("name: 'clip-values',");
    expect(read(`${flour}/ops/clip-values/index.ts`)).toContain('javascript: true');
    expect(read(`${flour}/ops/clip-values/cases.ts`)).toContain('x.clipValues()');
    expect(existsSync(join(root, flour, 'ops/clip-values/kernel.hpp'))).toBe(false);
    expect(read(`${flour}/generated/ops.ts`)).toContain("export * from '../ops/clip-values/index.js';");
  });

  test('with a kernel', () => {
    expect(run('new-op.mjs', '--kernel', 'clip-values').status).toBe(0);
    expect(read(`${flour}/ops/clip-values/kernel.hpp`)).toContain('struct ClipValuesKernel {');
    expect(read(`${flour}/ops/clip-values/index.ts`)).toContain("kernel: () => ({ kernel: 'clip_values' })");
    expect(read(`${flour}/ops/clip-values/index.ts`)).not.toContain('javascript: true');
    const rows = read('native/README.md').split('\n');
    const added = rows.indexOf('| `clip_values` | dense f32 → same | | each number doubled |');
    expect(rows[added - 1]).toMatch(/^\| `/);
    expect(rows.slice(0, added).findLast((line) => line.startsWith('## '))).toBe('## 4. Kernels');
    expect(rows.toSpliced(added, 1).join('\n')).toBe(readFileSync(join(checkout, 'native/README.md'), 'utf8'));
  });

  test('leaves no placeholder, and formatted files', () => {
    for (const args of [['plain-one'], ['fast-one', '--kernel']]) run('new-op.mjs', ...args);
    run('new-rule.mjs', 'merge-clips');
    for (const file of ['plain-one/index.ts', 'plain-one/cases.ts', 'fast-one/index.ts', 'fast-one/kernel.hpp']) {
      const text = read(`${flour}/ops/${file}`);
      expect(text).not.toMatch(/__/);
      expect(findings(file, text)).toEqual([]);
    }
    cpSync(join(checkout, 'biome.json'), join(root, 'biome.json'));
    const biome = join(checkout, 'node_modules/.bin/biome');
    execFileSync(biome, ['check', '--error-on-warnings', '--vcs-enabled=false', '.'], { cwd: root, stdio: 'pipe' });
  });

  test('the skeleton compiles, its method keeps the type of the rows, and its exports have docstrings', () => {
    run('new-op.mjs', 'clip-values');
    symlinkSync(join(checkout, 'node_modules'), join(root, 'node_modules'));
    writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(root, flour, 'typed.ts'), TYPED);
    const config = {
      extends: join(checkout, 'tsconfig.base.json'),
      // The skeleton imports the other files of flour as built.
      compilerOptions: {
        composite: false,
        rootDir: '.',
        rootDirs: [flour, join(checkout, 'packages/flour/dist')],
        outDir: 'built',
      },
      files: [`${flour}/typed.ts`],
    };
    writeFileSync(join(root, 'tsconfig.json'), JSON.stringify(config));
    const tsc = spawnSync(join(checkout, 'node_modules/.bin/tsc'), { cwd: root, encoding: 'utf8' });
    expect(tsc).toMatchObject({ status: 0, stdout: '' });
    const declarations = join(root, 'built', flour, 'ops/clip-values/index.d.ts');
    expect([...exportsOf(declarations)]).toEqual([['clipValues', true]]);
  });

  test.each([
    [['scale'], 'ops/scale exists'],
    [['mlp'], 'compositions/mlp.ts exists'],
    [['softsign'], "a function of the operator map: flow.map('softsign')"],
    [['leaky-relu'], "a function of the operator map: flow.map('leakyRelu')"],
    [['ClipValues'], 'kebab-case'],
    [['clip--values'], 'kebab-case'],
    [[], 'no name'],
    [['one', 'two'], 'received one two'],
  ])('refuses %j', (args, message) => {
    const before = read(`${flour}/generated/ops.ts`);
    const { status, stderr } = run('new-op.mjs', ...args);
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(message) });
    expect(read(`${flour}/generated/ops.ts`)).toBe(before);
  });
});

describe('new:rule', () => {
  const folder = `${oven}/src/steps/3-optimize-stages`;

  test('writes the rule, its line, its program and its golden plan', () => {
    const { status, stdout } = run('new-rule.mjs', 'merge-clips');
    expect(status).toBe(0);
    expect(stdout).toContain(`npm run test:for ${folder}/merge-clips.ts`);
    expect(read(`${folder}/merge-clips.ts`)).toContain("name: 'merge-clips',");
    expect(read(`${folder}/merge-clips.golden`)).toMatch(/^before\n/);
    expect(read(`${oven}/src/rules.ts`)).toContain('  mergeClips,\n  removeEmptyStages,');
    expect(read(`${oven}/test/rules.test.ts`)).toContain("'merge-clips': () =>");
    expect(read(`${oven}/test/rules.test.ts`)).toContain("'merge-clips': {");
    expect(stdout).toContain('the import and the line of mergeClips in rules.ts');
  });

  test('refuses a name that exists, and changes nothing', () => {
    const before = read(`${oven}/src/rules.ts`);
    const { status, stderr } = run('new-rule.mjs', 'remove-empty-stages');
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('exists') });
    expect(read(`${oven}/src/rules.ts`)).toBe(before);
  });
});
