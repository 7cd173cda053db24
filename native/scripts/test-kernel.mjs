// npm run test:kernel NAME...: builds the addon and runs the conformance cases of these operators
// (folder names in packages/flour/src/ops). It does not build TypeScript; `npm run build:ts` does.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const operators = process.argv.slice(2);
const unknown = operators.find((name) => !existsSync(join(root, 'packages/flour/src/ops', name, 'cases.ts')));
if (operators.length === 0 || unknown) {
  console.error(
    `${unknown ? `packages/flour/src/ops/${unknown} has no cases.ts` : 'no operator named'}; example: npm run test:kernel cast`,
  );
  process.exit(1);
}

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const cases = ['run', 'packages/brezel/test/conformance/operators.test.ts', '-t', `^(${operators.join('|')}) `];
for (const args of [[join(root, 'native/scripts/build.mjs')], [vitest, ...cases]]) {
  const env = { ...process.env, BREZEL_REQUIRE_NATIVE: '1' };
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}
