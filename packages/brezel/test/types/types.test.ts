import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const require = createRequire(import.meta.url);
const compiler = join(require.resolve('typescript/package.json'), '..', 'bin', 'tsc');
const project = fileURLToPath(new URL('tsconfig.json', import.meta.url));

// Each line under an `@ts-expect-error` must fail, and all other lines must compile. The compiler
// reports both kinds of faults.
it('types plans from the fields of a row to the values of an answer', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', project]).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe('');
});
