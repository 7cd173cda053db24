import { spawnSync } from 'node:child_process';
import { createFlour, createRuntime, NativeError, openStore } from 'brezel';
import { expect, test } from 'vitest';

/** A process without the addon warns once, and `native: true` requires the addon. */

/**
 * Runs a module in a process whose variable `BREZEL_NATIVE` is `native`. Returns its exit status,
 * its output, and its warnings about the addon.
 */
function run(native: string, code: string) {
  const env = { ...process.env, BREZEL_NATIVE: native };
  const head = "import { createFlour, createRegistry, createRuntime, openStore } from 'brezel';";
  const args = ['--input-type=module', '-e', `${head}\n${code}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    env,
    encoding: 'utf8',
    cwd: new URL('.', import.meta.url),
  });
  return { status, stdout, warnings: stderr.split('\n').filter((line) => line.includes('[BREZEL_NATIVE]')), stderr };
}

const everything = `
for (let round = 0; round < 2; round++) {
  const flour = await createFlour();
  const runtime = createRuntime({ store: flour.store });
  const registry = await createRegistry();
  await registry.close();
  await runtime.close();
  await openStore();
}
console.log('done');
`;
const codes = `
const store = await openStore({ native: false });
for (const call of [
  () => createFlour({ native: true }),
  () => createFlour({ store, native: true }),
  () => createRegistry({ native: true }),
  () => openStore({ native: true }),
  async () => createRuntime({ store, native: true }),
]) {
  await call().then(
    () => console.log('no error'),
    (error) => console.log(error.code, error.message.includes('addon'), error.hint !== ''),
  );
}
`;

test('one warning that says what to do', () => {
  const { status, stdout, warnings } = run('/no/such/addon.node', everything);
  expect([status, stdout]).toEqual([0, 'done\n']);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(/cannot be loaded|no native addon/);
  expect(warnings[0]).toMatch(/build it|npm installs it/);
  expect(warnings[0]).toContain('native: false');
});

test.each([
  [
    'native: false',
    '/no/such/addon.node',
    'await createFlour({ native: false }); await createRegistry({ native: false });',
  ],
  ['BREZEL_NATIVE=off', 'off', everything],
])('no warning with %s', (_, native, code) => {
  const { status, warnings, stderr } = run(native, code);
  expect(status, stderr).toBe(0);
  expect(warnings).toEqual([]);
});

test.each(['/no/such/addon.node', 'off'])('native: true throws ERR_NATIVE_MISSING, BREZEL_NATIVE=%s', (native) => {
  const { status, stdout, warnings, stderr } = run(native, codes);
  expect(status, stderr).toBe(0);
  expect(stdout).toBe('ERR_NATIVE_MISSING true true\n'.repeat(5));
  expect(warnings).toEqual([]);
});

test('native: true with a store in JavaScript memory', async () => {
  const store = await openStore({ native: false });
  expect(() => createRuntime({ store, native: true })).toThrow(NativeError);
  await expect(createFlour({ store, native: true })).rejects.toMatchObject({ code: 'ERR_NATIVE_MISSING' });
});
