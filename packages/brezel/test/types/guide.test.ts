import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { temporaryFolder } from '../fleet/folder.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const folder = temporaryFolder();
afterAll(() => folder.remove());

const run = (...args: readonly string[]) =>
  execFileSync(process.execPath, args, { cwd: folder.path('.'), encoding: 'utf8', stdio: 'pipe' });

/** Returns the TypeScript of a guide. */
function codeOf(guide: string): string {
  const page = readFileSync(join(root, 'docs/guides', guide), 'utf8');
  return [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block]) => block!).join('\n');
}

it('compiles the TypeScript of the guides; the code of typescript.md also runs and gives the values of the page', () => {
  const code = codeOf('typescript.md');
  const promised = code.replace(/^(.*); \/\/ => (.*)$/gm, 'assert.deepEqual($1, $2);');
  expect(promised.match(/^assert/gm)).toHaveLength(7);
  symlinkSync(join(root, 'node_modules'), folder.path('node_modules'));
  copyFileSync(join(root, 'examples/models/sa-fam-a-00.onnx'), folder.path('model.onnx'));
  writeFileSync(folder.path('package.json'), '{ "type": "module" }');
  const ended = 'await Promise.all([app.close(), registry.close(), runtime.close()]);';
  const program = `import assert from 'node:assert/strict';\n${promised}\n${ended}\n`;
  writeFileSync(folder.path('guide.ts'), program);
  expect(codeOf('service.md')).toContain('app.post<');
  writeFileSync(folder.path('service.ts'), codeOf('service.md'));
  run(join(root, 'packages/brezel/bin/brezel.js'), 'types', 'film=model.onnx', '-o', 'models.d.ts');
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--target', 'es2023', '--module', 'node16'];
  run(join(root, 'node_modules/typescript/bin/tsc'), ...strict, '--types', 'node', 'guide.ts', 'service.ts');
  writeFileSync(folder.path('guide.mjs'), transformSync(program, { loader: 'ts' }).code);
  run('guide.mjs');
});
