import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const require = createRequire(import.meta.url);
const compiler = join(require.resolve('typescript/package.json'), '..', 'bin', 'tsc');
const project = fileURLToPath(new URL('../tsconfig.test.json', import.meta.url));

// The compiler must report an error for each line under an `@ts-expect-error`, and for no other
// line. The project also contains the cases of the operators.
test('wrong chains do not compile, and correct chains compile', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', project]).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe('');
});
