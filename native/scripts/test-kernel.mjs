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

const require = createRequire(import.meta.url);
const vitest = join(dirname(require.resolve('vitest/package.json')), 'vitest.mjs');
const cases = ['run', 'packages/brezel/test/conformance/operators.test.ts', '-t', `^(${operators.join('|')}) `];
run(join(root, 'native/scripts/build.mjs'));
console.log(`This CPU runs the cases with these instruction sets: ${require('../index.cjs').addon.isas().join(', ')}`);
run(vitest, ...cases);

/** Runs a script of Node. If the script fails, ends this process with the same exit code. */
function run(...args) {
  const env = { ...process.env, BREZEL_REQUIRE_NATIVE: '1' };
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}
