import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Without WebAssembly and without the addon, reference implementations run, with one warning. */

const code = `
import { createFlour, createRuntime } from 'brezel';
for (let round = 0; round < 2; round++) {
  const flour = await createFlour(JSON.parse(process.argv[1]));
  const runtime = createRuntime({ store: flour.store });
  const plan = flour
    .columns({ text: 'string' })
    .select('text')
    .tokenize()
    .wordNgram({ vocabulary: [['good'], ['bad']] })
    .logistic({ weights: [2, -2] })
    .plan();
  const registered = runtime.register(plan);
  const answers = await runtime.predictBatch(registered, ['a good film', 'bad', '']);
  if (round === 0) console.log(JSON.stringify({ engine: registered.engine, ids: plan.parameters, answers }));
  await runtime.close();
}
`;

/** Runs the code in a process. Returns what it printed, and its warnings. */
function run(flags: readonly string[], options: object, native = 'off') {
  const args = [...flags, '--input-type=module', '-e', code, JSON.stringify(options)];
  const env = { ...process.env, BREZEL_NATIVE: native };
  const cwd = new URL('.', import.meta.url);
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, cwd, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return { found: JSON.parse(stdout), warnings: stderr.split('\n').filter((line) => line.includes('BrezelWarning')) };
}

test('node --jitless gives the answers and parameter ids of WebAssembly', () => {
  const usual = run([], {});
  expect(usual.found.engine).toBe('wasm');
  expect(usual.warnings).toEqual([]);
  const missing = run(['--jitless'], {}, '/no/such/addon.node');
  const chosen = run(['--jitless'], { native: false });
  for (const { found, warnings } of [missing, chosen]) {
    expect(found).toEqual({ ...usual.found, engine: 'javascript' });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/\[BREZEL_WASM\].*reference implementations.*WebAssembly is disabled.*--jitless/);
  }
  expect(missing.warnings[0]).toContain('native: false');
});
