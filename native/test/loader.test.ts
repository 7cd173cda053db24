import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { addon } from './harness.js';

const folder = mkdtempSync(join(tmpdir(), 'brezel-loader-'));
afterAll(() => rmSync(folder, { recursive: true }));

const loader = fileURLToPath(new URL('../index.cjs', import.meta.url));

/** Loads a module in place of the addon in a separate process. Returns the result of the loader. */
function load(text: string): { isLoaded: boolean; code?: string; message?: string } {
  const file = join(folder, 'addon.cjs');
  writeFileSync(file, text);
  const print = `const { addon, error } = require(${JSON.stringify(loader)});
    console.log(JSON.stringify({ isLoaded: addon !== undefined, code: error?.code, message: error?.message }));`;
  const env = { ...process.env, BREZEL_NATIVE: file };
  return JSON.parse(spawnSync(process.execPath, ['-e', print], { env, encoding: 'utf8' }).stdout);
}

it('loads an addon with the fingerprint of this interface', () => {
  expect(load(`exports.interface = ${JSON.stringify(addon.interface)}`)).toEqual({ isLoaded: true });
});

it.each([
  ['an older fingerprint', "exports.interface = '0123456789abcdef'", '0123456789abcdef'],
  ['no fingerprint, as in older addons', 'exports.abiVersion = 7', 'an older one'],
])('rejects an addon with %s', (_, text, received) => {
  const { isLoaded, code, message } = load(text);
  expect([isLoaded, code]).toEqual([false, 'ERR_NATIVE_LOAD']);
  expect(message).toContain(`for interface ${addon.interface}, received ${received}`);
  expect(message).toContain('build it again: npm run build:native');
});

it.each([
  ['glibc', '2.36', 'linux-x64'],
  ['musl', undefined, 'linux-x64-musl'],
])('without an addon on Linux with %s, names the platform', (_, glibcVersionRuntime, platform) => {
  const machine = join(folder, 'machine.cjs');
  const report = JSON.stringify({ header: { glibcVersionRuntime } });
  writeFileSync(
    machine,
    `Object.defineProperty(process, 'platform', { value: 'linux' });
     Object.defineProperty(process, 'arch', { value: 'x64' });
     Object.defineProperty(process, 'report', { value: { getReport: () => (${report}) } });`,
  );
  const print = `console.log(require(${JSON.stringify(loader)}).error.message)`;
  const env = { ...process.env, BREZEL_NATIVE: join(folder, 'missing.node') };
  const { stdout } = spawnSync(process.execPath, ['--require', machine, '-e', print], { env, encoding: 'utf8' });
  expect(stdout).toContain(`no native addon for ${platform};`);
});
